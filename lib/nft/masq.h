/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Masquerading of pods
 *
 * One nftables table, `inet podwire`, with two rules for each list of exclusions that pods have.
 * The rules are for what comes in by links of a group (`ip link set dev X group N`), whose number
 * is made of the list; so a pod is masqueraded as soon as its link is in its list's group, and
 * nothing is written for a pod but the first of a list. Rules of nftables see the group of the
 * device that a packet came in by in postrouting since Linux 5.7 (28f8bfd1ac94).
 *
 * Knows nothing of CNI or records, and of links no more than that they have groups. All calls but
 * masq_group() take a NETLINK_NETFILTER socket in the node's network namespace and block. Callers
 * see to it (by a lock) that one process at a time adds or sweeps; other users of nftables need no
 * lock.
 *
 * Where another writer keeps nftables busy for two seconds: -EAGAIN, -EBUSY, -ERESTART or -EINTR
 * and PW_E_AGAIN; trying again later may succeed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/ipaddr.h"

struct nlsock;
struct pw_error;

/* How a pod is masqueraded; all borrowed, in any order, of either family. */
struct masq_list {
	const struct cidr *exclusions; /* destinations that see the pod's own address */
	size_t n_exclusions;
	const struct cidr *sources; /* that a pod may have and that stay as they are */
	size_t n_sources;
};

/*
 * The group of the links of pods with this list: 1 << 30 and more, so that nobody's small number is
 * meant, and less than 1 << 31, so that every tool can name it. Lists that mean the same have the
 * same group; two others have the same by a chance of one in 2^30, and then each is masqueraded by
 * the rules of both.
 */
int masq_group(const struct masq_list *list, uint32_t *ret, struct pw_error *err);

/*
 * All lists that pods of the node have, asked for when the table is found missing or damaged (a
 * firewall reload): calls masq_others_add() for each pod and returns what failed. A pod that cannot
 * be read is best left out, since an error here fails the addition as well. The list that is being
 * added may be among them.
 */
struct masq_others;
typedef int (*masq_others_t)(struct masq_others *others, void *arg, struct pw_error *err);
int masq_others_add(struct masq_others *others, const struct masq_list *list, struct pw_error *err);

/*
 * Makes or mends what is missing for @list. The links that are meant have their group already, lest
 * somebody else's sweep takes it for unused. @others may be NULL.
 */
int masq_add(struct nlsock *sock, const struct masq_list *list, masq_others_t others, void *arg,
	     struct pw_error *err);

/* Sets @used[i] where there's a link of @groups[i]; all are false when it is called. */
typedef int (*masq_users_t)(void *arg, const uint32_t *groups, bool *used, size_t n,
			    struct pw_error *err);
/*
 * Removes the lists whose groups have no link any more, the table with the last. Returns 1 if
 * something was removed, 0 if there was nothing (also no table, or no nftables at all).
 */
int masq_sweep(struct nlsock *sock, masq_users_t users, void *arg, struct pw_error *err);

/* 0 if @list is in force; -ENOENT with PW_E_CHECK and a message that names what is missing. */
int masq_check(struct nlsock *sock, const struct masq_list *list, struct pw_error *err);
