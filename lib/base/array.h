/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* An owned array whose element type is its user's. Zeroed, it is empty. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct array {
	void *v;
	size_t n;
};

static inline void array_done(struct array *a)
{
	free(a->v);
	*a = (struct array){ 0 };
}

/* Adds @more zeroed elements of @size and returns the first, or NULL when out of memory. */
static inline void *array_grow(struct array *a, size_t size, size_t more)
{
	char *v = reallocarray(a->v, a->n + more, size);

	if (!v)
		return NULL;
	memset(v + a->n * size, 0, more * size);
	a->v = v;
	a->n += more;
	return v + (a->n - more) * size;
}

#define ARRAY_COUNT(a) (sizeof(a) / sizeof((a)[0]))
