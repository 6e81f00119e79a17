/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the kernel has of podwire's table, but for the elements of its sets. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nft/ruleset.h"

struct nlsock;
struct pw_error;

struct view_rule {
	char text[RULESET_RULELEN]; /* see ruleset_rule() */
	uint64_t handle;
};

struct view_set {
	char name[RULESET_NAMELEN];
};

struct view {
	bool table;
	bool dormant; /* somebody switched the table's hooks off */
	bool chain;
	bool hooked;             /* the chain is a base chain as ours should be */
	struct view_rule *rules; /* of the chain */
	size_t n_rules, rules_room;
	struct view_set *sets;
	size_t n_sets, sets_room;
	struct ruleset_key *lists; /* that have a set */
	size_t n_lists;
};

int view_read(struct nlsock *sock, struct view *ret, struct pw_error *err);
void view_done(struct view *v);

bool view_has_set(const struct view *v, const char *name);
/* The rule of a list, or NULL. */
const struct view_rule *view_find_rule(const struct view *v, int family,
				       const struct ruleset_key *key);
