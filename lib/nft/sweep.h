/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Lists that go with their last element. */
#include <stddef.h>

#include "nft/batch.h"
#include "nft/ruleset.h"
#include "nft/view.h"

struct nlsock;
struct pw_error;

/*
 * Writes into @b, behind the deletion of the elements @gone, the deletion of the rules and sets of
 * every list that has no other elements. Returns how many lists that are.
 */
int sweep_lists(struct batch *b, struct nlsock *sock, const struct view *view,
		const struct ruleset_element *gone, size_t n, struct pw_error *err);
