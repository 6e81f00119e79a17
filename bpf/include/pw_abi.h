/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The maps' keys and values: the one definition that programs and agent share
 *
 * Maps are pinned and outlive the agent, so this is an interface between versions. PW_LAYOUT names
 * it; each change of a type below raises it. Fields are only ever added at the end: an agent of
 * another layout then copies what both know and leaves the rest zero. What can't be copied so gets
 * a map of a new name.
 *
 * Numbers are in the machine's byte order, addresses and MACs as on the wire.
 */
#include <linux/types.h>

#ifndef PW_LAYOUT
#define PW_LAYOUT 1
#endif

#define PW_SLOTS 4096 /* of ports; slot 0 is nobody's, so that 0 can say "none" */
#define PW_OWN_MAX 8  /* addresses of a port that are compared one by one; more are in `sources` */
#define PW_SOURCES_MAX 65536
#define PW_DEVICES_MAX 4096
#define PW_CPUS_MAX 1024

enum pw_port_kind {
	PW_PORT_FREE,
	PW_PORT_POD,
	PW_PORT_UPLINK,
};

enum pw_port_flags {
	PW_PORT_SOURCE_CHECK = 1 << 0,
	PW_PORT_MORE_SOURCES = 1 << 1, /* look into `sources` as well */
	PW_PORT_CHECK_MAC = 1 << 2,
};

/* As seen from the node: what a pod sends comes in. */
enum pw_direction {
	PW_IN,
	PW_OUT,
	PW_DIRECTIONS,
};

/* IPv6, or IPv4 as ::ffff:a.b.c.d. */
struct pw_address {
	__u8 b[16];
};

/* ports: array by slot */
struct pw_port {
	__u32 generation; /* rises each time the slot gets another owner or loses its own */
	__u32 ifindex;    /* 0: the slot is free */
	__u32 flags;      /* PW_PORT_ */
	__u8 kind;        /* enum pw_port_kind */
	__u8 n_own;
	__u8 mac[6]; /* of the other end */
	struct pw_address own[PW_OWN_MAX];
};

/* slots: hash, ifindex to slot (both __u32) */

/*
 * sources: longest prefix match; the value (__u8) is the family, 4 or 6, so that ::/0, which
 * ::ffff:0:0/96 is part of, doesn't stand for all of IPv4
 */
struct pw_source_key {
	__u32 prefixlen; /* bits of what follows: 32 of the slot, then the address's */
	__u32 slot;
	struct pw_address address;
};
#define PW_SOURCE_PREFIX 32 /* bits before the address */

/* counts: per-CPU array by slot * PW_DIRECTIONS + direction */
struct pw_count {
	__u64 packets;  /* let through: segments of a GSO packet count one by one */
	__u64 bytes;    /* of those, from the link layer header on, as the packet was */
	__u64 spoofed;  /* dropped: a source that isn't the pod's */
	__u64 unparsed; /* of packets: let through without a look, as they are nothing we know or
			   cut */
#ifdef PW_TEST_NEXT_LAYOUT
	__u64 added; /* what a later version might add: tests migrate to it and back */
#endif
};

/* events: per-CPU array of __u64 by enum pw_event, what belongs to no port */
enum pw_event {
	PW_EVENT_NO_SLOT, /* a program of ours on a device that has no slot: let through */
	PW_EVENT_MAX,
};

/* heartbeat: array of one __u64, CLOCK_MONOTONIC in ns, written by the agent twice a second */

/* devices: DEVMAP_HASH by ifindex, those that can take a redirected frame; cpus: CPUMAP by CPU */
