/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel is asked where it would send a packet to an address that nobody has (documentation
 * prefixes, RFC 5737 and 3849): one lookup that goes through rules and tables as traffic does, and
 * costs the same with a thousand pods, where a dump of routes would not.
 */
#include "facts.h"

#include <sys/socket.h>

#include "base/error.h"
#include "rtnl/link.h"
#include "rtnl/route.h"

static const struct ipaddr somewhere[2] = {
	{ .family = AF_INET, .b = { 192, 0, 2, 1 } },
	{ .family = AF_INET6, .b = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 } },
};

int facts_gather(struct nlsock *host, const struct netconf *conf, struct facts *ret,
		 struct pw_error *err)
{
	struct facts facts = { .mtu = conf->options.mtu };
	struct link_info link;
	int ifindex = 0, r;

	for (size_t f = 0; f < 2; f++) {
		struct route_lookup via = {};

		r = route_lookup(host, &somewhere[f], &via, err);
		if (r < 0)
			return r;
		/* a link-local source is good on its own link only */
		if (r > 0 && via.src.family && !ipaddr_is_linklocal(&via.src))
			facts.source[f] = via.src;
		if (r > 0 && !ifindex)
			ifindex = via.ifindex;
		if (conf->host_address[f].family)
			facts.source[f] = conf->host_address[f];
	}

	if (!facts.mtu && ifindex) {
		r = link_find_index(host, ifindex, &link, err);
		if (r < 0)
			return r;
		facts.mtu = r > 0 ? link.mtu : 0;
	}
	if (!facts.mtu || facts.mtu > 65535)
		facts.mtu = FALLBACK_MTU;
	*ret = facts;
	return 0;
}
