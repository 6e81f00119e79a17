/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* ipMasq: lib/nft's table under the lock that plugin processes share, RUNTIME_DIR/masq.lock. */
#include "store/record.h"

struct nlsock;

/*
 * @rec's addresses with its exclusions. Where the table has vanished (a firewall's reload), all
 * pods of @records_fd that are masqueraded come back with it.
 */
int masquerade_add(int runtime_fd, int records_fd, const struct record *rec, struct pw_error *err);
/*
 * @addresses (struct cidr) may be NULL or empty: what is there of this host end is looked for.
 * @sock: NETLINK_NETFILTER; closing it may wait for what was removed (6 to 14 ms measured), so it
 * is the caller's to close late.
 */
int masquerade_remove(struct nlsock *sock, int runtime_fd, const char *host_ifname,
		      const struct array *addresses, struct pw_error *err);
/* -ENOENT, code PW_E_CHECK, where something of it is missing. */
int masquerade_check(const struct record *rec, struct pw_error *err);
