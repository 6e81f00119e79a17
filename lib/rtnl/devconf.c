/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rtnl/devconf.h"

#include <linux/netconf.h>
#include <linux/rtnetlink.h>

#include "base/error.h"
#include "netlink/auto.h"
#include "netlink/sock.h"

static int parse_netconf(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[NETCONFA_MAX + 1];
	int *forwarding = arg;

	if (nlmsg_parse((struct nlmsghdr *)nlh, sizeof(struct netconfmsg), tb, NETCONFA_MAX, NULL) <
		    0 ||
	    !tb[NETCONFA_FORWARDING])
		return -EBADMSG;
	*forwarding = nla_get_u32(tb[NETCONFA_FORWARDING]) != 0;
	return 0;
}

int devconf_forwarding(struct nlsock *s, int family, struct pw_error *err)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETNETCONF, 0);
	struct netconfmsg ncm = { .ncm_family = (uint8_t)family };
	int forwarding = 0, r;

	if (!msg || nlmsg_append(msg, &ncm, sizeof(ncm), NLMSG_ALIGNTO) < 0 ||
	    nla_put_u32(msg, NETCONFA_IFINDEX, (uint32_t)NETCONFA_IFINDEX_ALL) < 0)
		return pw_oom(err);
	r = nlsock_get(s, msg, parse_netconf, &forwarding, err, "cannot look up %s forwarding",
		       family == AF_INET ? "IPv4" : "IPv6");
	return r < 0 ? r : forwarding;
}
