/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Masquerading of pods
 *
 * One nftables table, `inet podwire`, with a map of pod addresses; it is there as long as a pod
 * in it is. Knows nothing of CNI, links or records. All calls take a NETLINK_NETFILTER socket in
 * the node's network namespace and block. Callers see to it (by a lock) that one process at a time
 * adds or removes; other users of nftables need no lock.
 *
 * Where another writer keeps nftables busy for two seconds: -EAGAIN, -EBUSY, -ERESTART or -EINTR
 * and PW_E_AGAIN; trying again later may succeed.
 */
#include <stddef.h>

#include "net/ipaddr.h"

struct nlsock;
struct pw_error;

struct masq_pod {
	const char *owner;              /* borrowed, as all here; host ifname */
	const struct ipaddr *addresses; /* of either family */
	size_t n_addresses;
	const struct cidr *exclusions; /* destinations that see the pod's own address */
	size_t n_exclusions;
};

/*
 * All pods that are to be masqueraded, asked for when the table is found missing or damaged (a
 * firewall reload): calls masq_others_add() for each and returns what failed. A pod that cannot be
 * read is best left out, since an error here fails the addition as well. The pod that is being
 * added may be among them.
 */
struct masq_others;
typedef int (*masq_others_t)(struct masq_others *others, void *arg, struct pw_error *err);
int masq_others_add(struct masq_others *others, const struct masq_pod *pod, struct pw_error *err);

/*
 * Masquerades @pod, and makes or mends what is missing for that. An address that is somebody
 * else's so far becomes this pod's. @others may be NULL. Changes stay when the process ends.
 */
int masq_add(struct nlsock *sock, const struct masq_pod *pod, masq_others_t others, void *arg,
	     struct pw_error *err);

/*
 * Ends the masquerading of @addresses as far as they are @owner's; with @n 0, of all that is
 * @owner's. Removes what no pod uses any more, the table with the last. Returns 1 if something
 * of @owner's was removed, 0 if there was nothing (also no table, or no nftables at all).
 */
int masq_remove(struct nlsock *sock, const char *owner, const struct ipaddr *addresses, size_t n,
		struct pw_error *err);

/* 0 if @pod is masqueraded; -ENOENT with PW_E_CHECK and a message that names what is missing. */
int masq_check(struct nlsock *sock, const struct masq_pod *pod, struct pw_error *err);
