/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Rows of text under titles, aligned, in as many columns of a terminal as there are
 *
 * Where a table is too wide, columns that it can do without are cut and go first, by their rank;
 * then the widest of those that are left are cut, as far as they allow it. Without a width nothing
 * goes and nothing is cut. Pure.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/array.h"
#include "view/paint.h"

struct column {
	const char *title;
	unsigned int rank;  /* 0: stays; the highest goes first */
	unsigned int least; /* what it may be cut down to; 0: not at all */
};

#define TABLE_COLUMNS_MAX 24
/* A longer text is cut even where there's no width, so that one can't blow up all rows. */
#define TABLE_CELL_MAX 4096

struct table {
	const struct column *columns;
	size_t n_columns;   /* up to TABLE_COLUMNS_MAX */
	struct array cells; /* row by row */
	bool failed;        /* out of memory on the way */
};

/*
 * The next cell of a row, or the first of the next; any text will do. An empty one is "-", and NULL
 * is one that there was no memory for.
 */
void table_add(struct table *table, const char *text, enum paint paint);

/* 0 or -ENOMEM. Whether @f takes it is its owner's to ask. */
int table_print(const struct table *table, const struct look *look, FILE *f);
void table_done(struct table *table);
