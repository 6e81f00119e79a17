/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Neighbour entries. */
#include "net/ipaddr.h"
#include "net/mac.h"

struct nlsock;
struct pw_error;

/* A permanent entry, in place of what may be there. */
int neigh_set(struct nlsock *s, int ifindex, const char *ifname, const struct ipaddr *ip,
	      const struct mac *mac, struct pw_error *err);

/* 1 if it was removed, 0 if there was none. */
int neigh_remove(struct nlsock *s, int ifindex, const struct ipaddr *ip, struct pw_error *err);
