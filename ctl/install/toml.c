/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "install/toml.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct reader {
	const char *p, *end;
	toml_value_t each;
	void *arg;
	char table[TOML_PATH_LEN]; /* with a slash behind it; empty at the top */
	bool lost;                 /* in a table whose name says nothing to us */
};

static bool at(const struct reader *r, char c)
{
	return r->p < r->end && *r->p == c;
}

static bool at_three(const struct reader *r, char c)
{
	return r->end - r->p >= 3 && r->p[0] == c && r->p[1] == c && r->p[2] == c;
}

static void skip_blanks(struct reader *r)
{
	while (at(r, ' ') || at(r, '\t'))
		r->p++;
}

static void skip_line(struct reader *r)
{
	const char *nl = memchr(r->p, '\n', (size_t)(r->end - r->p));

	r->p = nl ? nl + 1 : r->end;
}

/* Blanks, ends of lines, comments. */
static void skip_space(struct reader *r)
{
	while (r->p < r->end) {
		if (*r->p == '#')
			skip_line(r);
		else if (strchr(" \t\r\n", *r->p) && *r->p)
			r->p++;
		else
			return;
	}
}

/* Behind the three quotes that close a text of several lines. */
static void skip_long_string(struct reader *r)
{
	char quote = *r->p;

	for (r->p += 3; r->p < r->end; r->p++) {
		if (quote == '"' && *r->p == '\\' && r->end - r->p > 1)
			r->p++;
		else if (at_three(r, quote))
			break;
	}
	while (at(r, quote))
		r->p++;
}

/* The byte that a backslash and @c stand for; 0: none that we know. */
static char unescape(char c)
{
	static const char from[] = "\"\\tnr", to[] = "\"\\\t\n\r";
	const char *known = c ? strchr(from, c) : NULL;

	if (!known)
		return '\0';
	return to[known - from];
}

/* A string of one line, "basic" or 'literal'. False, behind it, where it isn't one that we take. */
static bool read_string(struct reader *r, char *ret, size_t size)
{
	char quote = *r->p++;
	size_t n = 0;
	bool good = true;

	for (; r->p < r->end && *r->p != '\n'; r->p++) {
		char c = *r->p;

		if (c == quote) {
			r->p++;
			ret[n] = '\0';
			return good;
		}
		if (c == '\\' && quote == '"' && r->end - r->p > 1 && r->p[1] != '\n')
			c = unescape(*++r->p);
		if (c == '\0' || n + 1 >= size)
			good = false;
		else
			ret[n++] = c;
	}
	return false;
}

static bool is_bare(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_';
}

static bool read_key_part(struct reader *r, char part[TOML_PATH_LEN])
{
	size_t n = 0;

	if (at(r, '"') || at(r, '\''))
		return !at_three(r, *r->p) && read_string(r, part, TOML_PATH_LEN);
	for (; r->p < r->end && is_bare(*r->p); r->p++) {
		if (n + 1 >= TOML_PATH_LEN)
			return false;
		part[n++] = *r->p;
	}
	part[n] = '\0';
	return n > 0;
}

/* Puts a dotted key behind what @path holds, each part with a slash behind it. */
static bool read_key(struct reader *r, char path[TOML_PATH_LEN])
{
	size_t len = strlen(path);

	for (;;) {
		char part[TOML_PATH_LEN];
		int n;

		skip_blanks(r);
		if (!read_key_part(r, part) || !part[0] || strchr(part, '/'))
			return false;
		n = snprintf(path + len, TOML_PATH_LEN - len, "%s/", part);
		if (n < 0 || (size_t)n >= TOML_PATH_LEN - len)
			return false;
		len += (size_t)n;
		skip_blanks(r);
		if (!at(r, '.'))
			return true;
		r->p++;
	}
}

static void read_table(struct reader *r)
{
	bool array = r->end - r->p > 1 && r->p[1] == '[';

	r->p += array ? 2 : 1;
	r->table[0] = '\0';
	/* one of an array of tables has no name of its own */
	r->lost = array || !read_key(r, r->table) || !at(r, ']');
	skip_line(r);
}

/* A string of either length; true with @value where it's one that we take. */
static bool take_string(struct reader *r, char value[TOML_STRING_LEN])
{
	if (!at_three(r, *r->p))
		return read_string(r, value, TOML_STRING_LEN);
	skip_long_string(r);
	return false;
}

static void read_array(struct reader *r, const char *path)
{
	char value[TOML_STRING_LEN];
	size_t depth = 1, index = 0;

	r->p++;
	while (depth > 0) {
		skip_space(r);
		if (r->p >= r->end)
			return;
		if (at(r, '"') || at(r, '\'')) {
			if (take_string(r, value) && depth == 1)
				r->each(path, value, index++, r->arg);
			continue;
		}
		if (at(r, '[') || at(r, '{'))
			depth++;
		else if (at(r, ']') || at(r, '}'))
			depth--;
		r->p++;
	}
}

static void read_value(struct reader *r, const char *path)
{
	char value[TOML_STRING_LEN];

	if (at(r, '[')) {
		read_array(r, path);
	} else if (at(r, '"') || at(r, '\'')) {
		if (take_string(r, value))
			r->each(path, value, 0, r->arg);
	}
	skip_line(r);
}

static void ignore(const char *path, const char *value, size_t index, void *arg)
{
	(void)path;
	(void)value;
	(void)index;
	(void)arg;
}

static void read_pair(struct reader *r)
{
	toml_value_t each = r->each;
	char path[TOML_PATH_LEN];
	bool good;

	memcpy(path, r->table, sizeof(path));
	good = read_key(r, path) && at(r, '=');
	if (!at(r, '=')) {
		skip_line(r);
		return;
	}
	r->p++;
	skip_blanks(r);
	if (path[0])
		path[strlen(path) - 1] = '\0';
	/* the value of a key that says nothing to us may have several lines all the same */
	if (!good || r->lost)
		r->each = ignore;
	read_value(r, path);
	r->each = each;
}

void toml_read(const char *text, size_t len, toml_value_t each, void *arg)
{
	struct reader r = { .p = text, .end = text + len, .each = each, .arg = arg };

	for (;;) {
		skip_space(&r);
		if (r.p >= r.end)
			return;
		if (at(&r, '['))
			read_table(&r);
		else
			read_pair(&r);
	}
}
