/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Prefixes in canonical form
 *
 * Two pods whose exclusions mean the same share their rules, so prefixes that mean the same must
 * have one name. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "net/ipaddr.h"

struct pw_error;

#define PREFIXES_NAMELEN 17 /* 16 hex digits and a NUL */

struct prefixes {
	struct cidr *list; /* IPv4 first; ascending, none inside another, host bits cleared */
	size_t n;
	char name[PREFIXES_NAMELEN]; /* equal lists have equal names */
};

/* @in in any order, with duplicates and overlaps. @ret: to be released by prefixes_done(). */
int prefixes_canonical(const struct cidr *in, size_t n, struct prefixes *ret, struct pw_error *err);
void prefixes_done(struct prefixes *e);

/* A bound of an interval, as an nftables interval set keeps it: [key, next end's key). */
struct prefixes_bound {
	struct ipaddr key;
	bool end;  /* first address that is outside */
	bool open; /* an interval up to the family's last address: it has no end */
};

/*
 * The bounds of the list's @family in ascending order, as nft itself makes them: an interval set
 * that does not begin with the family's first address begins with an end at that address.
 * @ret: the caller's to free, or NULL for none.
 */
int prefixes_bounds(const struct prefixes *e, int family, struct prefixes_bound **ret,
		    size_t *ret_n, struct pw_error *err);
