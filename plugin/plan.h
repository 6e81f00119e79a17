/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a pod's network is to be, as values: pure, so that ADD carries it out, CHECK compares the
 * kernel with it, and both can be tested without one. Interface indices are 0 in here: they are
 * known only when the links are there.
 */
#include "facts.h"
#include "netconf.h"
#include "nft/masq.h"
#include "request.h"
#include "result.h"
#include "rtnl/route.h"
#include "store/attachment.h"

struct plan_route {
	struct route route;
	/* One that another attachment may have as well (the subnet's): it then gets a larger
	 * metric. */
	bool may_shift;
};

struct plan {
	char host_ifname[HOST_IFNAME_LEN];
	const char *pod_ifname; /* borrowed from the request */
	struct mac host_mac, pod_mac;
	uint32_t mtu, queues;
	char alias[256];
	int rp_filter; /* of the host end; -1: as it is */

	bool family[2];            /* IPv4, IPv6 in use */
	struct array addresses;    /* struct cidr, of the pod */
	struct array gateways;     /* struct ipaddr, each once: neighbours of the pod */
	struct array pod_routes;   /* struct plan_route */
	struct array host_routes;  /* struct route, one an address */
	struct array masq_exclude; /* struct cidr */
	uint32_t masq_group;       /* of the host end; 0: not masqueraded */
};

/* The links: names, addresses, MTU. */
int plan_links(const struct request *req, const struct netconf *conf, const struct facts *facts,
	       struct plan *plan, struct pw_error *err);
/* Addresses, routes and neighbours, from what IPAM (or, for CHECK, prevResult) gave. */
int plan_network(const struct netconf *conf, const struct facts *facts, const struct result *given,
		 struct plan *plan, struct pw_error *err);
void plan_done(struct plan *plan);

/* How the pod is masqueraded, where it is; borrows of both. */
struct masq_list plan_masq_list(const struct plan *plan, const struct netconf *conf);

/* Whether @planned is what became of IPAM's route @given. */
bool plan_is_for(const struct plan_route *planned, const struct netconf *conf,
		 const struct result_route *given);

/* The address that the pod's routes of this family go through, in the default mode. */
extern const struct ipaddr plan_gateway[2];
