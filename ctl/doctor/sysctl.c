/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Network settings of the node, and what pods and routes make of them. */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "doctor/doctor.h"
#include "doctor/root.h"
#include "rtnl/link.h"
#include "rtnl/route.h"

#define UPLINKS_MAX 32
#define RP_STRICT 1

static const struct family {
	const char *id, *name, *key, *file;
} families[2] = {
	{ "ipv4-forwarding-off", "IPv4", "net.ipv4.ip_forward", "net/ipv4/ip_forward" },
	{ "ipv6-forwarding-off", "IPv6", "net.ipv6.conf.all.forwarding",
	  "net/ipv6/conf/all/forwarding" },
};

static void forwarding(struct doctor *d)
{
	for (int i = 0; i < 2; i++) {
		const struct family *f = &families[i];
		long on = 0;
		int r = root_sysctl(d, f->file, &on);

		if (r == -ENOENT && !d->facts.pods[i])
			continue; /* the kernel hasn't got this family */
		if (r < 0) {
			doctor_say(d, SEVERITY_UNKNOWN, f->id, "%s can't be read: %s", f->key,
				   strerror(-r));
			continue;
		}
		if (on || !d->facts.pods[i]) {
			doctor_say(d, SEVERITY_OK, f->id, "%s is %ld%s", f->key, on,
				   on ? "" : ": the first pod switches it on");
			continue;
		}
		doctor_say(d, SEVERITY_BROKEN, f->id, "%s is 0, and there are pods with %s", f->key,
			   f->name);
		doctor_remedy(d, "sysctl -w %s=1, and mend what set it back in /etc/sysctl.d",
			      f->key);
	}
}

struct uplink {
	int ifindex;
	bool advertised; /* an IPv6 default route from a router's advertisement */
};

struct uplinks {
	struct uplink v[UPLINKS_MAX];
	size_t n, before;
	int family;
};

static int take_default(const struct route_info *route, void *arg)
{
	struct uplinks *up = arg;
	size_t i = 0;

	if (!route) { /* the dump begins again */
		up->n = up->before;
		return 0;
	}
	if (!cidr_is_default(&route->dst) || route->type != RTN_UNICAST || route->ifindex <= 0)
		return 0;
	while (i < up->n && up->v[i].ifindex != route->ifindex)
		i++;
	if (i == UPLINKS_MAX)
		return 0;
	if (i == up->n)
		up->v[up->n++] = (struct uplink){ .ifindex = route->ifindex };
	up->v[i].advertised |= up->family == AF_INET6 && route->protocol == RTPROT_RA;
	return 0;
}

static int find_uplinks(struct doctor *d, struct uplinks *up, int family, struct pw_error *err)
{
	up->before = up->n;
	up->family = family;
	return route_dump(d->route, family, RT_TABLE_MAIN, take_default, up, err);
}

static int device_sysctl(const struct doctor *d, const char *family, const char *device,
			 const char *key, long *ret)
{
	char path[96];

	(void)snprintf(path, sizeof(path), "net/%s/conf/%s/%s", family, device, key);
	return root_sysctl(d, path, ret);
}

/* The kernel takes the larger of the device's and of what is for all. */
static long rp_filter(const struct doctor *d, const char *device)
{
	long all = 0, own = 0;

	(void)device_sysctl(d, "ipv4", "all", "rp_filter", &all);
	(void)device_sysctl(d, "ipv4", device, "rp_filter", &own);
	return all > own ? all : own;
}

static void asymmetric_routes(struct doctor *d, const struct uplinks *up)
{
	size_t strict = 0;
	char name[IF_NAMESIZE], first[IF_NAMESIZE] = "";

	for (size_t i = 0; i < up->n; i++) {
		if (!if_indextoname((unsigned int)up->v[i].ifindex, name) ||
		    rp_filter(d, name) != RP_STRICT)
			continue;
		if (strict++ == 0)
			memcpy(first, name, sizeof(first));
	}
	if (strict == 0 || up->n < 2) {
		doctor_say(d, SEVERITY_OK, "rp-filter-strict",
			   "%zu uplinks, %zu with strict rp_filter", up->n, strict);
		return;
	}
	doctor_say(d, SEVERITY_WARNING, "rp-filter-strict",
		   "%zu devices have default routes, and %zu of them (%s) a strict rp_filter: what "
		   "comes in by another one than the answer would take is dropped",
		   up->n, strict, first);
	doctor_remedy(d,
		      "sysctl -w net.ipv4.conf.%s.rp_filter=2 and net.ipv4.conf.all.rp_filter=0, "
		      "unless each route's answers come in by its own device",
		      first);
}

