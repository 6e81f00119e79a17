/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/if.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/sysctl.h"
#include "forwarding.h"
#include "netlink/sock.h"
#include "rtnl/addr.h"
#include "rtnl/announce.h"
#include "rtnl/neigh.h"
#include "rtnl/route.h"
#include "rtnl/veth.h"
#include "wiring.h"

/* Both ends as the kernel has them now. */
static int find_ends(struct wiring *w, struct pw_error *err)
{
	int r;

	r = link_find(w->session.host, w->plan.host_ifname, &w->host_link, err);
	if (r == 0)
		return pw_fail(err, ENODEV, PW_E_NETLINK, "link %s vanished as it was made",
			       w->plan.host_ifname);
	if (r > 0)
		r = link_find(w->pod, w->plan.pod_ifname, &w->pod_link, err);
	if (r == 0)
		return pw_fail(err, ENODEV, PW_E_NETLINK, "link %s in pod vanished as it was made",
			       w->plan.pod_ifname);
	return r < 0 ? r : 0;
}

/* One of two names is taken; the pod's was free when we looked. */
static int explain_taken(struct wiring *w, struct pw_error *err)
{
	struct link_info there;

	if (link_find(w->session.host, w->plan.host_ifname, &there, NULL) > 0)
		return pw_fail(err, EEXIST, PW_E_EXISTS,
			       "link %s is there already, without a record of this attachment",
			       w->plan.host_ifname);
	return pw_fail(err, EEXIST, PW_E_EXISTS, "interface %s is there already in pod (%s)",
		       w->plan.pod_ifname, w->req->netns);
}

int wire_link(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	const struct veth_spec spec = {
		.host_ifname = w->plan.host_ifname,
		.pod_ifname = w->plan.pod_ifname,
		.host_mac = w->plan.host_mac,
		.pod_mac = w->plan.pod_mac,
		.mtu = w->plan.mtu,
		.queues = w->plan.queues,
	};
	int r;

	r = veth_create(w->session.host, &spec, w->netns_fd, err);
	if (r == -EEXIST)
		return explain_taken(w, err);
	if (r < 0)
		return r;
	w->link_made = true;
	return find_ends(w, err);
}

int wire_forwarding(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	return forwarding_ensure(w->session.host, w->session.runtime_fd, w->plan.family, err);
}

/* Days. A reachable entry lives 0.5 to 1.5 times as long, in ticks (of 1 ms, perhaps) in an int. */
#define REACHABLE_MS 1000000000

static bool has_proxied_gateway(const struct plan *plan)
{
	const struct ipaddr *gateway = plan->gateways.v;

	for (size_t i = 0; i < plan->gateways.n; i++) {
		if (gateway[i].family == AF_INET6 && !ipaddr_is_linklocal(&gateway[i]))
			return true;
	}
	return false;
}

/* A default of disable_ipv6=1 on the node would leave the pod's IPv6 without its other end. */
static int set_ipv6_sysctls(const struct wiring *w, struct pw_error *err)
{
	const char *ifname = w->plan.host_ifname;
	int r = 0;

	if (w->host_link.ipv6_off)
		r = sysctl_ensure("ipv6/conf", ifname, "disable_ipv6", "0", err);
	if (r == 0 && !w->host_link.ipv6_forwards)
		r = sysctl_ensure("ipv6/conf", ifname, "forwarding", "1", err);
	if (r == 0 && has_proxied_gateway(&w->plan))
		r = sysctl_ensure("ipv6/conf", ifname, "proxy_ndp", "1", err);
	return r;
}

/*
 * An end that has no use for IPv6 has none: the kernel walks over all of its IPv6 routes when one
 * goes up (2 ms with a thousand of them), and sends reports of multicast groups to the pod.
 *
 * What the kernel knows of the pod's MAC lasts, since a pod may be set up not to answer an ARP
 * request of the node (rp_filter); and an answer on behalf of the gateway isn't put off.
 */
int wire_host_config(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	const struct link_change change = {
		.no_linklocal = w->plan.family[1],
		.ipv4_forwarding = w->plan.family[0],
		.proxy_arp = w->plan.family[0],
		.rp_filter = w->plan.rp_filter,
		.group = w->plan.masq_group,
	};
	int r = 0;

	if (!w->plan.family[0] && !w->plan.family[1])
		return 0;
	if (w->plan.family[1])
		r = set_ipv6_sysctls(w, err);
	else
		r = sysctl_ensure("ipv6/conf", w->plan.host_ifname, "disable_ipv6", "1", err);
	for (int f = 0; f < 2 && r == 0; f++) {
		if (w->plan.family[f])
			r = neigh_tune(w->session.host, f ? AF_INET6 : AF_INET,
				       w->host_link.ifindex, w->plan.host_ifname, REACHABLE_MS, 0,
				       err);
	}
	return r < 0 ? r : link_change(w->session.host, &w->host_link, &change, err);
}

int wire_host_up(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	const struct link_change up = { .up = true, .alias = w->plan.alias, .rp_filter = -1 };

	return link_change(w->session.host, &w->host_link, &up, err);
}

