/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the table should have for a number of pods
 *
 * Their distinct exclusion lists and their addresses' elements. Pure. A zeroed struct is empty.
 */
#include <stdbool.h>
#include <stddef.h>

#include "nft/exclusions.h"
#include "nft/masq.h"
#include "nft/ruleset.h"

struct pw_error;

struct wanted {
	struct exclusions *lists;
	size_t n_lists, lists_room;
	struct ruleset_element *elements;
	size_t n, room;
};
void wanted_done(struct wanted *w);

/*
 * An address that is there already stays with the pod that was added first. -EINVAL for an owner
 * that cannot be a link's name or an address without a family.
 */
int wanted_add(struct wanted *w, const struct masq_pod *pod, struct pw_error *err);

bool wanted_has_list(const struct wanted *w, const char *hash);

/* By family, list and address: as they go into messages. */
void wanted_sort(struct wanted *w);
