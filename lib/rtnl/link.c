/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rtnl/link.h"

#include <linux/if_link.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/route/link.h>
#include <netlink/route/link/inet.h>
#include <netlink/route/link/inet6.h>
#include <string.h>

#include "base/error.h"
#include "netlink/auto.h"
#include "netlink/sock.h"

#define ALIAS_MAX 254 /* IFALIASZ is 256, and less than that is wanted, NUL and all */

/* The settings of IPv6 come with the link: an array of numbers by DEVCONF_ index. */
static void take_ipv6_conf(struct nlattr *af_spec, struct link_info *ret)
{
	struct nlattr *inet6 = nla_find(nla_data(af_spec), nla_len(af_spec), AF_INET6);
	struct nlattr *conf;
	const int32_t *value;

	conf = inet6 ? nla_find(nla_data(inet6), nla_len(inet6), IFLA_INET6_CONF) : NULL;
	if (!conf || nla_len(conf) <= (int)(DEVCONF_DISABLE_IPV6 * sizeof(*value)))
		return;
	value = nla_data(conf);
	ret->ipv6_off = value[DEVCONF_DISABLE_IPV6] != 0;
	ret->ipv6_forwards = value[DEVCONF_FORWARDING] != 0;
}

static int parse_link(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[IFLA_MAX + 1], *info[IFLA_INFO_MAX + 1];
	const struct ifinfomsg *ifi = nlmsg_data(nlh);
	struct link_info *ret = arg;

	if (nlmsg_parse((struct nlmsghdr *)nlh, sizeof(*ifi), tb, IFLA_MAX, NULL) < 0 ||
	    !tb[IFLA_IFNAME])
		return -EBADMSG;

	*ret = (struct link_info){ .ifindex = ifi->ifi_index,
				   .flags = ifi->ifi_flags,
				   .ipv6_off = true };
	if (tb[IFLA_AF_SPEC])
		take_ipv6_conf(tb[IFLA_AF_SPEC], ret);
	nla_strlcpy(ret->name, tb[IFLA_IFNAME], sizeof(ret->name));
	if (tb[IFLA_ADDRESS] && nla_len(tb[IFLA_ADDRESS]) == sizeof(ret->mac.b))
		memcpy(ret->mac.b, nla_data(tb[IFLA_ADDRESS]), sizeof(ret->mac.b));
	if (tb[IFLA_MTU])
		ret->mtu = nla_get_u32(tb[IFLA_MTU]);
	if (tb[IFLA_GROUP])
		ret->group = nla_get_u32(tb[IFLA_GROUP]);
	if (tb[IFLA_LINKINFO] &&
	    nla_parse_nested(info, IFLA_INFO_MAX, tb[IFLA_LINKINFO], NULL) >= 0 &&
	    info[IFLA_INFO_KIND])
		nla_strlcpy(ret->kind, info[IFLA_INFO_KIND], sizeof(ret->kind));
	return 0;
}

static int find(struct nlsock *s, int ifindex, const char *name, struct link_info *ret,
		struct pw_error *err)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;
	int r;

	if (rtnl_link_build_get_request(ifindex, name, &msg) < 0)
		return pw_oom(err);
	if (name)
		r = nlsock_get(s, msg, parse_link, ret, err, "cannot look up link %s", name);
	else
		r = nlsock_get(s, msg, parse_link, ret, err, "cannot look up link %d", ifindex);
	if (r == -ENODEV)
		return 0;
	return r < 0 ? r : 1;
}

int link_find(struct nlsock *s, const char *name, struct link_info *ret, struct pw_error *err)
{
	return find(s, 0, name, ret, err);
}

int link_find_index(struct nlsock *s, int ifindex, struct link_info *ret, struct pw_error *err)
{
	return find(s, ifindex, NULL, ret, err);
}

int link_change(struct nlsock *s, const struct link_info *link, const struct link_change *change,
		struct pw_error *err)
{
	_cleanup_(rtnl_link_putp) struct rtnl_link *orig = NULL, *to = NULL;
	_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;
	char alias[ALIAS_MAX + 1];

