/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rtnl/route.h"

#include <linux/rtnetlink.h>
#include <string.h>

#include "base/error.h"
#include "netlink/auto.h"
#include "netlink/sock.h"
#include "rtnl/nladdr.h"

/* libnl takes its own references of the addresses; a nexthop belongs to its route. */
static int add_nexthop(struct rtnl_route *rt, const struct route *route)
{
	_cleanup_(nl_addr_putp) struct nl_addr *gateway = NULL;
	struct rtnl_nexthop *nh;

	if (route->gateway.family) {
		gateway = nladdr_from_ip(&route->gateway);
		if (!gateway)
			return -ENOMEM;
	}
	nh = rtnl_route_nh_alloc();
	if (!nh)
		return -ENOMEM;
	rtnl_route_nh_set_ifindex(nh, route->ifindex);
	if (gateway)
		rtnl_route_nh_set_gateway(nh, gateway);
	if (route->onlink)
		rtnl_route_nh_set_flags(nh, RTNH_F_ONLINK);
	rtnl_route_add_nexthop(rt, nh);
	return 0;
}

static int describe(struct rtnl_route *rt, const struct route *route)
{
	_cleanup_(nl_addr_putp) struct nl_addr *dst = nladdr_from_cidr(&route->dst), *src = NULL;

	if (!dst || rtnl_route_set_dst(rt, dst) < 0)
		return -ENOMEM;
	if (route->src.family) {
		src = nladdr_from_ip(&route->src);
		if (!src || rtnl_route_set_pref_src(rt, src) < 0)
			return -ENOMEM;
	}
	rtnl_route_set_scope(rt, route->scope);
	rtnl_route_set_table(rt, route->table ? route->table : RT_TABLE_MAIN);
	rtnl_route_set_protocol(rt, RTPROT_STATIC);
	if (route->metric)
		rtnl_route_set_priority(rt, route->metric);
	if (route->onlink)
		rtnl_route_set_flags(rt, RTNH_F_ONLINK);
	if ((route->mtu && rtnl_route_set_metric(rt, RTAX_MTU, route->mtu) < 0) ||
	    (route->advmss && rtnl_route_set_metric(rt, RTAX_ADVMSS, route->advmss) < 0))
		return -ENOMEM;
	return add_nexthop(rt, route);
}

int route_set(struct nlsock *s, const struct route *route, enum route_mode mode, const char *ifname,
	      struct pw_error *err)
{
	_cleanup_(rtnl_route_putp) struct rtnl_route *rt = rtnl_route_alloc();
	_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;
	int flags = NLM_F_CREATE | (mode == ROUTE_REPLACE ? NLM_F_REPLACE : NLM_F_EXCL);

	if (!rt || describe(rt, route) < 0 || rtnl_route_build_add_request(rt, flags, &msg) < 0)
		return pw_oom(err);
	return nlsock_ask(s, msg, err, "cannot add route %s%s%s dev %s%s%s", CIDR_STR(&route->dst),
			  route->gateway.family ? " via " : "",
			  route->gateway.family ? IPADDR_STR(&route->gateway) : "", ifname,
			  route->src.family ? " src " : "",
			  route->src.family ? IPADDR_STR(&route->src) : "");
}

struct dump {
	uint32_t table;
	route_each_t each;
	void *arg;
};

/* The first next hop of RTA_MULTIPATH. */
static void take_multipath(struct nlattr *attr, int family, struct route_info *info)
{
	struct rtnexthop *nh = nla_data(attr);
	struct nlattr *tb[RTA_MAX + 1];

	if (nla_len(attr) < (int)sizeof(*nh) || nh->rtnh_len < sizeof(*nh) ||
	    nh->rtnh_len > nla_len(attr))
		return;
	info->ifindex = nh->rtnh_ifindex;
	if (nla_parse(tb, RTA_MAX, (struct nlattr *)RTNH_DATA(nh), nh->rtnh_len - (int)sizeof(*nh),
		      NULL) >= 0)
		(void)nladdr_read(tb[RTA_GATEWAY], family, &info->gateway);
}

