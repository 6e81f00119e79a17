/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rtnl/addr.h"

#include <linux/if_addr.h>
#include <string.h>

#include "base/error.h"
#include "netlink/auto.h"
#include "netlink/sock.h"
#include "rtnl/nladdr.h"

int addr_add(struct nlsock *s, int ifindex, const char *ifname, const struct cidr *address,
	     bool no_prefix_route, struct pw_error *err)
{
	_cleanup_(rtnl_addr_putp) struct rtnl_addr *addr = NULL;
	_cleanup_(nl_addr_putp) struct nl_addr *local = NULL;
	_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;
	unsigned int flags = no_prefix_route ? IFA_F_NOPREFIXROUTE : 0;
	int r;

	if (address->ip.family == AF_INET6)
		flags |= IFA_F_NODAD;
	addr = rtnl_addr_alloc();
	local = nladdr_from_cidr(address);
	if (!addr || !local)
		return pw_oom(err);
	rtnl_addr_set_ifindex(addr, ifindex);
	if (rtnl_addr_set_local(addr, local) < 0)
		return pw_oom(err);
	rtnl_addr_set_flags(addr, flags);

	if (rtnl_addr_build_add_request(addr, NLM_F_CREATE | NLM_F_EXCL, &msg) < 0)
		return pw_oom(err);
	r = nlsock_ask(s, msg, err, "cannot add address %s to %s", CIDR_STR(address), ifname);
	return r == -EEXIST ? 0 : r;
}

struct dump {
	int ifindex;
	addr_each_t each;
	void *arg;
};

static int parse_addr(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[IFA_MAX + 1];
	const struct ifaddrmsg *ifa;
	struct dump *dump = arg;
	struct addr_info info = {};

	if (!nlh)
		return dump->each(NULL, dump->arg);
	ifa = nlmsg_data(nlh);
	if (nlmsg_parse((struct nlmsghdr *)nlh, sizeof(*ifa), tb, IFA_MAX, NULL) < 0)
		return -EBADMSG;
	if (dump->ifindex && (int)ifa->ifa_index != dump->ifindex)
		return 0; /* a kernel without NETLINK_GET_STRICT_CHK dumps all */

	/* A peer address is in IFA_ADDRESS; what the link has is IFA_LOCAL, where there is one. */
	if (nladdr_read(tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS], ifa->ifa_family,
			&info.address.ip) < 0)
		return 0;
	info.address.len = ifa->ifa_prefixlen;
	info.ifindex = (int)ifa->ifa_index;
	info.flags = tb[IFA_FLAGS] ? nla_get_u32(tb[IFA_FLAGS]) : ifa->ifa_flags;
	return dump->each(&info, dump->arg);
}

int addr_dump(struct nlsock *s, int family, int ifindex, addr_each_t each, void *arg,
	      struct pw_error *err)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;
	struct ifaddrmsg ifa = { .ifa_family = (uint8_t)family, .ifa_index = (uint32_t)ifindex };
	struct dump dump = { .ifindex = ifindex, .each = each, .arg = arg };

	msg = nlmsg_alloc_simple(RTM_GETADDR, 0);
	if (!msg || nlmsg_append(msg, &ifa, sizeof(ifa), NLMSG_ALIGNTO) < 0)
		return pw_oom(err);
	return nlsock_dump(s, msg, parse_addr, &dump, err, "cannot list addresses");
}
