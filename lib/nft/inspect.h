/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the kernel has of podwire's table
 *
 * Every question names the table and, where there is one, the chain or the set, so that its cost
 * does not grow with others' rulesets. "Not there" is an answer, never an error; that holds for a
 * kernel without nf_tables as well.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nft/exclusions.h"
#include "nft/ruleset.h"

struct nlsock;
struct pw_error;

struct inspect_table {
	bool there;
	bool dormant; /* somebody switched its hooks off */
};
int inspect_table(struct nlsock *sock, struct inspect_table *ret, struct pw_error *err);

struct inspect_chain {
	bool there;
	bool hooked;  /* a base chain as ours should be */
	uint32_t use; /* its rules, and the jumps to it */
};
int inspect_chain(struct nlsock *sock, const char *chain, struct inspect_chain *ret,
		  struct pw_error *err);

/* 1: the set or map is there, 0: it isn't. */
int inspect_set(struct nlsock *sock, const char *set, struct pw_error *err);

/*
 * How many rules @chain has (0 also when it isn't there). @ret_found: which of the @n (at most 32)
 * rules @wanted, as ruleset_hook_rule() and others write them, are there in this order; others may
 * stand between.
 */
struct inspect_rules {
	size_t total;
	uint32_t found; /* bit i: wanted[i] */
};
int inspect_rules(struct nlsock *sock, const char *chain, const char *const *wanted, size_t n,
		  struct inspect_rules *ret, struct pw_error *err);

/* 1 if the set holds exactly the bounds of @e's @family, 0 if not, -ENOENT without the set. */
int inspect_bounds(struct nlsock *sock, int family, const struct exclusions *e,
		   struct pw_error *err);

/* 1 and the element of @address, or 0. */
int inspect_element(struct nlsock *sock, const struct ipaddr *address, struct ruleset_element *ret,
		    struct pw_error *err);

struct inspect_elements {
	struct ruleset_element *list;
	size_t n, room;
};
void inspect_elements_done(struct inspect_elements *e);

/* Adds all elements of the map of @family to @ret; with @owner, only those of this owner. */
int inspect_elements(struct nlsock *sock, int family, const char *owner,
		     struct inspect_elements *ret, struct pw_error *err);
