/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Routes. */
#include <stdbool.h>
#include <stdint.h>

#include "net/ipaddr.h"

struct nlsock;
struct pw_error;

struct route {
	struct cidr dst;
	struct ipaddr gateway; /* family 0: none, on link */
	struct ipaddr src;     /* preferred source; family 0: none */
	int ifindex;
	uint32_t table;       /* 0: main */
	uint32_t metric;      /* 0: the family's default */
	uint32_t mtu, advmss; /* bytes; 0: none */
	uint8_t scope;        /* RT_SCOPE_ */
	bool onlink;          /* the gateway is reachable by @ifindex without a route to it */
};

enum route_mode {
	ROUTE_ADD,     /* -EEXIST where one with this destination and metric is there */
	ROUTE_REPLACE, /* takes the place of one with this destination and metric */
};

int route_set(struct nlsock *s, const struct route *route, enum route_mode mode, const char *ifname,
	      struct pw_error *err);

/* Where the kernel sends a packet to @dst. */
struct route_lookup {
	int ifindex;
	struct ipaddr src; /* the source it would use; family 0: none */
	bool onlink;       /* to @dst itself, not to a gateway */
};

/* 1 if there's a route, 0 if @dst is unreachable. */
int route_lookup(struct nlsock *s, const struct ipaddr *dst, struct route_lookup *ret,
		 struct pw_error *err);

/* A route as dumped: of several next hops, the first. */
struct route_info {
	struct cidr dst;
	struct ipaddr gateway;
	int ifindex;
	uint32_t table, metric;
	uint8_t protocol; /* RTPROT_ */
	uint8_t type;     /* RTN_ */
};

typedef int (*route_each_t)(const struct route_info *route, void *arg);

/* @family AF_INET or AF_INET6; @table 0: all tables. */
int route_dump(struct nlsock *s, int family, uint32_t table, route_each_t each, void *arg,
	       struct pw_error *err);
