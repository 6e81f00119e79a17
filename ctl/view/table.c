/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/table.h"

#include <assert.h>
#include <errno.h>
#include <langinfo.h>
#include <string.h>

#include "base/cleanup.h"
#include "view/text.h"

#define GAP 2 /* between columns */

struct cell {
	char *text;
	size_t width;
	enum paint paint;
};

void table_done(struct table *table)
{
	struct cell *cells = table->cells.v;

	for (size_t i = 0; i < table->cells.n; i++)
		free(cells[i].text);
	array_done(&table->cells);
}

void table_add(struct table *table, const char *text, enum paint paint)
{
	/* so that whatever splits lines at blanks finds as many words in each */
	char *copy = text ? strndup(*text ? text : "-", TABLE_CELL_MAX) : NULL;
	struct cell *cell = copy ? array_grow(&table->cells, sizeof(*cell), 1) : NULL;

	if (!cell) {
		free(copy);
		table->failed = true;
		return;
	}
	text_clean(copy); /* also of the half of a character */
	*cell = (struct cell){ copy, text_width(copy), paint };
}

/* A column's width; 0: it isn't shown. */
typedef size_t widths[TABLE_COLUMNS_MAX];

static void measure(const struct table *table, widths width)
{
	const struct cell *cells = table->cells.v;

	for (size_t i = 0; i < table->n_columns; i++)
		width[i] = strlen(table->columns[i].title);
	for (size_t i = 0; i < table->cells.n; i++) {
		size_t *w = &width[i % table->n_columns];

		if (cells[i].width > *w)
			*w = cells[i].width;
	}
}

static size_t sum(const struct table *table, const widths width)
{
	size_t all = 0;

	for (size_t i = 0; i < table->n_columns; i++)
		all += width[i] ? width[i] + (all ? GAP : 0) : 0;
	return all;
}

/* Whether there was one to do without: the first to go gets narrower as long as it may. */
static bool narrow_optional(const struct table *table, widths width)
{
	size_t which = table->n_columns;

	for (size_t i = 0; i < table->n_columns; i++) {
		unsigned int rank = width[i] ? table->columns[i].rank : 0;

		if (rank && (which == table->n_columns || rank > table->columns[which].rank))
			which = i;
	}
	if (which == table->n_columns)
		return false;
	if (table->columns[which].least && width[which] > table->columns[which].least)
		width[which]--;
	else
		width[which] = 0;
	return true;
}

/* Whether there was one to cut. */
static bool cut_widest(const struct table *table, widths width)
{
	size_t which = table->n_columns;

	for (size_t i = 0; i < table->n_columns; i++) {
		unsigned int least = table->columns[i].least;

		if (least && width[i] > least &&
		    (which == table->n_columns || width[i] > width[which]))
			which = i;
	}
	if (which == table->n_columns)
		return false;
	width[which]--;
	return true;
}

static void fit(const struct table *table, size_t columns, widths width)
{
	while (sum(table, width) > columns && narrow_optional(table, width))
		;
	while (sum(table, width) > columns && cut_widest(table, width))
		;
}

/* What is too long ends in an ellipsis. Returns the width. */
static size_t print_cell(FILE *f, const struct look *look, const struct cell *cell, size_t width)
{
	bool unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	char text[TABLE_CELL_MAX + 8];
	size_t used, len;

	if (cell->width <= width) {
		paint_text(f, look, cell->paint, cell->text);
		return cell->width;
	}
	len = text_fit(cell->text, width - 1, &used);
	memcpy(text, cell->text, len);
	memcpy(text + len, unicode ? "\xe2\x80\xa6" : "~", unicode ? 4 : 2);
	paint_text(f, look, cell->paint, text);
	return used + 1;
}

/* Nothing is behind a row's last cell, so that a line ends with its text. */
static void print_row(const struct table *table, const struct look *look, FILE *f,
		      const widths width, const struct cell *row)
{
	size_t behind = 0;

	for (size_t i = 0; i < table->n_columns; i++) {
		if (!width[i])
			continue;
		(void)fprintf(f, "%*s", (int)behind, "");
		behind = width[i] + GAP - print_cell(f, look, &row[i], width[i]);
	}
	(void)fputc('\n', f);
}

int table_print(const struct table *table, const struct look *look, FILE *f)
{
	const struct cell *cells = table->cells.v;
	struct cell titles[TABLE_COLUMNS_MAX];
	widths width = {};

	if (table->failed)
		return -ENOMEM;
	assert(table->n_columns <= TABLE_COLUMNS_MAX && table->cells.n % table->n_columns == 0);
	measure(table, width);
	if (look->columns)
		fit(table, look->columns, width);
	for (size_t i = 0; i < table->n_columns; i++) {
		const char *title = table->columns[i].title;

		titles[i] = (struct cell){ (char *)title, strlen(title), PAINT_TITLE };
	}
	print_row(table, look, f, width, titles);
	for (size_t i = 0; i < table->cells.n; i += table->n_columns)
		print_row(table, look, f, width, cells + i);
	return 0;
}
