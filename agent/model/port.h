/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A port: a device that carries our programs. A pod's host end (an attachment) or an uplink.
 *
 * The model fills in the first part from what the sources saw, the sinks report into the second,
 * and the bus reads both. All of it is a value: nothing here does anything.
 */
#include <stdint.h>

#include "base/array.h"
#include "net/mac.h"
#include "pw_abi.h"
#include "store/record.h"

#define PORT_IFNAME_LEN 16

enum port_state {
	PORT_PENDING,   /* a record without its link: an ADD is under way, or was killed; or a pod
			   whose device others have to themselves for a moment */
	PORT_READY,     /* link and record are there; path and reason say by what it is served */
	PORT_NO_RECORD, /* pods only: a link of ours that nothing is known of: the kernel's path */
	PORT_FAILED,    /* the kernel refused our programs or maps: the kernel's path */
	_PORT_STATE_MAX,
};
/* "pending", "ready", "no-record", "failed" */
const char *port_state_name(enum port_state state);

struct port;
/* Whether its pod may send from its own addresses only, by whatever sees to that. */
bool port_wants_source_check(const struct port *p);

enum port_path {
	PORT_PATH_KERNEL, /* no program of ours forwards: the kernel does all of it */
	PORT_PATH_TC,
	PORT_PATH_XDP,
	_PORT_PATH_MAX,
};
/* "kernel", "tc", "xdp" */
const char *port_path_name(enum port_path path);

/* Why it isn't the best path; the first that holds. */
enum port_reason {
	PORT_REASON_NONE,
	PORT_REASON_RECORD,   /* no record, or one that can't be read or is of a newer version */
	PORT_REASON_SLOTS,    /* no slot is free */
	PORT_REASON_OFF,      /* fastPath "off" */
	PORT_REASON_FOREIGN,  /* somebody else's program, qdisc or filter is on the device */
	PORT_REASON_DETACHED, /* somebody took our programs off, twice */
	PORT_REASON_KERNEL,   /* the kernel refused; `detail` has its words */
	PORT_REASON_LEARNING, /* nothing is accelerated yet in this version */
	_PORT_REASON_MAX,
};
/* "", "record", "slots", "off", "foreign", "detached", "kernel", "learning" */
const char *port_reason_name(enum port_reason reason);

enum source_check {
	SOURCE_CHECK_NONE,   /* not asked for, or nothing is known of the pod's addresses */
	SOURCE_CHECK_KERNEL, /* the plugin's strict rp_filter */
	SOURCE_CHECK_BPF,
	_SOURCE_CHECK_MAX,
};
/* "none", "kernel", "bpf" */
const char *source_check_name(enum source_check check);

struct port {
	/* what the sources saw */
	enum pw_port_kind kind;
	char ifname[PORT_IFNAME_LEN];
	int ifindex; /* 0: the link isn't there */
	uint32_t mtu;
	bool up;
	struct mac mac; /* the device's own */
	struct mac
		pod_mac; /* of the pod's end: as the record has it, or as the pod has said since */
	struct record record; /* pods: all zero (record.root == NULL) where there's none */
	bool has_record;
	bool can_take_frames; /* NETDEV_XDP_ACT_NDO_XMIT */
	bool tc_only;         /* uplinks: a VLAN, bond, bridge or tunnel */
	char foreign[64];     /* what of others' is on it, "qdisc tbf"; empty: nothing */
	char kind_name[16];   /* the link's kind, "veth"; empty for hardware */
	char driver[32];      /* uplinks; may be empty */

	/* what the model decided */
	uint32_t slot;       /* 0: none */
	uint32_t generation; /* of the slot */

	/* begun by the model, ended by the sinks */
	enum port_state state;
	enum port_path path;
	enum port_reason reason;
	enum source_check source_check;
	uint64_t
		attach_at; /* without tcx, not before that: CLOCK_MONOTONIC, usec; 0: not set yet */
	bool is_on;        /* our programs were, when the sinks looked last */
	bool has_others;   /* likewise, somebody else's, by tcx */
	unsigned int times_detached; /* how often others took our programs off this device */
	char detail[128]; /* to the reason: whose program, or the kernel's words; UTF-8 */

	bool dirty;   /* the sinks have not seen the latest */
	bool gone;    /* link and record are both gone: to be forgotten */
	bool changed; /* the bus has not told of the latest */
};