	orig = rtnl_link_alloc();
	to = rtnl_link_alloc();
	if (!orig || !to)
		return pw_oom(err);
	rtnl_link_set_ifindex(orig, link->ifindex);

	if (change->up)
		rtnl_link_set_flags(to, IFF_UP);
	if (change->group)
		rtnl_link_set_group(to, change->group);
	if (change->alias) {
		strncpy(alias, change->alias, ALIAS_MAX);
		alias[ALIAS_MAX] = '\0';
		rtnl_link_set_ifalias(to, alias);
	}
	if ((change->no_linklocal &&
	     rtnl_link_inet6_set_addr_gen_mode(to, IN6_ADDR_GEN_MODE_NONE) < 0) ||
	    (change->ipv4_forwarding &&
	     rtnl_link_inet_set_conf(to, IPV4_DEVCONF_FORWARDING, 1) < 0) ||
	    (change->proxy_arp && rtnl_link_inet_set_conf(to, IPV4_DEVCONF_PROXY_ARP, 1) < 0) ||
	    (change->arp_notify && rtnl_link_inet_set_conf(to, IPV4_DEVCONF_ARP_NOTIFY, 1) < 0) ||
	    (change->rp_filter >= 0 &&
	     rtnl_link_inet_set_conf(to, IPV4_DEVCONF_RP_FILTER, (unsigned int)change->rp_filter) <
		     0))
		return pw_oom(err);

	if (rtnl_link_build_change_request(orig, to, 0, &msg) < 0)
		return pw_oom(err);
	return nlsock_ask(s, msg, err, "cannot set up link %s", link->name);
}

struct groups {
	const uint32_t *groups;
	bool *used;
	size_t n;
};

/* 1 once all of them are used. */
static int cross_off(const struct nlmsghdr *nlh, void *arg)
{
	const struct groups *g = arg;
	struct nlattr *group;
	size_t open = 0;

	if (!nlh) {
		memset(g->used, 0, g->n * sizeof(*g->used));
		return 0;
	}
	group = nlmsg_find_attr((struct nlmsghdr *)nlh, sizeof(struct ifinfomsg), IFLA_GROUP);
	for (size_t i = 0; i < g->n; i++) {
		if (group && nla_get_u32(group) == g->groups[i])
			g->used[i] = true;
		open += !g->used[i];
	}
	return open == 0;
}

int link_find_groups(const uint32_t *groups, bool *used, size_t n, struct pw_error *err)
{
	const struct ifinfomsg all = { .ifi_family = AF_UNSPEC };
	struct groups g = { .groups = groups, .used = used, .n = n };
	_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;
	_cleanup_(nlsock_freep) struct nlsock *s = NULL;
	int r;

	r = nlsock_open(NETLINK_ROUTE, &s, err);
	if (r < 0)
		return r;
	msg = nlmsg_alloc_simple(RTM_GETLINK, 0);
	if (!msg || nlmsg_append(msg, (void *)&all, sizeof(all), NLMSG_ALIGNTO) < 0 ||
	    nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS) < 0)
		return pw_oom(err);
	return nlsock_dump(s, msg, cross_off, &g, err, "cannot list links");
}

static int remove_it(struct nlsock *s, int ifindex, const char *name, struct pw_error *err)
{
	_cleanup_(rtnl_link_putp) struct rtnl_link *link = NULL;
	_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;
	int r;

	link = rtnl_link_alloc();
	if (!link)
		return pw_oom(err);
	if (ifindex)
		rtnl_link_set_ifindex(link, ifindex);
	else
		rtnl_link_set_name(link, name);
	if (rtnl_link_build_delete_request(link, &msg) < 0)
		return pw_oom(err);
	r = nlsock_ask(s, msg, err, "cannot remove link %s", name);
	if (r == -ENODEV)
		return 0;
	return r < 0 ? r : 1;
}

int link_remove(struct nlsock *s, const char *name, struct pw_error *err)
{
	return remove_it(s, 0, name, err);
}

int link_remove_index(struct nlsock *s, int ifindex, const char *name, struct pw_error *err)
{
	return remove_it(s, ifindex, name, err);
}
