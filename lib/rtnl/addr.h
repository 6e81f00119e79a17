/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Addresses of links. */
#include <stdbool.h>
#include <stdint.h>

#include "net/ipaddr.h"

struct nlsock;
struct pw_error;

struct addr_info {
	int ifindex;
	struct cidr address;
	uint32_t flags; /* IFA_F_ */
};

/*
 * Adds @address to @ifindex without duplicate address detection and, with @no_prefix_route,
 * without the connected route. The same address there already is no error: 0.
 */
int addr_add(struct nlsock *s, int ifindex, const char *ifname, const struct cidr *address,
	     bool no_prefix_route, struct pw_error *err);

/* Called for each address; a negative return ends the dump. NULL: start again. */
typedef int (*addr_each_t)(const struct addr_info *addr, void *arg);

/* @family AF_INET or AF_INET6; @ifindex 0: of all links. */
int addr_dump(struct nlsock *s, int family, int ifindex, addr_each_t each, void *arg,
	      struct pw_error *err);
