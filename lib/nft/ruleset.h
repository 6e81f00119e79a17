/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What podwire's table looks like
 *
 * Names, and the messages that make its parts. Writes into a batch and asks the kernel nothing.
 *
 *	table inet podwire {
 *		map pods4 { type ipv4_addr : verdict; elements = {
 *			10.1.0.2 comment "vethpw0123456789" : jump to_HASH } }
 *		map pods6 { type ipv6_addr : verdict; }
 *		set not4_HASH { type ipv4_addr; flags interval; elements = { 10.1.0.0/16 } }
 *		set not6_HASH { type ipv6_addr; flags interval; }
 *		chain to_HASH {
 *			ip daddr @not4_HASH return
 *			ip6 daddr @not6_HASH return
 *			masquerade
 *		}
 *		chain postrouting { type nat hook postrouting priority srcnat; policy accept;
 *			ip saddr vmap @pods4
 *			ip6 saddr vmap @pods6
 *		}
 *	}
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
#define RULESET_CHAIN_PREFIX "to_"

/* Longest of ours; others' chains, which an operator's element may name, can be longer. */
#define RULESET_NAMELEN (5 + EXCLUSIONS_NAMELEN)

/* A pod's address in the map of its family. */
struct ruleset_element {
	struct ipaddr address;
	char owner[IFNAMSIZ];        /* its comment */
	char chain[RULESET_NAMELEN]; /* where it jumps */
};

/* "pods4" or "pods6". */
const char *ruleset_map(int family);
/* to_HASH, not4_HASH or not6_HASH. @ret has RULESET_NAMELEN bytes and is returned. */
const char *ruleset_chain(const char *hash, char *ret);
const char *ruleset_set(int family, const char *hash, char *ret);

/* How a rule of ours is recognised in a dump: its expressions' names, with a lookup's set. */
#define RULESET_RULELEN 64
const char *ruleset_hook_rule(int family, char *ret);
const char *ruleset_return_rule(int family, const char *hash, char *ret);
#define RULESET_MASQ_RULE "masq"

/* Made where they are missing; an existing one stays as it is. */
void ruleset_add_table(struct batch *b);
void ruleset_add_map(struct batch *b, int family);
void ruleset_add_set(struct batch *b, int family, const char *hash);

void ruleset_add_hook_chain(struct batch *b);
void ruleset_add_hook_rules(struct batch *b);
void ruleset_add_chain(struct batch *b, const char *hash);
void ruleset_add_chain_rules(struct batch *b, const char *hash);

/* The set's elements: the bounds of @e's @family. */
int ruleset_add_bounds(struct batch *b, int family, const struct exclusions *e,
		       struct pw_error *err);

/* All of @elements have one family. They must not be there yet. */
void ruleset_add_elements(struct batch *b, const struct ruleset_element *elements, size_t n);
void ruleset_delete_element(struct batch *b, const struct ipaddr *address);

void ruleset_flush_chain(struct batch *b, const char *chain);
void ruleset_flush_set(struct batch *b, const char *set);
void ruleset_delete_chain(struct batch *b, const char *chain);
void ruleset_delete_set(struct batch *b, const char *set);
void ruleset_delete_table(struct batch *b);
