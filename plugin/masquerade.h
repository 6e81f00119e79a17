/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* ipMasq: lib/nft's table under the lock that plugin processes share, RUNTIME_DIR/masq.lock. */
#include "nft/masq.h"
#include "store/record.h"

struct nlsock;

/*
 * Where the table has vanished (a firewall's reload), the lists of all pods of @records_fd that are
 * masqueraded come back with it. The pod's link has its group already.
 */
int masquerade_add(int runtime_fd, int records_fd, const struct masq_list *list,
		   struct pw_error *err);
/*
 * What no link of the node is in any more; so the pod's own link goes before. @sock:
 * NETLINK_NETFILTER; closing it may wait for what was removed (6 to 14 ms measured), so it is the
 * caller's to close late.
 */
int masquerade_sweep(struct nlsock *sock, int runtime_fd, struct pw_error *err);
/* -ENOENT, code PW_E_CHECK, where something of it is missing. */
int masquerade_check(const struct masq_list *list, struct pw_error *err);
