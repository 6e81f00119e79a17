/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/look.h"

#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/msg.h>
#include <string.h>

#include "base/error.h"
#include "netlink/auto.h"
#include "source/driver.h"
#include "source/message.h"
#include "source/nexthops.h"

struct links {
	struct array v; /* struct link_seen */
	bool oom;
};

static int take_link(const struct nlmsghdr *nlh, void *arg)
{
	struct links *links = arg;
	struct link_seen link, *to;

	if (!nlh) {
		array_done(&links->v);
		return 0;
	}
	if (!message_link(nlh, &link, NULL))
		return 0;
	to = array_grow(&links->v, sizeof(*to), 1);
	if (!to)
		return -ENOMEM;
	*to = link;
	return 0;
}

static int dump(struct nlsock *s, int type, int family, nlsock_reply_t reply, void *arg,
		const char *what, struct pw_error *err)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = nlmsg_alloc_simple(type, 0);
	/* the longest of the headers: strict checking wants it, and zero says nothing in all */
	struct ifinfomsg ifi = { .ifi_family = (unsigned char)family };
	struct rtmsg rtm = { .rtm_family = (unsigned char)family };
	struct ndmsg ndm = { .ndm_family = (unsigned char)family };
	const void *header = type == RTM_GETROUTE   ? (void *)&rtm
			     : type == RTM_GETNEIGH ? (void *)&ndm
						    : (void *)&ifi;
	size_t len = type == RTM_GETROUTE   ? sizeof(rtm)
		     : type == RTM_GETNEIGH ? sizeof(ndm)
					    : sizeof(ifi);

	if (!msg || nlmsg_append(msg, (void *)header, len, NLMSG_ALIGNTO) < 0)
		return pw_oom(err);
	return nlsock_dump(s, msg, reply, arg, err, "cannot list %s", what);
}

struct uplinks {
	const struct config *config;
	struct array index;    /* uint32_t: devices of their routes */
	struct array nexthops; /* uint32_t: objects that these go by */
	bool unresolved;       /* some name nothing else */
};

static void uplinks_done(struct uplinks *u)
{
	array_done(&u->index);
	array_done(&u->nexthops);
}

bool look_is_uplink_route(const struct config *config, const struct cidr *dst)
{
	const struct cidr *wanted = config->uplink_routes.v;

	if (config->uplinks.n)
		return false;
	if (dst->len == 0)
		return true;
	for (size_t i = 0; i < config->uplink_routes.n; i++) {
		if (wanted[i].len == dst->len && ipaddr_equal(&wanted[i].ip, &dst->ip))
			return true;
	}
	return false;
}

static int take_route(const struct nlmsghdr *nlh, void *arg)
{
	struct uplinks *u = arg;
	struct route_seen route;
	int r = 0;

	if (!nlh) {
		uplinks_done(u);
		return 0;
	}
	if (!message_route(nlh, &route) || route.type != RTN_UNICAST ||
	    route.table != RT_TABLE_MAIN || !look_is_uplink_route(u->config, &route.dst))
		return 0;
	for (size_t i = 0; i < route.n && r == 0; i++)
		r = nexthops_remember(&u->index, (uint32_t)route.ifindex[i]);
	if (!route.nexthop || r < 0)
		return r;
	u->unresolved |= route.n == 0;
	return nexthops_remember(&u->nexthops, route.nexthop);
}

