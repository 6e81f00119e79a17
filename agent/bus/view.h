/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a port looks like on the bus: its properties' values, of their own
 *
 * The vtables' properties are members of this, in the type that sd-bus reads by itself (so a bool
 * is an int, a list of strings a NULL-terminated array). Strings are good for the bus, see
 * bus_text().
 */
#include "model/port.h"

struct view {
	/* of every port */
	char *ifname;
	int32_t ifindex;
	const char *state, *path, *path_reason; /* static */
	char *path_detail;

	/* attachments; without a record, all empty */
	char *namespace, *name, *uid;
	char *container_id, *network, *interface;
	char **addresses;         /* ADDRESS/LENGTH */
	struct array ips;         /* struct ipaddr: the same, to be found by */
	const char *source_check; /* static */

	/* devices */
	char *driver, *kind;
	int can_take_frames;
};

/* Return 0 or -ENOMEM. */
int view_of_attachment(const struct port *port, struct view *ret);
int view_of_device(const struct port *port, struct view *ret);
void view_done(struct view *view);
