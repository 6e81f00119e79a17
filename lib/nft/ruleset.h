/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What podwire's table looks like
 *
 * Names, and the messages that make its parts. Writes into a batch and asks the kernel nothing.
 *
 *	table inet podwire {
 *		set pods4_HASH { type ipv4_addr; elements = { 10.1.0.2 comment "vethpw012345678" } }
 *		set not4_HASH { type ipv4_addr; flags interval; elements = { 10.1.0.0/16 } }
 *		set pods6_HASH { type ipv6_addr; }
 *		set not6_HASH { type ipv6_addr; flags interval; }
 *		chain postrouting { type nat hook postrouting priority srcnat; policy accept;
 *			ip saddr @pods4_HASH ip daddr != @not4_HASH masquerade
 *			ip6 saddr @pods6_HASH ip6 daddr != @not6_HASH masquerade
 *		}
 *	}
 *
 * HASH names a list of exclusions: pods with the same list share its four sets and two rules.
 */
#include <net/if.h>
#include <stddef.h>

#include "net/ipaddr.h"
#include "nft/batch.h"
#include "nft/exclusions.h"

struct pw_error;

#define RULESET_TABLE "podwire"
#define RULESET_HOOK "postrouting"
#define RULESET_PRIORITY 100
#define RULESET_NAMELEN (6 + EXCLUSIONS_NAMELEN) /* "pods4_HASH" and a NUL */

/* A pod's address in the set of its family and its list. */
struct ruleset_element {
	struct ipaddr address;
	char owner[IFNAMSIZ]; /* its comment */
	char hash[EXCLUSIONS_NAMELEN];
};

/* The four sets of a list. @ret has RULESET_NAMELEN bytes and is returned. */
const char *ruleset_pods(int family, const char *hash, char *ret);
const char *ruleset_excluded(int family, const char *hash, char *ret);
/* The hash in the name of a set of pods of either family, or NULL. */
const char *ruleset_hash(const char *set);

/* How the rule of a list is recognised in a dump: its expressions' names, with lookups' sets. */
#define RULESET_RULELEN 128
const char *ruleset_rule(int family, const char *hash, char *ret);

/* A table that is there is woken up; a set or chain that is there stays as it is. */
void ruleset_add_table(struct batch *b);
void ruleset_add_chain(struct batch *b);
void ruleset_add_pods(struct batch *b, int family, const char *hash);
void ruleset_add_excluded(struct batch *b, int family, const char *hash);
void ruleset_add_rule(struct batch *b, int family, const char *hash);

/* The elements of a set of excluded destinations: the bounds of @e's @family. */
int ruleset_add_bounds(struct batch *b, int family, const struct exclusions *e,
		       struct pw_error *err);

/* All of @elements are of one family and list. They must not be there yet. */
void ruleset_add_elements(struct batch *b, const struct ruleset_element *elements, size_t n);
void ruleset_delete_element(struct batch *b, const struct ruleset_element *element);

void ruleset_flush_set(struct batch *b, const char *set);
void ruleset_delete_set(struct batch *b, const char *set);
void ruleset_delete_rule(struct batch *b, uint64_t handle);
void ruleset_delete_chain(struct batch *b);
void ruleset_delete_table(struct batch *b);
