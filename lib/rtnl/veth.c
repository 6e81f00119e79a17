/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rtnl/veth.h"

#include <netlink/route/link/veth.h>

#include "base/error.h"
#include "netlink/auto.h"
#include "netlink/sock.h"
#include "rtnl/nladdr.h"

static int describe(struct rtnl_link *link, const char *name, const struct mac *mac,
		    const struct veth_spec *spec)
{
	_cleanup_(nl_addr_putp) struct nl_addr *lladdr = nladdr_from_mac(mac);

	if (!lladdr)
		return -ENOMEM;
	rtnl_link_set_name(link, name);
	rtnl_link_set_addr(link, lladdr);
	rtnl_link_set_mtu(link, spec->mtu);
	if (spec->queues) {
		rtnl_link_set_num_tx_queues(link, spec->queues);
		rtnl_link_set_num_rx_queues(link, spec->queues);
	}
	return 0;
}

int veth_create(struct nlsock *s, const struct veth_spec *spec, int netns_fd, struct pw_error *err)
{
	_cleanup_(rtnl_link_putp) struct rtnl_link *host = NULL, *peer = NULL;
	_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;

	host = rtnl_link_veth_alloc();
	if (!host)
		return pw_oom(err);
	peer = rtnl_link_veth_get_peer(host); /* takes a reference */

	if (describe(host, spec->host_ifname, &spec->host_mac, spec) < 0 ||
	    describe(peer, spec->pod_ifname, &spec->pod_mac, spec) < 0)
		return pw_oom(err);
	rtnl_link_set_ns_fd(peer, netns_fd);

	if (rtnl_link_build_add_request(host, NLM_F_CREATE | NLM_F_EXCL, &msg) < 0)
		return pw_oom(err);
	return nlsock_ask(s, msg, err, "cannot create veth pair %s and %s in pod",
			  spec->host_ifname, spec->pod_ifname);
}
