/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Brings maps and programs to what the model says, and says in the ports what came of it. */
#include "config/config.h"
#include "sink/attach.h"

struct apply {
	struct datapath *dp; /* borrowed, all of them */
	struct attach *attach;
	const struct config *config;
	/* A fault that is new, once: for the log. */
	void (*report)(const struct port *port, const char *text, void *arg);
	void *arg;
	/*
	 * Without tcx: how long, in usec, others have a new pod's device to themselves. Chained
	 * plugins bring qdiscs and filters that ours would be in the way of.
	 */
	uint64_t patience;
	uint64_t next; /* when the first of those that wait is due; 0: none waits */
};

/*
 * Slots that were freed, ports that are dirty. Idempotent; a failure stays with its port. Attaching
 * a program costs an RCU grace period (6.18; milliseconds, more on a busy node), so a large node is
 * brought up in turns: 1 if @usec were over before all was done, and the rest is still dirty.
 */
int apply_model(struct apply *a, struct model *m, uint64_t usec, struct pw_error *err);
/* What is on the devices now, of which no event tells: into the ports. */
void apply_look(struct apply *a, struct model *m);
/*
 * Where apply_look() has missed ours, they are put on again the first time; the second time they
 * stay off, and the port says so.
 */
void apply_check(struct apply *a, struct model *m);
