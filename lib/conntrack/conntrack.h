/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Forgetting a pod's connections
 *
 * Knows ctnetlink; knows nothing of pods.
 */
#include <stddef.h>

#include "net/ipaddr.h"

struct nlsock;
struct pw_error;

/*
 * Deletes the UDP entries that one of @addresses began, or that are answered by one of them (a
 * service's flow that was sent to it): a client that goes on sending would be bound to a pod that
 * is gone, as each packet keeps the entry. TCP entries stay; their ends notice by themselves.
 *
 * @sock: NETLINK_NETFILTER. Returns how many were deleted: 0 where the kernel has no conntrack. At
 * most 65,536 a call; what would be left after that many ends with its timeout.
 */
int conntrack_flush_udp(struct nlsock *sock, const struct ipaddr *addresses, size_t n,
			struct pw_error *err);
