/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Our values as libnl's addresses. New references, NULL when out of memory. */
#include <linux/if_arp.h>

#include "net/ipaddr.h"
#include "net/mac.h"
#include "netlink/auto.h"

static inline struct nl_addr *nladdr_from_ip(const struct ipaddr *a)
{
	return nl_addr_build(a->family, a->b, ipaddr_size(a));
}

static inline struct nl_addr *nladdr_from_cidr(const struct cidr *c)
{
	struct nl_addr *a = nladdr_from_ip(&c->ip);

	if (a)
		nl_addr_set_prefixlen(a, c->len);
	return a;
}

static inline struct nl_addr *nladdr_from_mac(const struct mac *m)
{
	return nl_addr_build(AF_LLC, m->b, sizeof(m->b));
}

/* The other way: an address attribute of @family. 0, or -EINVAL where its length is wrong. */
int nladdr_read(const struct nlattr *attr, int family, struct ipaddr *ret);
