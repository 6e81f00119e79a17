/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What devices can do with XDP, by generic netlink's family netdev (6.3): who can take a redirected
 * frame. A pod that switches GRO on or off, or takes a program, changes that of its host end.
 */
#include <systemd/sd-event.h>

#include "model/model.h"

struct features;

/* @settled: after news. -ENOENT: the kernel has no such family. @m is borrowed. */
int features_open(sd_event *event, struct model *m, void (*settled)(void *arg), void *arg,
		  struct features **ret, struct pw_error *err);
struct features *features_close(struct features *f);
DEFINE_CLEANUP(struct features *, features_close);

/* Asks for all devices. */
int features_look(struct features *f, struct pw_error *err);
