/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How many there are of each: of states, of paths, of reasons. */
#include <stdbool.h>

#include "base/array.h"
#include "json/jenc.h"

struct tally {
	struct array names; /* one for each that was counted, borrowed */
	bool failed;        /* out of memory on the way */
};

/* An empty name isn't counted. */
void tally_add(struct tally *tally, const char *name);
void tally_done(struct tally *tally);

/* Both sort the names first. "3 failed, 12 ready", to be freed; NULL when out of memory. */
char *tally_text(struct tally *tally);
/* {"failed":3,"ready":12}; NULL when out of memory. */
struct json_object *tally_json(struct tally *tally);
