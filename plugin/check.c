/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check.h"

#include <inttypes.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>

#include "base/error.h"
#include "rtnl/addr.h"

static int check_link(struct nlsock *s, const char *name, const char *where, struct link_info *ret,
		      struct pw_error *err)
{
	int r = link_find(s, name, ret, err);

	if (r == 0)
		return pw_fail(err, ENODEV, PW_E_CHECK, "interface %s is missing %s", name, where);
	if (r < 0)
		return r;
	if (strcmp(ret->kind, "veth") != 0)
		return pw_fail(err, EINVAL, PW_E_CHECK, "interface %s %s is no veth", name, where);
	if (!(ret->flags & IFF_UP))
		return pw_fail(err, ENETDOWN, PW_E_CHECK, "interface %s %s is down", name, where);
	return 0;
}

int check_links(struct check *c, struct pw_error *err)
{
	int r = check_link(c->pod, c->plan->pod_ifname, "in pod", &c->pod_link, err);

	return r < 0 ? r
		     : check_link(c->host, c->plan->host_ifname, "on the node", &c->host_link, err);
}

/* Crosses off what is found; @want ends up with what is missing. */
struct search {
	int ifindex; /* of the device that a route must be by */
	bool *found;
	const struct plan *plan;
};

static int cross_off_address(const struct addr_info *addr, void *arg)
{
	struct search *s = arg;
	const struct cidr *want = s->plan->addresses.v;

	for (size_t i = 0; addr && i < s->plan->addresses.n; i++) {
		if (ipaddr_equal(&want[i].ip, &addr->address.ip))
			s->found[i] = true;
	}
	return 0;
}

int check_addresses(struct check *c, struct pw_error *err)
{
	_cleanup_(freep) bool *found = calloc(c->plan->addresses.n + 1, sizeof(*found));
	struct search s = { .found = found, .plan = c->plan };
	const struct cidr *want = c->plan->addresses.v;
	int r = 0;

	if (!found)
		return pw_oom(err);
	for (int f = 0; f < 2 && r == 0; f++) {
		if (c->plan->family[f])
			r = addr_dump(c->pod, f ? AF_INET6 : AF_INET, c->pod_link.ifindex,
				      cross_off_address, &s, err);
	}
	for (size_t i = 0; i < c->plan->addresses.n && r == 0; i++) {
		if (!found[i])
			r = pw_fail(err, EADDRNOTAVAIL, PW_E_CHECK,
				    "address %s is missing from %s in pod", CIDR_STR(&want[i]),
				    c->plan->pod_ifname);
	}
	return r;
}

static int cross_off_route(const struct route_info *route, void *arg)
{
	struct search *s = arg;
	const struct plan_route *want = s->plan->pod_routes.v;

	for (size_t i = 0; route && i < s->plan->pod_routes.n; i++) {
		if (route->ifindex == s->ifindex && cidr_equal(&want[i].route.dst, &route->dst))
			s->found[i] = true;
	}
	return 0;
}

/* In any table: sbr moves them. */
int check_pod_routes(struct check *c, struct pw_error *err)
{
	_cleanup_(freep) bool *found = calloc(c->plan->pod_routes.n + 1, sizeof(*found));
	struct search s = { .found = found, .plan = c->plan, .ifindex = c->pod_link.ifindex };
	const struct plan_route *want = c->plan->pod_routes.v;
	int r = 0;

	if (!found)
		return pw_oom(err);
	for (int f = 0; f < 2 && r == 0; f++) {
		if (c->plan->family[f])
			r = route_dump(c->pod, f ? AF_INET6 : AF_INET, 0, cross_off_route, &s, err);
	}
	for (size_t i = 0; i < c->plan->pod_routes.n && r == 0; i++) {
		if (!found[i])
			r = pw_fail(err, ENETUNREACH, PW_E_CHECK,
				    "route %s dev %s is missing in pod",
				    CIDR_STR(&want[i].route.dst), c->plan->pod_ifname);
	}
	return r;
}

/* Asks where the kernel sends a packet to the pod; no list of a thousand pods' routes. */
int check_host_routes(struct check *c, struct pw_error *err)
{
	const struct cidr *address = c->plan->addresses.v;
	int r = 0;

	for (size_t i = 0; i < c->plan->addresses.n && r >= 0; i++) {
		struct route_lookup via = {};

		r = route_lookup(c->host, &address[i].ip, &via, err);
		if (r >= 0 && via.ifindex != c->host_link.ifindex)
			r = pw_fail(err, EHOSTUNREACH, PW_E_CHECK,
				    "the node's route to %s does not lead to %s",
				    IPADDR_STR(&address[i].ip), c->plan->host_ifname);
	}
	return r < 0 ? r : 0;
}

int check_group(struct check *c, struct pw_error *err)
{
	if (c->host_link.group == c->plan->masq_group)
		return 0;
	return pw_fail(err, ENOENT, PW_E_CHECK,
		       "masquerading: interface %s is in link group %" PRIu32 ", not in %" PRIu32,
		       c->plan->host_ifname, c->host_link.group, c->plan->masq_group);
}
