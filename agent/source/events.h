/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * rtnetlink's news
 *
 * What a message says in full (a link, a neighbour) goes to the model; of what it only hints at,
 * the user is told to look. When the kernel had to drop news, all must be looked at again.
 */
#include <systemd/sd-event.h>

#include "config/config.h"
#include "model/model.h"

struct events;

struct events_ops {
	void (*device_changed)(int ifindex, void *arg); /* its qdiscs, filters or XDP program */
	void (*uplinks_changed)(void *arg);
	void (*lost)(void *arg);
	void (*settled)(void *arg);   /* all that was there has been read */
	const struct array *nexthops; /* borrowed: see look_for_uplinks() */
	void *arg;
};

/* @buffer: bytes that the kernel keeps for us. @config and @m are borrowed. */
int events_open(sd_event *event, uint32_t buffer, const struct config *config, struct model *m,
		const struct events_ops *ops, struct events **ret, struct pw_error *err);
struct events *events_close(struct events *e);
DEFINE_CLEANUP(struct events *, events_close);
