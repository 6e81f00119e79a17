/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Programs on devices
 *
 * By tcx links where the kernel has them (6.6), else as filters of a clsact qdisc (filter.h); XDP
 * by a link. Links are pinned as IFINDEX-PROGRAM in the layout's links directory, so that what a
 * former agent attached is found again, and runs without a gap. Filters need no pin.
 */
#include "sink/datapath.h"

struct attach;

int attach_open(struct datapath *dp, struct attach **ret, struct pw_error *err);
struct attach *attach_close(struct attach *a);
DEFINE_CLEANUP(struct attach *, attach_close);

bool attach_has_tcx(const struct attach *a);

/*
 * Puts all programs of a port's kind on its device, or finds them there and makes sure that they
 * are of this agent. Returns how many weren't there. -EBUSY: there's no room for them.
 */
int attach_port(struct attach *a, const struct port *port, struct pw_error *err);
/* Of each direction, what comes in by the device first. */
struct attach_seen {
	bool ours[2];
	bool others[2]; /* somebody else's, by tcx */
};
/* What is on a port's device now, with a question a direction. */
void attach_look(struct attach *a, const struct port *port, struct attach_seen *ret);
/* XDP on an uplink in the driver's mode; -EBUSY: there's another's program. */
int attach_xdp(struct attach *a, const struct port *port, struct pw_error *err);
/* 1 if our XDP program is on it. */
int attach_check_xdp(struct attach *a, const struct port *port);
void attach_drop_xdp(struct attach *a, int ifindex);

/* Takes ours off a device, which may be gone already. */
void attach_drop(struct attach *a, int ifindex);
/* Takes ours off all devices that have no slot. */
int attach_sweep(struct attach *a, struct model *m, struct pw_error *err);