static void pods_rp_filter(struct doctor *d)
{
	long all = 0;
	int r = device_sysctl(d, "ipv4", "all", "rp_filter", &all);

	if (r < 0) {
		doctor_say(d, SEVERITY_UNKNOWN, "rp-filter-pods",
			   "net.ipv4.conf.all.rp_filter can't be read: %s", strerror(-r));
		return;
	}
	if (all != RP_STRICT || !d->facts.unchecked_pods) {
		doctor_say(d, SEVERITY_OK, "rp-filter-pods", "net.ipv4.conf.all.rp_filter is %ld",
			   all);
		return;
	}
	doctor_say(d, SEVERITY_WARNING, "rp-filter-pods",
		   "net.ipv4.conf.all.rp_filter is 1, and some pods may send from other addresses "
		   "(sourceCheck, allowedSources): the kernel drops that");
	doctor_remedy(d, "sysctl -w net.ipv4.conf.all.rp_filter=0, and 1 for single devices");
}

/* A host that forwards takes no advertisements with accept_ra=1, and its route ends. */
static void router_advertisements(struct doctor *d, const struct uplinks *up)
{
	for (size_t i = 0; i < up->n; i++) {
		char name[IF_NAMESIZE];
		long accept = 0, forwards = 0;

		if (!up->v[i].advertised || !if_indextoname((unsigned int)up->v[i].ifindex, name))
			continue;
		(void)device_sysctl(d, "ipv6", name, "accept_ra", &accept);
		(void)device_sysctl(d, "ipv6", name, "forwarding", &forwards);
		if (!forwards || accept != 1) {
			doctor_say(d, SEVERITY_OK, "accept-ra-lost", "%s: accept_ra is %ld", name,
				   accept);
			continue;
		}
		doctor_say(
			d, SEVERITY_WARNING, "accept-ra-lost",
			"%s has its IPv6 default route from advertisements, and takes no more of "
			"them: it forwards, and accept_ra is 1. The route ends soon",
			name);
		doctor_remedy(d, "sysctl -w net.ipv6.conf.%s.accept_ra=2", name);
	}
}

static void routes(struct doctor *d)
{
	struct uplinks up = {};
	struct pw_error err = { .msg = "no netlink socket" };
	int r = d->route ? find_uplinks(d, &up, AF_INET, &err) : -ENOTCONN;

	if (r >= 0)
		r = find_uplinks(d, &up, AF_INET6, &err);
	if (r < 0) {
		doctor_say(d, SEVERITY_UNKNOWN, "uplinks", "no routes could be read: %s", err.msg);
		return;
	}
	asymmetric_routes(d, &up);
	router_advertisements(d, &up);
}

static void conntrack(struct doctor *d)
{
	long count, max;

	if (root_sysctl(d, "net/netfilter/nf_conntrack_count", &count) < 0 ||
	    root_sysctl(d, "net/netfilter/nf_conntrack_max", &max) < 0 || max <= 0)
		return; /* nothing is tracked here */
	if (count < max / 10 * 8) {
		doctor_say(d, SEVERITY_OK, "conntrack-full", "%ld of %ld connections are tracked",
			   count, max);
		return;
	}
	doctor_say(d, count >= max - max / 50 ? SEVERITY_BROKEN : SEVERITY_WARNING,
		   "conntrack-full",
		   "%ld of %ld connections are tracked: beyond that, new ones are dropped", count,
		   max);
	doctor_remedy(d,
		      "sysctl -w net.netfilter.nf_conntrack_max=%ld, and the same in "
		      "/etc/sysctl.d (kube-proxy sets it as well: --conntrack-max-per-core)",
		      max > 1L << 28 ? max : max * 2);
}

void check_sysctls(struct doctor *d)
{
	static doctor_check *const checks[] = { forwarding, pods_rp_filter, routes, conntrack };

	for (size_t i = 0; i < ARRAY_COUNT(checks); i++)
		checks[i](d);
}
