/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What a plan needs to know of the node: its default routes' source addresses and device. */
#include "net/ipaddr.h"
#include "netconf.h"

struct nlsock;

#define FALLBACK_MTU 1500 /* bytes: on a node without a default route */

struct facts {
	struct ipaddr source[2]; /* IPv4, IPv6; family 0: none */
	uint32_t mtu;            /* of the default route's device */
};

/* What @conf says itself isn't asked for. */
int facts_gather(struct nlsock *host, const struct netconf *conf, struct facts *ret,
		 struct pw_error *err);
