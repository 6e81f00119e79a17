/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* libnl's objects as owning locals: _cleanup_(nlmsg_freep), _cleanup_(rtnl_link_putp), ... */
#include <netlink/addr.h>
#include <netlink/msg.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <netlink/route/neighbour.h>
#include <netlink/route/nexthop.h>
#include <netlink/route/route.h>
#include <netlink/socket.h>

#include "base/cleanup.h"

DEFINE_CLEANUP(struct nl_sock *, nl_socket_free);
DEFINE_CLEANUP(struct nl_msg *, nlmsg_free);
DEFINE_CLEANUP(struct nl_addr *, nl_addr_put);
DEFINE_CLEANUP(struct rtnl_link *, rtnl_link_put);
DEFINE_CLEANUP(struct rtnl_addr *, rtnl_addr_put);
DEFINE_CLEANUP(struct rtnl_neigh *, rtnl_neigh_put);
DEFINE_CLEANUP(struct rtnl_route *, rtnl_route_put);
