/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Where what stands in a JSON object, by lines: json-c doesn't say. Pure. */
#include <stddef.h>

#include "base/array.h"
#include "base/error.h"

#define LINES_KEYS_MAX 64
#define LINES_ELEMENTS_MAX 4096 /* of all arrays together */
#define LINES_DEPTH_MAX 16
#define LINES_NAME_MAX 63 /* bytes */

struct lines_key {
	/*
	 * Without its escapes: what isn't ASCII or is NUL is '?', and what is longer is cut, so
	 * that this never equals a name of ASCII letters that the key isn't.
	 */
	char name[LINES_NAME_MAX + 1];
	unsigned int line;
	size_t first, n; /* its elements, if its value is an array, in struct lines */
};

/* The members of the one object that the text is, in their order; the same key twice is two. */
struct lines {
	struct array keys;     /* struct lines_key */
	struct array elements; /* unsigned int: the line on which each begins */
};

/*
 * Holds @text to RFC 8259, with what is above for bounds: one object, UTF-8, a NUL behind its @len
 * bytes. -EINVAL with what is wrong in @err and the line of it in @ret_line.
 */
int lines_scan(const char *text, size_t len, struct lines *ret, unsigned int *ret_line,
	       struct pw_error *err);

/* The line of element @index of @key's value, or that of @key if there is none. */
unsigned int lines_element(const struct lines *l, const struct lines_key *key, size_t index);

void lines_done(struct lines *l);
