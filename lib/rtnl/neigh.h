/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Neighbour entries. */
#include "net/ipaddr.h"
#include "net/mac.h"

struct nlsock;
struct pw_error;

enum neigh_kind {
	NEIGH_PERMANENT, /* never changes by itself */
	/* Known, and open to news from the neighbour; like permanent ones, no garbage to collect.
	 */
	NEIGH_LEARNED,
	NEIGH_PROXY, /* answered for on behalf of another; has no MAC */
};

/* In place of what may be there. @mac may be NULL for NEIGH_PROXY. */
int neigh_set(struct nlsock *s, int ifindex, const char *ifname, const struct ipaddr *ip,
	      const struct mac *mac, enum neigh_kind kind, struct pw_error *err);

/*
 * How the neighbours of @ifindex are kept (Linux, Documentation/networking/ip-sysctl.rst, neigh/):
 * base_reachable_time and proxy_delay, in milliseconds.
 */
int neigh_tune(struct nlsock *s, int family, int ifindex, const char *ifname, uint64_t reachable_ms,
	       uint64_t proxy_delay_ms, struct pw_error *err);

/* 1 if it was removed, 0 if there was none. */
int neigh_remove(struct nlsock *s, int ifindex, const struct ipaddr *ip, struct pw_error *err);
