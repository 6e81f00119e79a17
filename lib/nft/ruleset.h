/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What podwire's table looks like
 *
 * Names, and the messages that make its parts. Writes into a batch and asks the kernel nothing.
 *
 *	table inet podwire {
 *		set from4_HASH { type ipv4_addr; flags interval; elements = { 10.9.0.0/16 } }
 *		set to4_HASH { type ipv4_addr; flags interval; elements = { 10.1.0.0/16 } }
 *		set from6_HASH { type ipv6_addr; flags interval; }
 *		set to6_HASH { type ipv6_addr; flags interval; }
 *		chain postrouting { type nat hook postrouting priority srcnat; policy accept;
 *			iifgroup N ip saddr != @from4_HASH ip daddr != @to4_HASH masquerade
 *			iifgroup N ip6 saddr != @from6_HASH ip6 daddr != @to6_HASH masquerade
 *		}
 *	}
 *
 * HASH names what the four sets hold, and N is made of it: pods with the same list share them. A
 * list without sources that stay as they are has neither the sets of them nor their look-up.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/ipaddr.h"
#include "nft/batch.h"
#include "nft/prefixes.h"

struct pw_error;

#define RULESET_TABLE "podwire"
#define RULESET_HOOK "postrouting"
#define RULESET_PRIORITY 100
#define RULESET_NAMELEN (6 + PREFIXES_NAMELEN) /* "from4_HASH" and a NUL */

/* A list by its name. */
struct ruleset_key {
	char hash[PREFIXES_NAMELEN];
	bool from; /* has sources that stay as they are */
};

/* The two kinds of sets. */
enum ruleset_side {
	RULESET_FROM,
	RULESET_TO,
};

/* @ret has RULESET_NAMELEN bytes and is returned. */
const char *ruleset_set(enum ruleset_side side, int family, const char *hash, char *ret);
/* The hash in the name of a set of ours and whose side it is, or NULL. */
const char *ruleset_hash(const char *set, enum ruleset_side *ret_side);

uint32_t ruleset_group(const char *hash);

/*
 * How the rule of a list is recognised in a dump: its expressions, with all that makes a difference
 * between them. See view.c.
 */
#define RULESET_RULELEN 192
const char *ruleset_rule(int family, const struct ruleset_key *key, char *ret);

/* A table that is there is woken up; a set or chain that is there stays as it is. */
void ruleset_add_table(struct batch *b);
void ruleset_add_chain(struct batch *b);
void ruleset_add_set(struct batch *b, enum ruleset_side side, int family, const char *hash);
void ruleset_add_rule(struct batch *b, int family, const struct ruleset_key *key);

/* The elements of @set: the bounds of @prefixes' @family. */
int ruleset_add_bounds(struct batch *b, const char *set, int family,
		       const struct prefixes *prefixes, struct pw_error *err);

void ruleset_flush_set(struct batch *b, const char *set);
void ruleset_delete_set(struct batch *b, const char *set);
void ruleset_delete_rule(struct batch *b, uint64_t handle);
void ruleset_delete_chain(struct batch *b);
void ruleset_delete_table(struct batch *b);
