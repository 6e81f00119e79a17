/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The identity of an attachment: (network, container id, interface name in the pod). The name of
 * its host end is made from it, so that all of plugin and agent find it without a table.
 */
#include <stdbool.h>

#define HOST_IFNAME_PREFIX "vethpw"
#define HOST_IFNAME_LEN 16 /* IFNAMSIZ: "vethpw", nine hex digits and the NUL */

struct attachment {
	const char *network; /* borrowed, all three */
	const char *container_id;
	const char *ifname;
};

bool attachment_equal(const struct attachment *a, const struct attachment *b);
/* Whether a link, by its name, is a host end of ours. */
bool attachment_is_host_ifname(const char *ifname);
void attachment_host_ifname(const struct attachment *a, char ret[HOST_IFNAME_LEN]);
