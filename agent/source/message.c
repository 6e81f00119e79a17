/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/message.h"

#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

static bool parse(const struct nlmsghdr *nlh, size_t header, struct nlattr **tb, int max)
{
	return nlmsg_valid_hdr(nlh, (int)header) &&
	       nlmsg_parse((struct nlmsghdr *)nlh, (int)header, tb, max, NULL) >= 0;
}

static void take_text(char *to, size_t size, struct nlattr *from)
{
	if (from)
		(void)nla_strlcpy(to, from, size);
}

static uint32_t take_xdp(struct nlattr *from)
{
	struct nlattr *id = from ? nla_find(nla_data(from), nla_len(from), IFLA_XDP_PROG_ID) : NULL;

	return id && nla_len(id) == sizeof(uint32_t) ? nla_get_u32(id) : 0;
}

bool message_link(const struct nlmsghdr *nlh, struct link_seen *ret, struct link_more *ret_more)
{
	const struct ifinfomsg *ifi = nlmsg_data(nlh);
	struct nlattr *tb[IFLA_MAX + 1];

	if (!parse(nlh, sizeof(*ifi), tb, IFLA_MAX) || ifi->ifi_family != AF_UNSPEC ||
	    ifi->ifi_index <= 0 || !tb[IFLA_IFNAME])
		return false;
	*ret = (struct link_seen){
		.ifindex = ifi->ifi_index,
		.mtu = tb[IFLA_MTU] && nla_len(tb[IFLA_MTU]) == 4 ? nla_get_u32(tb[IFLA_MTU]) : 0,
		.up = ifi->ifi_flags & IFF_UP,
	};
	take_text(ret->name, sizeof(ret->name), tb[IFLA_IFNAME]);
	if (tb[IFLA_LINKINFO])
		take_text(ret->kind, sizeof(ret->kind),
			  nla_find(nla_data(tb[IFLA_LINKINFO]), nla_len(tb[IFLA_LINKINFO]),
				   IFLA_INFO_KIND));
	if (tb[IFLA_ADDRESS] && nla_len(tb[IFLA_ADDRESS]) == sizeof(ret->mac.b))
		memcpy(ret->mac.b, nla_data(tb[IFLA_ADDRESS]), sizeof(ret->mac.b));
	if (ret_more)
		ret_more->xdp_prog_id = take_xdp(tb[IFLA_XDP]);
	return true;
}

static bool take_ip(struct ipaddr *to, int family, struct nlattr *from)
{
	size_t size = family == AF_INET ? 4 : family == AF_INET6 ? 16 : 0;

	if (!from || !size || (size_t)nla_len(from) != size)
		return false;
	*to = (struct ipaddr){ .family = (uint8_t)family };
	memcpy(to->b, nla_data(from), size);
	return true;
}

bool message_neighbour(const struct nlmsghdr *nlh, int *ret_ifindex, struct ipaddr *ret_ip,
		       struct mac *ret_mac)
{
	const struct ndmsg *ndm = nlmsg_data(nlh);
	struct nlattr *tb[NDA_MAX + 1];

	if (!parse(nlh, sizeof(*ndm), tb, NDA_MAX) || ndm->ndm_flags & NTF_PROXY ||
	    !(ndm->ndm_state & (NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | NUD_PERMANENT)))
		return false;
	if (!tb[NDA_LLADDR] || nla_len(tb[NDA_LLADDR]) != sizeof(ret_mac->b) ||
	    !take_ip(ret_ip, ndm->ndm_family, tb[NDA_DST]))
		return false;
	memcpy(ret_mac->b, nla_data(tb[NDA_LLADDR]), sizeof(ret_mac->b));
	*ret_ifindex = ndm->ndm_ifindex;
	return true;
}

static void take_hops(struct route_seen *to, struct nlattr *from)
{
	struct rtnexthop *hop = nla_data(from);
	int left = nla_len(from);

	while (left >= (int)sizeof(*hop) && hop->rtnh_len >= sizeof(*hop) &&
	       hop->rtnh_len <= left && to->n < ARRAY_COUNT(to->ifindex)) {
		int step = NLMSG_ALIGN(hop->rtnh_len);

		to->ifindex[to->n++] = hop->rtnh_ifindex;
		left -= step;
		hop = (struct rtnexthop *)((char *)hop + step);
	}
}

bool message_route(const struct nlmsghdr *nlh, struct route_seen *ret)
{
	const struct rtmsg *rtm = nlmsg_data(nlh);
	struct nlattr *tb[RTA_MAX + 1];

	if (!parse(nlh, sizeof(*rtm), tb, RTA_MAX) ||
	    (rtm->rtm_family != AF_INET && rtm->rtm_family != AF_INET6))
		return false;
	*ret = (struct route_seen){ .table = rtm->rtm_table, .type = rtm->rtm_type };
	ret->dst.ip.family = rtm->rtm_family;
	ret->dst.len = rtm->rtm_dst_len;
	if (tb[RTA_DST] && !take_ip(&ret->dst.ip, rtm->rtm_family, tb[RTA_DST]))
		return false;
	if (tb[RTA_TABLE] && nla_len(tb[RTA_TABLE]) == 4)
		ret->table = nla_get_u32(tb[RTA_TABLE]);
	if (tb[RTA_OIF] && nla_len(tb[RTA_OIF]) == 4)
		ret->ifindex[ret->n++] = (int)nla_get_u32(tb[RTA_OIF]);
	else if (tb[RTA_MULTIPATH])
		take_hops(ret, tb[RTA_MULTIPATH]);
	if (tb[RTA_NH_ID] && nla_len(tb[RTA_NH_ID]) == 4)
		ret->nexthop = nla_get_u32(tb[RTA_NH_ID]);
	return true;
}

bool message_nexthop(const struct nlmsghdr *nlh, struct nexthop_seen *ret)
{
	struct nlattr *tb[NHA_MAX + 1];
	const struct nexthop_grp *group;
	size_t n;

	if (!parse(nlh, sizeof(struct nhmsg), tb, NHA_MAX) || !tb[NHA_ID] ||
	    nla_len(tb[NHA_ID]) != 4)
		return false;
	*ret = (struct nexthop_seen){ .id = nla_get_u32(tb[NHA_ID]) };
	if (tb[NHA_OIF] && nla_len(tb[NHA_OIF]) == 4)
		ret->ifindex = (int)nla_get_u32(tb[NHA_OIF]);
	if (!tb[NHA_GROUP])
		return true;
	group = nla_data(tb[NHA_GROUP]);
	n = (size_t)nla_len(tb[NHA_GROUP]) / sizeof(*group);
	while (ret->n < n && ret->n < ARRAY_COUNT(ret->member)) {
		ret->member[ret->n] = group[ret->n].id;
		ret->n++;
	}
	return true;
}

bool message_tc(const struct nlmsghdr *nlh, struct tc_seen *ret)
{
	const struct tcmsg *tcm = nlmsg_data(nlh);
	struct nlattr *tb[TCA_MAX + 1];

	if (!parse(nlh, sizeof(*tcm), tb, TCA_MAX))
		return false;
	*ret = (struct tc_seen){
		.ifindex = tcm->tcm_ifindex,
		.parent = tcm->tcm_parent,
		.handle = tcm->tcm_handle,
		.info = tcm->tcm_info,
	};
	take_text(ret->kind, sizeof(ret->kind), tb[TCA_KIND]);
	return true;
}
