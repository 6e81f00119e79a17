/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Tells a link's neighbours that an address is at this link now: a gratuitous ARP request
 * (RFC 5227) or an unsolicited neighbour advertisement (RFC 4861, 7.2.6).
 */
#include "net/ipaddr.h"
#include "net/mac.h"

struct pw_error;

/* From the caller's network namespace, once. */
int announce(int ifindex, const char *ifname, const struct mac *mac, const struct ipaddr *ip,
	     struct pw_error *err);
