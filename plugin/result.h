/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A CNI result as values, and its JSON form in each version of the specification.
 *
 * 0.1.0 and 0.2.0 know one address a family; from 0.3.0 on there are lists; 1.0.0 drops
 * ips[].version; 1.1.0 adds to interfaces and routes. Reading takes any of them.
 */
#include "net/ipaddr.h"
#include "netconf.h"
#include "spec.h"

struct result_interface {
	const char *name; /* borrowed strings, as everywhere here */
	const char *mac;
	const char *sandbox; /* NULL: on the host */
	uint32_t mtu;        /* 0: not said */
	const char *socket_path, *pci_id;
};

struct result_ip {
	int interface; /* index into interfaces; -1: none */
	struct cidr address;
	struct ipaddr gateway; /* family 0: none */
};

/* Optional numbers of a route; absent ones are not written. */
enum {
	ROUTE_HAS_MTU = 1 << 0,
	ROUTE_HAS_ADVMSS = 1 << 1,
	ROUTE_HAS_PRIORITY = 1 << 2,
	ROUTE_HAS_TABLE = 1 << 3,
	ROUTE_HAS_SCOPE = 1 << 4,
};

struct result_route {
	struct cidr dst;
	struct ipaddr gw;
	unsigned int has;
	uint32_t mtu, advmss, priority, table, scope;
};

struct result {
	struct array interfaces;  /* struct result_interface */
	struct array ips;         /* struct result_ip */
	struct array routes;      /* struct result_route */
	struct json_object *dns;  /* owned reference; NULL: none */
	struct json_object *root; /* owned; what strings are borrowed from */
};

void result_done(struct result *res);

/*
 * @v (a reference is taken): an IPAM plugin's result, or prevResult. Findings are put behind @what,
 * with code @code. Where it doesn't say its version, it has the form of @spec.
 */
int result_decode(struct json_object *v, enum spec spec, const char *what, enum pw_code code,
		  struct result *ret, struct pw_error *err);

/* A new object in the form of @spec. */
int result_encode(const struct result *res, enum spec spec, struct json_object **ret,
		  struct pw_error *err);
