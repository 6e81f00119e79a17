/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rtnl/neigh.h"

#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include "base/error.h"
#include "netlink/auto.h"
#include "netlink/sock.h"
#include "rtnl/nladdr.h"

static struct rtnl_neigh *describe(int ifindex, const struct ipaddr *ip)
{
	_cleanup_(rtnl_neigh_putp) struct rtnl_neigh *n = rtnl_neigh_alloc();
	_cleanup_(nl_addr_putp) struct nl_addr *dst = nladdr_from_ip(ip);

	if (!n || !dst)
		return NULL;
	rtnl_neigh_set_ifindex(n, ifindex);
	if (rtnl_neigh_set_dst(n, dst) < 0)
		return NULL;
	return take_ptr(n);
}

int neigh_set(struct nlsock *s, int ifindex, const char *ifname, const struct ipaddr *ip,
	      const struct mac *mac, enum neigh_kind kind, struct pw_error *err)
{
	_cleanup_(rtnl_neigh_putp) struct rtnl_neigh *n = describe(ifindex, ip);
	_cleanup_(nl_addr_putp) struct nl_addr *lladdr = mac ? nladdr_from_mac(mac) : NULL;
	_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;

	if (!n || (mac && !lladdr))
		return pw_oom(err);
	if (lladdr)
		rtnl_neigh_set_lladdr(n, lladdr);
	rtnl_neigh_set_state(n, kind == NEIGH_PERMANENT ? NUD_PERMANENT : NUD_REACHABLE);
	if (kind == NEIGH_LEARNED)
		rtnl_neigh_set_flags(n, NTF_EXT_LEARNED);
	if (kind == NEIGH_PROXY)
		rtnl_neigh_set_flags(n, NTF_PROXY);
	if (rtnl_neigh_build_add_request(n, NLM_F_CREATE | NLM_F_REPLACE, &msg) < 0)
		return pw_oom(err);
	return nlsock_ask(s, msg, err, "cannot add neighbour %s%s%s on %s", IPADDR_STR(ip),
			  mac ? " at " : "", mac ? MAC_STR(mac) : "", ifname);
}

int neigh_tune(struct nlsock *s, int family, int ifindex, const char *ifname, uint64_t reachable_ms,
	       uint64_t proxy_delay_ms, struct pw_error *err)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = nlmsg_alloc_simple(RTM_SETNEIGHTBL, 0);
	struct ndtmsg table = { .ndtm_family = (uint8_t)family };
	struct nlattr *parms;

	if (!msg || nlmsg_append(msg, &table, sizeof(table), NLMSG_ALIGNTO) < 0 ||
	    nla_put_string(msg, NDTA_NAME, family == AF_INET ? "arp_cache" : "ndisc_cache") < 0)
		return pw_oom(err);
	parms = nla_nest_start(msg, NDTA_PARMS);
	if (!parms || nla_put_u32(msg, NDTPA_IFINDEX, (uint32_t)ifindex) < 0 ||
	    nla_put_u64(msg, NDTPA_BASE_REACHABLE_TIME, reachable_ms) < 0 ||
	    nla_put_u64(msg, NDTPA_PROXY_DELAY, proxy_delay_ms) < 0)
		return pw_oom(err);
	nla_nest_end(msg, parms);
	return nlsock_ask(s, msg, err, "cannot set up neighbours of %s", ifname);
}

int neigh_remove(struct nlsock *s, int ifindex, const struct ipaddr *ip, struct pw_error *err)
{
	_cleanup_(rtnl_neigh_putp) struct rtnl_neigh *n = describe(ifindex, ip);
	_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;
	int r;

	if (!n || rtnl_neigh_build_delete_request(n, 0, &msg) < 0)
		return pw_oom(err);
	r = nlsock_ask(s, msg, err, "cannot remove neighbour %s on link %d", IPADDR_STR(ip),
		       ifindex);
	if (r == -ENOENT || r == -ENXIO)
		return 0;
	return r < 0 ? r : 1;
}
