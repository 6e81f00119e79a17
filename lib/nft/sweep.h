/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Chains that go with the last element that jumps to them. */
#include <stddef.h>

#include "nft/batch.h"
#include "nft/ruleset.h"

struct nlsock;
struct pw_error;

/*
 * Writes into @b, behind the deletion of the elements @gone, the deletion of every chain of ours
 * that nothing else uses, with its sets. Returns 1 if there was such a chain, 0 if not.
 */
int sweep_chains(struct batch *b, struct nlsock *sock, const struct ruleset_element *gone, size_t n,
		 struct pw_error *err);
