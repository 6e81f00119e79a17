/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Programs as filters of a device's clsact qdisc, where the kernel has no tcx
 *
 * The qdisc holds the filters, whoever runs. One that we added is remembered as a directory
 * BPFFS/clsact/IFINDEX (bpffs has no files of its own), and goes with our filters: unless somebody
 * has put a filter into it meanwhile. From then on it's theirs.
 */
#include <stdbool.h>
#include <stdint.h>

#include "model/port.h"

struct pw_error;

/* Of ours. */
unsigned int filter_priority(void);

/* Which program is there as our filter, by its ID; 0: none. */
uint32_t filter_program(int ifindex, bool egress);
/* The ID of one that is loaded. */
uint32_t filter_program_id(int prog_fd);

/*
 * Makes @prog_fd (by whose name messages call it) our filter, in place of an older one without a
 * gap. -EBUSY: what is there is an ingress qdisc, which has no room for what goes out. 1 if there
 * was none of ours before.
 */
int filter_put(const char *bpffs, const struct port *port, bool egress, int prog_fd,
	       const char *name, struct pw_error *err);

/* Takes ours off, and the qdisc if it's of no other use. Of a device that is gone, forgets it. */
void filter_drop(const char *bpffs, int ifindex);

/* Forgets qdiscs of devices that are no more. */
int filter_sweep(const char *bpffs, struct pw_error *err);
