/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What rtnetlink messages say, as values; the same in dumps and in events. */
#include <linux/netlink.h>
#include <stdbool.h>

#include "model/model.h"

/* What else stands in a link's message. */
struct link_more {
	uint32_t xdp_prog_id; /* of a driver's or generic program; 0: none */
};

/* False for what isn't about a link itself (a bridge speaks of its ports as well). */
bool message_link(const struct nlmsghdr *nlh, struct link_seen *ret, struct link_more *ret_more);
/* False where there's no MAC that holds now. */
bool message_neighbour(const struct nlmsghdr *nlh, int *ret_ifindex, struct ipaddr *ret_ip,
		       struct mac *ret_mac);
/*
 * A route's destination and devices (of several next hops: all that fit). One by a nexthop object
 * may name that alone, see net.ipv4.nexthop_compat_mode.
 */
struct route_seen {
	struct cidr dst;
	int ifindex[16];
	size_t n;
	uint32_t nexthop; /* id; 0: none */
	uint32_t table;
	uint8_t type;
};
bool message_route(const struct nlmsghdr *nlh, struct route_seen *ret);
/* A nexthop object: its device, or, if it's a group, the nexthops in it (all that fit). */
struct nexthop_seen {
	uint32_t id;
	int ifindex; /* 0: none */
	uint32_t member[32];
	size_t n;
};
bool message_nexthop(const struct nlmsghdr *nlh, struct nexthop_seen *ret);
/* A qdisc's or a filter's device; its kind. */
struct tc_seen {
	int ifindex;
	uint32_t parent, handle, info;
	char kind[16];
};
bool message_tc(const struct nlmsghdr *nlh, struct tc_seen *ret);
