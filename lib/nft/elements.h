/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the kernel has in the sets of podwire's table. A set that isn't there is empty. */
#include <stddef.h>

#include "nft/exclusions.h"
#include "nft/ruleset.h"

struct nlsock;
struct pw_error;

struct elements {
	struct ruleset_element *list;
	size_t n, room;
};
void elements_done(struct elements *e);

/* Adds the element of @address in the list @hash, if there is one. */
int elements_get(struct nlsock *sock, const char *hash, const struct ipaddr *address,
		 struct elements *ret, struct pw_error *err);

/* Adds all elements of the list @hash, of both families; with @owner, only those of this owner. */
int elements_dump(struct nlsock *sock, const char *hash, const char *owner, struct elements *ret,
		  struct pw_error *err);

/* 1 if the set of excluded destinations holds exactly the bounds of @e's @family, 0 if not. */
int elements_match(struct nlsock *sock, int family, const struct exclusions *e,
		   struct pw_error *err);
