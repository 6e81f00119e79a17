/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/events.h"

#include <linux/rtnetlink.h>
#include <netlink/msg.h>
#include <netlink/socket.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "netlink/auto.h"
#include "source/look.h"
#include "source/message.h"
#include "source/nexthops.h"

#define MESSAGES_AT_ONCE 256 /* then others have their turn: the loop comes back */

struct events {
	struct nl_sock *sk;
	sd_event_source *source;
	const struct config *config;
	struct model *m;
	struct events_ops ops;
	bool uplinks_changed;
	_Alignas(struct nlmsghdr) char buf[32 * 1024];
};

struct events *events_close(struct events *e)
{
	if (e) {
		sd_event_source_disable_unref(e->source);
		if (e->sk)
			nl_socket_free(e->sk);
	}
	free(e);
	return NULL;
}

/* A device of ours may have got or lost somebody's XDP program with any of these. */
static void on_link(struct events *e, const struct nlmsghdr *nlh)
{
	struct link_more more = {};
	struct link_seen link;
	const struct port *was;

	if (!message_link(nlh, &link, &more))
		return;
	if (nlh->nlmsg_type == RTM_DELLINK) {
		model_link_gone(e->m, link.ifindex);
		return;
	}
	was = model_find_index(e->m, link.ifindex);
	if (was && was->kind == PW_PORT_UPLINK && strcmp(was->ifname, link.name) != 0)
		e->uplinks_changed = true; /* it may be one by its new name */
	/* out of memory: as if the news had been lost */
	if (model_link_seen(e->m, &link, NULL) < 0)
		e->ops.lost(e->ops.arg);
	for (size_t i = 0; i < e->config->uplinks.n; i++) {
		if (strcmp(((char(*)[16])e->config->uplinks.v)[i], link.name) == 0)
			e->uplinks_changed = true;
	}
	if (model_find_index(e->m, link.ifindex))
		e->ops.device_changed(link.ifindex, e->ops.arg);
}

static void on_neighbour(struct events *e, const struct nlmsghdr *nlh)
{
	struct ipaddr ip;
	struct mac mac;
	int ifindex;

	if (message_neighbour(nlh, &ifindex, &ip, &mac))
		model_pod_says(e->m, ifindex, &ip, &mac);
}

static void on_route(struct events *e, const struct nlmsghdr *nlh)
{
	struct route_seen route;

	if (message_route(nlh, &route) && look_is_uplink_route(e->config, &route.dst))
		e->uplinks_changed = true;
}

static void on_nexthop(struct events *e, const struct nlmsghdr *nlh)
{
	struct nexthop_seen hop;

	if (message_nexthop(nlh, &hop) && nexthops_has(e->ops.nexthops, hop.id))
		e->uplinks_changed = true;
}

static void on_tc(struct events *e, const struct nlmsghdr *nlh)
{
	struct tc_seen tc;

	if (message_tc(nlh, &tc) && model_find_index(e->m, tc.ifindex))
		e->ops.device_changed(tc.ifindex, e->ops.arg);
}

static void take(struct events *e, const struct nlmsghdr *nlh)
{
	switch (nlh->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		on_link(e, nlh);
		break;
	case RTM_NEWNEIGH:
		on_neighbour(e, nlh);
		break;
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		on_route(e, nlh);
		break;
	case RTM_NEWNEXTHOP:
	case RTM_DELNEXTHOP:
		on_nexthop(e, nlh);
		break;
	case RTM_NEWQDISC:
	case RTM_DELQDISC:
	case RTM_NEWTFILTER:
	case RTM_DELTFILTER:
		on_tc(e, nlh);
		break;
	default:
		break;
	}
}

/* 1: a datagram was read; 0: nothing is left. */
static int read_one(struct events *e)
{
	struct sockaddr_nl from = {};
	socklen_t len = sizeof(from);
	struct nlmsghdr *nlh = (struct nlmsghdr *)e->buf;
	ssize_t n;
	int left;

	n = recvfrom(nl_socket_get_fd(e->sk), e->buf, sizeof(e->buf), MSG_DONTWAIT | MSG_TRUNC,
		     (struct sockaddr *)&from, &len);
	if (n < 0 && errno == EINTR)
		return 1;
	if (n < 0 && errno == ENOBUFS) {
		e->ops.lost(e->ops.arg);
		return 1;
	}
	if (n <= 0)
		return 0;
	if (from.nl_pid != 0)
		return 1; /* not the kernel */
	if ((size_t)n > sizeof(e->buf)) {
		e->ops.lost(e->ops.arg);
		return 1;
	}
	for (left = (int)n; nlmsg_ok(nlh, left); nlh = nlmsg_next(nlh, &left))
		take(e, nlh);
	return 1;
}

static int on_readable(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
	struct events *e = arg;

	(void)source;
	(void)fd;
	(void)revents;
	for (int i = 0; i < MESSAGES_AT_ONCE && read_one(e); i++)
		;
	if (e->uplinks_changed) {
		e->uplinks_changed = false;
		e->ops.uplinks_changed(e->ops.arg);
	}
	e->ops.settled(e->ops.arg);
	return 0;
}

/* As large as was asked for, whatever net.core.rmem_max says. */
static void set_buffer(int fd, uint32_t bytes)
{
	int half = (int)(bytes / 2); /* the kernel doubles it */

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &half, sizeof(half)) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &half, sizeof(half));
}

int events_open(sd_event *event, uint32_t buffer, const struct config *config, struct model *m,
		const struct events_ops *ops, struct events **ret, struct pw_error *err)
{
	static const int groups[] = { RTNLGRP_LINK, RTNLGRP_NEIGH, RTNLGRP_TC, RTNLGRP_IPV4_ROUTE,
				      RTNLGRP_IPV6_ROUTE };
	_cleanup_(events_closep) struct events *e = calloc(1, sizeof(*e));
	int r;

	if (e)
		e->sk = nl_socket_alloc();
	if (!e || !e->sk)
		return pw_oom(err);
	e->config = config;
	e->m = m;
	e->ops = *ops;
	r = nl_connect(e->sk, NETLINK_ROUTE);
	for (size_t i = 0; i < ARRAY_COUNT(groups) && r >= 0; i++)
		r = nl_socket_add_membership(e->sk, groups[i]);
	if (r < 0)
		return pw_fail(err, EIO, PW_E_NETLINK, "cannot listen to rtnetlink: %s",
			       nl_geterror(r));
	/* (5.3; without, there are no such objects) */
	(void)nl_socket_add_membership(e->sk, RTNLGRP_NEXTHOP);
	set_buffer(nl_socket_get_fd(e->sk), buffer);
	r = sd_event_add_io(event, &e->source, nl_socket_get_fd(e->sk), EPOLLIN, on_readable, e);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "cannot watch rtnetlink: %m");
	*ret = take_ptr(e);
	return 0;
}
