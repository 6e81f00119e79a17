/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* IP addresses and prefixes as values, both families. Pure. */
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ipaddr {
	uint8_t family; /* AF_INET, AF_INET6; 0: none */
	uint8_t b[16];  /* network order; IPv4 in the first four, the rest zero */
};

struct cidr {
	struct ipaddr ip;
	uint8_t len; /* prefix length in bits */
};

#define IPADDR_STRLEN INET6_ADDRSTRLEN
#define CIDR_STRLEN (INET6_ADDRSTRLEN + 4)

/* Bytes and bits of an address of this family. */
size_t ipaddr_size(const struct ipaddr *a);
unsigned int ipaddr_bits(const struct ipaddr *a);

/* Return 0, or -EINVAL with @ret untouched. */
int ipaddr_parse(const char *text, struct ipaddr *ret);
int cidr_parse(const char *text, struct cidr *ret); /* ADDRESS/LENGTH */
/* ADDRESS or ADDRESS/LENGTH; without one, the whole address. */
int cidr_parse_or_host(const char *text, struct cidr *ret);

/* Both return @buf. */
const char *ipaddr_format(const struct ipaddr *a, char buf[IPADDR_STRLEN]);
const char *cidr_format(const struct cidr *c, char buf[CIDR_STRLEN]);

bool ipaddr_equal(const struct ipaddr *a, const struct ipaddr *b);
bool ipaddr_is_zero(const struct ipaddr *a);
bool ipaddr_is_linklocal(const struct ipaddr *a);
bool ipaddr_is_multicast(const struct ipaddr *a);
bool cidr_equal(const struct cidr *a, const struct cidr *b);
bool cidr_contains(const struct cidr *net, const struct ipaddr *a);
bool cidr_is_default(const struct cidr *c);

/* The address as a prefix of its full length. */
struct cidr cidr_host(const struct ipaddr *a);
/* With the host bits cleared. */
struct cidr cidr_network(const struct cidr *c);

#define IPADDR_STR(a) ipaddr_format((a), (char[IPADDR_STRLEN]){ 0 })
#define CIDR_STR(c) cidr_format((c), (char[CIDR_STRLEN]){ 0 })
