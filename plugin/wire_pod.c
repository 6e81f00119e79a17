/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/sysctl.h"
#include "netlink/netns.h"
#include "netlink/sock.h"
#include "rtnl/addr.h"
#include "rtnl/neigh.h"
#include "wiring.h"

/* Metric of a route that another attachment has already: beyond those that people choose. */
#define SHIFTED_METRIC 100000u

int wire_pod_socket(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	struct link_info there;
	int r;

	r = netns_socket(w->netns_fd, NETLINK_ROUTE, &w->pod, err);
	if (r < 0)
		return r;
	nlsock_set_place(w->pod, " in pod");

	r = link_find(w->pod, w->req->ifname, &there, err);
	if (r > 0)
		return pw_fail(err, EEXIST, PW_E_EXISTS,
			       "interface %s is there already in pod (%s)", w->req->ifname,
			       w->req->netns);
	return r;
}

/*
 * A runtime may have made the namespace with IPv6 off. And a pod whose MAC is changed (by tuning,
 * or from inside) tells it, as the node's entry for it would be wrong.
 */
static int set_ipv6_sysctls(void *arg, struct pw_error *err)
{
	const struct wiring *w = arg;
	int r = 0;

	if (w->pod_link.ipv6_off)
		r = sysctl_ensure("ipv6/conf", w->plan.pod_ifname, "disable_ipv6", "0", err);
	if (r == 0)
		r = sysctl_ensure("ipv6/conf", w->plan.pod_ifname, "ndisc_notify", "1", err);
	return r < 0 ? pw_context(err, "in pod") : 0;
}

int wire_pod_sysctl(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;

	return w->plan.family[1] ? netns_call(w->netns_fd, set_ipv6_sysctls, w, err) : 0;
}

/*
 * Addresses keep the prefix length that IPAM gave, for those who look, but no connected route:
 * nobody else is on this link. The link-local address is ours as well, as the kernel's would be
 * tentative for a second.
 */
int wire_pod_address(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	const struct link_change own_linklocal = { .no_linklocal = true, .rp_filter = -1 };
	const struct cidr linklocal = { .ip = mac_linklocal(&w->pod_link.mac), .len = 64 };
	const struct cidr *address = w->plan.addresses.v;
	const char *ifname = w->plan.pod_ifname;
	int r = 0;

	if (w->plan.family[1]) {
		r = link_change(w->pod, &w->pod_link, &own_linklocal, err);
		if (r == 0)
			r = addr_add(w->pod, w->pod_link.ifindex, ifname, &linklocal, false, err);
	}
	for (size_t i = 0; i < w->plan.addresses.n && r == 0; i++)
		r = addr_add(w->pod, w->pod_link.ifindex, ifname, &address[i], true, err);
	return r;
}

int wire_pod_up(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	const struct link_change up = { .up = true,
					.arp_notify = w->plan.family[0],
					.rp_filter = -1 };

	return link_change(w->pod, &w->pod_link, &up, err);
}

int wire_pod_neighbour(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	const struct ipaddr *gateway = w->plan.gateways.v;
	int r = 0;

	for (size_t i = 0; i < w->plan.gateways.n && r == 0; i++)
		r = neigh_set(w->pod, w->pod_link.ifindex, w->plan.pod_ifname, &gateway[i],
			      &w->host_link.mac, NEIGH_PERMANENT, err);
	if (r == 0 && w->plan.family[1])
		r = neigh_set(w->pod, w->pod_link.ifindex, w->plan.pod_ifname, &plan_gateway[1],
			      &w->host_link.mac, NEIGH_PERMANENT, err);
	return r;
}

struct default_search {
	int ifindex; /* of a default route's device; 0: there's none */
};

static int find_default(const struct route_info *route, void *arg)
{
	struct default_search *search = arg;

	if (!route)
		search->ifindex = 0;
	else if (cidr_is_default(&route->dst) && route->type == RTN_UNICAST)
		search->ifindex = route->ifindex;
	return 0;
}

/* Two default routes: which one a packet takes would depend on which pod interface came first. */
static int refuse_second_default(struct wiring *w, const struct route *route, struct pw_error *err)
{
	struct default_search search = {};
	struct link_info link = {};
	int r;

	if (!cidr_is_default(&route->dst) || route->table || w->conf->has_route_metric)
		return 0;
	r = route_dump(w->pod, route->dst.ip.family, RT_TABLE_MAIN, find_default, &search, err);
	if (r < 0 || !search.ifindex)
		return r;
	(void)link_find_index(w->pod, search.ifindex, &link, NULL);
	return pw_fail(err, EEXIST, PW_E_EXISTS,
		       "cannot add default route %s dev %s in pod: there is one already, via %s "
		       "(set routeMetric to have both)",
		       CIDR_STR(&route->dst), w->plan.pod_ifname, link.name);
}

static int set_route(struct wiring *w, struct route route, bool may_shift, struct pw_error *err)
{
	int r = route_set(w->pod, &route, ROUTE_ADD, w->plan.pod_ifname, err);

	if (r != -EEXIST || !may_shift)
		return r;
	route.metric += SHIFTED_METRIC + (uint32_t)route.ifindex;
	return route_set(w->pod, &route, ROUTE_ADD, w->plan.pod_ifname, err);
}

/*
 * The kernel takes no onlink gateway of IPv6 that another device leads to as well, which the same
 * gateway on a second attachment is. Ours leads to the same end of the link.
 */
static int add_route(struct wiring *w, const struct plan_route *planned, struct pw_error *err)
{
	struct route route = planned->route;
	int r;

	route.ifindex = w->pod_link.ifindex;
	r = refuse_second_default(w, &route, err);
	if (r < 0)
		return r;
	r = set_route(w, route, planned->may_shift, err);
	if (r == -EINVAL && route.gateway.family == AF_INET6) {
		route.gateway = plan_gateway[1];
		r = set_route(w, route, planned->may_shift, err);
	}
	return r;
}

int wire_pod_route(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	const struct plan_route *route = w->plan.pod_routes.v;
	int r = 0;

	for (size_t i = 0; i < w->plan.pod_routes.n && r == 0; i++)
		r = add_route(w, &route[i], err);
	return r;
}
