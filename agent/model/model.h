/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the agent knows of the node, and what follows from it
 *
 * Sources tell what they see, in any order and as often as they like: a link, a record, a feature.
 * The model keeps one port for each and gives it a slot once link and record are together. It is
 * pure: no I/O, no clock, no logging; sinks and the bus read its ports and clear their flags.
 */
#include "model/port.h"

struct model;

/* As a source saw it. */
struct link_seen {
	int ifindex;
	char name[PORT_IFNAME_LEN];
	char kind[16];
	struct mac mac;
	uint32_t mtu;
	bool up;
	char driver[32]; /* where it was asked for */
};

/* @slots: how many there are, slot 0 included (PW_SLOTS; fewer in tests). */
int model_new(uint32_t slots, struct model **ret, struct pw_error *err);
struct model *model_free(struct model *m);
DEFINE_CLEANUP(struct model *, model_free);

/* Links: of ours by their name, of others only those that were named as uplinks. */
int model_link_seen(struct model *m, const struct link_seen *link, struct pw_error *err);
void model_link_gone(struct model *m, int ifindex);

/*
 * Records. The model takes what is in @rec and leaves it empty. @why: it can't be read, or is of a
 * newer version; @rec is then NULL.
 */
int model_record_seen(struct model *m, const char *host_ifname, struct record *rec,
		      const struct pw_error *why, struct pw_error *err);
void model_record_gone(struct model *m, const char *host_ifname);

/* A link that is an uplink; and which of them still are. */
int model_set_uplink(struct model *m, const struct link_seen *link, struct pw_error *err);
void model_keep_uplinks(struct model *m, const int *ifindex, size_t n);

/* What the kernel knows a neighbour's MAC to be: if it's a pod's address, the pod has said so. */
void model_pod_says(struct model *m, int ifindex, const struct ipaddr *ip, const struct mac *mac);
void model_can_take_frames(struct model *m, int ifindex, bool can);
/* Whose program, qdisc or filter is on a device, in words; NULL: nobody's. */
void model_foreign(struct model *m, int ifindex, const char *what);

/*
 * A full look around: what isn't seen between the two is gone. Used at start and whenever events
 * were lost.
 */
void model_resync_begin(struct model *m);
void model_resync_end(struct model *m);

/*
 * What a former agent left in a slot, from the pinned maps; before the first look around. The port
 * of the same device, MAC and kind gets the same slot and generation again.
 */
void model_adopt_slot(struct model *m, uint32_t slot, const struct pw_port *was);

/*
 * A slot that has lost its owner. It isn't given to another until the sinks have cleared it.
 */
struct model_freed {
	uint32_t slot, generation; /* the generation that it has from now on */
	int ifindex;               /* of the device that it was; it may be there still, or gone */
};
const struct model_freed *model_freed(const struct model *m, size_t *ret_n);
void model_freed_clear(struct model *m);

/*
 * Ports in no particular order; a pointer is good until model_forget_gone(), an index until the
 * next call that isn't const.
 */
size_t model_ports(const struct model *m);
struct port *model_port(struct model *m, size_t i);
struct port *model_find(struct model *m, const char *ifname);
struct port *model_find_index(struct model *m, int ifindex);
/* Drops those that are `gone`, once sinks and bus are done with them. */
void model_forget_gone(struct model *m);

uint32_t model_free_slots(const struct model *m);
/* How many ports go without one since none is free. */
size_t model_without_slot(const struct model *m);