static int read_route(const struct nlmsghdr *nlh, struct nlattr **tb, struct route_info *info)
{
	const struct rtmsg *rtm = nlmsg_data(nlh);

	if (nlmsg_parse((struct nlmsghdr *)nlh, sizeof(*rtm), tb, RTA_MAX, NULL) < 0)
		return -EBADMSG;
	*info = (struct route_info){
		.dst = { .ip.family = rtm->rtm_family, .len = rtm->rtm_dst_len },
		.table = tb[RTA_TABLE] ? nla_get_u32(tb[RTA_TABLE]) : rtm->rtm_table,
		.metric = tb[RTA_PRIORITY] ? nla_get_u32(tb[RTA_PRIORITY]) : 0,
		.protocol = rtm->rtm_protocol,
		.type = rtm->rtm_type,
	};
	(void)nladdr_read(tb[RTA_DST], rtm->rtm_family, &info->dst.ip);
	(void)nladdr_read(tb[RTA_GATEWAY], rtm->rtm_family, &info->gateway);
	if (tb[RTA_OIF])
		info->ifindex = (int)nla_get_u32(tb[RTA_OIF]);
	else if (tb[RTA_MULTIPATH])
		take_multipath(tb[RTA_MULTIPATH], rtm->rtm_family, info);
	return 0;
}

static int parse_route(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[RTA_MAX + 1];
	struct dump *dump = arg;
	struct route_info info;
	int r;

	if (!nlh)
		return dump->each(NULL, dump->arg);
	r = read_route(nlh, tb, &info);
	if (r < 0)
		return r;
	if (dump->table && info.table != dump->table)
		return 0;
	return dump->each(&info, dump->arg);
}

int route_dump(struct nlsock *s, int family, uint32_t table, route_each_t each, void *arg,
	       struct pw_error *err)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;
	struct rtmsg rtm = { .rtm_family = (unsigned char)family };
	struct dump dump = { .table = table, .each = each, .arg = arg };
	int r;

	msg = nlmsg_alloc_simple(RTM_GETROUTE, 0);
	if (!msg || nlmsg_append(msg, &rtm, sizeof(rtm), NLMSG_ALIGNTO) < 0 ||
	    (table && nla_put_u32(msg, RTA_TABLE, table) < 0))
		return pw_oom(err);
	r = nlsock_dump(s, msg, parse_route, &dump, err, "cannot list routes");
	return r == -ENOENT ? 0 : r; /* with a filter: there's no such table yet */
}

static int parse_lookup(const struct nlmsghdr *nlh, void *arg)
{
	struct route_lookup *ret = arg;
	struct nlattr *tb[RTA_MAX + 1];
	struct route_info info;
	int r;

	r = read_route(nlh, tb, &info);
	if (r < 0)
		return r;
	if (info.type != RTN_UNICAST)
		return 0;
	ret->ifindex = info.ifindex;
	ret->onlink = !info.gateway.family;
	(void)nladdr_read(tb[RTA_PREFSRC], info.dst.ip.family, &ret->src);
	return 0;
}

int route_lookup(struct nlsock *s, const struct ipaddr *dst, struct route_lookup *ret,
		 struct pw_error *err)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;
	struct rtmsg rtm = { .rtm_family = dst->family,
			     .rtm_dst_len = (unsigned char)ipaddr_bits(dst) };
	struct route_lookup found = {};
	int r;

	msg = nlmsg_alloc_simple(RTM_GETROUTE, 0);
	if (!msg || nlmsg_append(msg, &rtm, sizeof(rtm), NLMSG_ALIGNTO) < 0 ||
	    nla_put(msg, RTA_DST, (int)ipaddr_size(dst), dst->b) < 0)
		return pw_oom(err);
	r = nlsock_get(s, msg, parse_lookup, &found, err, "cannot look up the route to %s",
		       IPADDR_STR(dst));
	/* EOPNOTSUPP: the kernel hasn't got this family (ipv6.disable=1) */
	if (r == -ENETUNREACH || r == -EHOSTUNREACH || r == -EACCES || r == -EINVAL ||
	    r == -EOPNOTSUPP)
		return 0;
	if (r < 0)
		return r;
	*ret = found;
	return found.ifindex != 0;
}
