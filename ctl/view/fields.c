/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/fields.h"

#include <errno.h>
#include <stdarg.h>

#include "base/cleanup.h"
#include "view/text.h"

/* Less than that beside the labels is no room to break lines in. */
#define LEAST 16

struct line {
	char *label, *value;
	enum paint paint;
};

static void free_line(struct line *line)
{
	free(line->label);
	free(line->value);
}

void fields_done(struct fields *fields)
{
	struct line *lines = fields->lines.v;

	for (size_t i = 0; i < fields->lines.n; i++)
		free_line(&lines[i]);
	array_done(&fields->lines);
}

void fields_add(struct fields *fields, const char *label, enum paint paint, const char *value)
{
	_cleanup_(free_line) struct line line = {
		.label = text_printable(label),
		.value = value ? text_printable(*value ? value : "-") : NULL,
		.paint = paint,
	};
	struct line *new = NULL;

	if (line.label && line.value)
		new = array_grow(&fields->lines, sizeof(*new), 1);
	if (new) {
		*new = line;
		line = (struct line){};
	} else {
		fields->failed = true;
	}
}

void fields_addf(struct fields *fields, const char *label, const char *fmt, ...)
{
	_cleanup_(freep) char *value = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&value, fmt, ap) < 0)
		value = NULL;
	va_end(ap);
	fields_add(fields, label, PAINT_NONE, value);
}

/* Bytes of the next line of @s: up to the last blank that fits, or a word that doesn't. */
static size_t next_line(const char *s, size_t width)
{
	size_t used, fits = text_fit(s, width, &used), end = fits;

	if (!s[fits])
		return fits;
	while (end > 0 && s[end] != ' ')
		end--;
	return end > 0 ? end : strcspn(s + 1, " ") + 1;
}

static void print_value(FILE *f, const struct look *look, const struct line *line, size_t indent)
{
	size_t room = look->columns > indent + LEAST ? look->columns - indent : SIZE_MAX / 2;
	char *s = line->value;

	for (;;) {
		size_t len = next_line(s, room);
		char end = s[len];

		s[len] = '\0';
		paint_text(f, look, line->paint, s);
		s[len] = end;
		s += len;
		if (!*s)
			break;
		s++; /* the blank */
		(void)fprintf(f, "\n%*s", (int)indent, "");
	}
	(void)fputc('\n', f);
}

int fields_print(const struct fields *fields, const struct look *look, FILE *f)
{
	const struct line *lines = fields->lines.v;
	size_t widest = 0;

	if (fields->failed)
		return -ENOMEM;
	for (size_t i = 0; i < fields->lines.n; i++) {
		size_t width = text_width(lines[i].label);

		if (width > widest)
			widest = width;
	}
	for (size_t i = 0; i < fields->lines.n; i++) {
		(void)fprintf(f, "%*s", (int)(widest - text_width(lines[i].label)), "");
		paint_text(f, look, PAINT_TITLE, lines[i].label);
		(void)fputs(": ", f);
		print_value(f, look, &lines[i], widest + 2);
	}
	return 0;
}