/* The gateway's address, so that a pod can ask for it and ICMPv6 errors have a source. */
int wire_host_address(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	const struct cidr linklocal = { .ip = plan_gateway[1], .len = 64 };

	if (!w->plan.family[1])
		return 0;
	return addr_add(w->session.host, w->host_link.ifindex, w->plan.host_ifname, &linklocal,
			false, err);
}

/*
 * The pod is known without asking, but may say that its MAC is another one now (a plugin behind us
 * may change it), which a permanent entry would not hear. The other way round, a pod that has lost
 * its own entry by that asks for the gateway: IPv4's is answered for by proxy_arp, fe80::1 is an
 * address of this end, and any other gateway of IPv6 needs to be named.
 */
int wire_host_neighbour(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	const struct cidr *address = w->plan.addresses.v;
	const struct ipaddr *gateway = w->plan.gateways.v;
	int r = 0;

	for (size_t i = 0; i < w->plan.addresses.n && r == 0; i++)
		r = neigh_set(w->session.host, w->host_link.ifindex, w->plan.host_ifname,
			      &address[i].ip, &w->pod_link.mac, NEIGH_LEARNED, err);
	for (size_t i = 0; i < w->plan.gateways.n && r == 0; i++) {
		if (gateway[i].family == AF_INET6 && !ipaddr_is_linklocal(&gateway[i]))
			r = neigh_set(w->session.host, w->host_link.ifindex, w->plan.host_ifname,
				      &gateway[i], NULL, NEIGH_PROXY, err);
	}
	return r;
}

/*
 * Until now the node may have taken the pod's address for a neighbour's: on a subnet of its own
 * that holds it. Must be asked before the pod's route says otherwise.
 */
static int find_neighbourhood(struct wiring *w, struct pw_error *err)
{
	const struct cidr *address = w->plan.addresses.v;
	struct neighbourhood *to;

	for (size_t i = 0; i < w->plan.addresses.n; i++) {
		struct route_lookup via = {};
		int r;

		r = route_lookup(w->session.host, &address[i].ip, &via, err);
		if (r < 0)
			return r;
		if (r == 0 || !via.onlink)
			continue;
		to = array_grow(&w->neighbourhoods, sizeof(*to), 1);
		if (!to)
			return pw_oom(err);
		*to = (struct neighbourhood){ via.ifindex, address[i].ip };
	}
	return 0;
}

/* Replace: a fixed address may still have the route of the pod that it is moving from. */
int wire_host_route(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	struct route *route = w->plan.host_routes.v;
	int r = find_neighbourhood(w, err);

	for (size_t i = 0; i < w->plan.host_routes.n && r == 0; i++) {
		route[i].ifindex = w->host_link.ifindex;
		r = route_set(w->session.host, &route[i], ROUTE_REPLACE, w->plan.host_ifname, err);
	}
	return r;
}

/* Whether the node answers for others' addresses on @ifname; only then does anybody ask it. */
static bool is_proxy(const char *ifname, int family)
{
	char key[64];
	int on = 0;

	snprintf(key, sizeof(key),
		 family == AF_INET6 ? "ipv6/conf/%s/proxy_ndp" : "ipv4/conf/%s/proxy_arp", ifname);
	return sysctl_read_int(key, &on, NULL) == 0 && on;
}

/* The pod's link is new and its neighbours are set: only the node's own links can be out of date.
 */
int wire_announce(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	const struct neighbourhood *at = w->neighbourhoods.v;
	int r = 0;

	for (size_t i = 0; i < w->neighbourhoods.n && r >= 0; i++) {
		struct link_info link = {};

		r = link_find_index(w->session.host, at[i].ifindex, &link, err);
		/* another pod's, from which a fixed address has moved: nobody else asks there */
		if (r <= 0 || attachment_is_host_ifname(link.name))
			continue;
		r = neigh_remove(w->session.host, link.ifindex, &at[i].ip, err);
		if (r >= 0 && is_proxy(link.name, at[i].ip.family))
			r = announce(link.ifindex, link.name, &link.mac, &at[i].ip, err);
	}
	return r < 0 ? r : 0;
}

#define CARRIER_TRIES 200
#define CARRIER_PAUSE_MS 5

/* 1 once the link sends: until then the kernel drops what it is given, and says nothing. */
static int is_running(struct nlsock *s, int ifindex, struct pw_error *err)
{
	struct link_info link = {};
	int r = link_find_index(s, ifindex, &link, err);

	return r <= 0 ? r : (link.flags & IFF_RUNNING) && (link.flags & IFF_LOWER_UP);
}

/*
 * A link that was set up sends only when the kernel's link watch has been by. Asking for the link
 * brings it along (Linux 6.8, facd15dfd691); before that there's nothing but to look again. A pod
 * that can't send within a second has other troubles, and is CHECK's.
 */
int wire_carrier(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;

	for (int i = 0; i < CARRIER_TRIES; i++) {
		int host = is_running(w->session.host, w->host_link.ifindex, err);
		int pod = host > 0 ? is_running(w->pod, w->pod_link.ifindex, err) : 0;

		if (host < 0 || pod < 0)
			return host < 0 ? host : pod;
		if (pod > 0)
			return 0;
		(void)poll(NULL, 0, CARRIER_PAUSE_MS);
	}
	return 0;
}
