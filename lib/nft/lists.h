/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The distinct lists of a number of pods
 *
 * Pure. A zeroed struct is empty.
 */
#include <stdbool.h>

#include "base/array.h"
#include "nft/masq.h"
#include "nft/prefixes.h"
#include "nft/ruleset.h"

struct pw_error;

struct list {
	struct prefixes to, from; /* destinations and sources that stay as they are */
	struct ruleset_key key;
};

struct lists {
	struct array all; /* struct list */
};
void lists_done(struct lists *l);

/* Puts @in among them; one that means the same as another is that. */
int lists_add(struct lists *l, const struct masq_list *in, struct pw_error *err);

bool lists_have(const struct lists *l, const char *hash);