static bool is_named(const struct config *config, const char *name)
{
	const char(*names)[16] = config->uplinks.v;

	for (size_t i = 0; i < config->uplinks.n; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

static bool is_uplink(const struct uplinks *u, const struct link_seen *link)
{
	if (u->config->uplinks.n)
		return is_named(u->config, link->name);
	return nexthops_has(&u->index, (uint32_t)link->ifindex) && strcmp(link->name, "lo") != 0;
}

static int find_uplinks(struct nlsock *s, struct uplinks *u, struct pw_error *err)
{
	int r;

	if (u->config->uplinks.n)
		return 0;
	r = dump(s, RTM_GETROUTE, AF_INET, take_route, u, "IPv4 routes", err);
	if (r < 0)
		return r;
	/* (a restart of this dump would forget the first one's: one family at a time) */
	struct uplinks six = { .config = u->config };
	r = dump(s, RTM_GETROUTE, AF_INET6, take_route, &six, "IPv6 routes", err);
	for (size_t i = 0; i < six.index.n && r == 0; i++)
		r = nexthops_remember(&u->index, ((uint32_t *)six.index.v)[i]);
	for (size_t i = 0; i < six.nexthops.n && r == 0; i++)
		r = nexthops_remember(&u->nexthops, ((uint32_t *)six.nexthops.v)[i]);
	u->unresolved |= six.unresolved;
	uplinks_done(&six);
	if (r < 0 || !u->unresolved)
		return r;
	return nexthops_resolve(s, &u->nexthops, &u->index, err);
}

static int apply_links(struct links *links, const struct uplinks *u, bool uplinks_only,
		       struct model *m, struct pw_error *err)
{
	struct link_seen *link = links->v.v;
	struct array kept = {};
	int r = 0;

	for (size_t i = 0; i < links->v.n && r == 0; i++) {
		int *to;

		if (!is_uplink(u, &link[i])) {
			if (!uplinks_only)
				r = model_link_seen(m, &link[i], err);
			continue;
		}
		to = array_grow(&kept, sizeof(*to), 1);
		if (!to)
			r = pw_oom(err);
		else
			*to = link[i].ifindex;
		driver_find(link[i].name, link[i].driver, sizeof(link[i].driver));
		if (r == 0)
			r = model_set_uplink(m, &link[i], err);
	}
	if (r == 0)
		model_keep_uplinks(m, kept.v, kept.n);
	array_done(&kept);
	return r;
}

static int look_at_links(struct nlsock *s, const struct config *config, bool uplinks_only,
			 struct model *m, struct array *nexthops, struct pw_error *err)
{
	struct uplinks u = { .config = config };
	struct links links = {};
	int r;

	r = find_uplinks(s, &u, err);
	if (r == 0)
		r = dump(s, RTM_GETLINK, AF_UNSPEC, take_link, &links, "links", err);
	if (r == 0)
		r = apply_links(&links, &u, uplinks_only, m, err);
	array_done(&links.v);
	if (r == 0) {
		array_done(nexthops);
		*nexthops = u.nexthops;
		u.nexthops = (struct array){};
	}
	uplinks_done(&u);
	return r;
}

int look_for_uplinks(struct nlsock *s, const struct config *config, struct model *m,
		     struct array *nexthops, struct pw_error *err)
{
	return look_at_links(s, config, true, m, nexthops, err);
}

static int take_record(const char *host_ifname, struct record *rec, const struct pw_error *why,
		       void *arg)
{
	return model_record_seen(arg, host_ifname, rec, why, NULL);
}

int look_at_record(int records_fd, const char *host_ifname, struct model *m, struct pw_error *err)
{
	_cleanup_(record_done) struct record rec = {};
	struct pw_error why = {};
	int r;

	r = record_read(records_fd, host_ifname, &rec, &why);
	if (r == 0)
		model_record_gone(m, host_ifname);
	if (r <= 0)
		return r == 0 ? 0 : model_record_seen(m, host_ifname, NULL, &why, err);
	return model_record_seen(m, host_ifname, &rec, NULL, err);
}

static int take_neighbour(const struct nlmsghdr *nlh, void *arg)
{
	struct ipaddr ip;
	struct mac mac;
	int ifindex;

	if (nlh && message_neighbour(nlh, &ifindex, &ip, &mac))
		model_pod_says(arg, ifindex, &ip, &mac);
	return 0;
}

int look_around(struct nlsock *s, int records_fd, const struct config *config, struct model *m,
		struct array *nexthops, struct pw_error *err)
{
	int r;

	model_resync_begin(m);
	r = record_each(records_fd, take_record, m, err);
	if (r >= 0)
		r = look_at_links(s, config, false, m, nexthops, err);
	if (r == 0)
		r = dump(s, RTM_GETNEIGH, AF_UNSPEC, take_neighbour, m, "neighbours", err);
	/* after a look that failed halfway nobody is taken for gone */
	if (r == 0)
		model_resync_end(m);
	return r;
}
