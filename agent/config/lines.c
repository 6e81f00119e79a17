/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a JSON text
 *
 * json-c makes the values, and forgets where they stood and which keys were there twice. This goes
 * over the same text first and keeps just that. It is the stricter of the two: what passes here is
 * JSON to json-c as well, so that each fault of syntax is found here, where its line is known.
 *
 * It descends by function calls, and LINES_DEPTH_MAX bounds how far. Each step either takes a byte
 * or fails, and nothing is read behind the NUL that ends the text.
 */
#include "config/lines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/utf8.h"

struct scan {
	const char *at, *end;
	unsigned int line;
	unsigned int depth;
	struct lines *found;
	struct pw_error *err;
};

static int scan_value(struct scan *s);

static int wrong(struct scan *s, const char *what)
{
	return pw_fail(s->err, EINVAL, PW_E_DECODE, "%s", what);
}

/* "expected WHAT, got ...": of what is here. */
static int unexpected(struct scan *s, const char *want)
{
	unsigned char c = (unsigned char)*s->at;

	if (s->at == s->end)
		return pw_fail(s->err, EINVAL, PW_E_DECODE, "expected %s, got the end of the file",
			       want);
	if (c > ' ' && c < 0x7f)
		return pw_fail(s->err, EINVAL, PW_E_DECODE, "expected %s, got '%c'", want, c);
	return pw_fail(s->err, EINVAL, PW_E_DECODE, "expected %s, got byte 0x%02x", want, c);
}

static void skip_space(struct scan *s)
{
	for (; *s->at == ' ' || *s->at == '\t' || *s->at == '\r' || *s->at == '\n'; s->at++)
		s->line += *s->at == '\n';
}

static bool take(struct scan *s, char c)
{
	if (*s->at != c)
		return false;
	s->at++;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int take_digits(struct scan *s)
{
	if (!is_digit(*s->at))
		return unexpected(s, "a digit");
	while (is_digit(*s->at))
		s->at++;
	return 0;
}

static int scan_number(struct scan *s)
{
	int r;

	(void)take(s, '-');
	if (take(s, '0')) {
		if (is_digit(*s->at))
			return wrong(s, "a number begins with 0");
	} else {
		r = take_digits(s);
		if (r < 0)
			return r;
	}
	if (take(s, '.')) {
		r = take_digits(s);
		if (r < 0)
			return r;
	}
	if (!take(s, 'e') && !take(s, 'E'))
		return 0;
	if (!take(s, '+'))
		(void)take(s, '-');
	return take_digits(s);
}

static int scan_word(struct scan *s)
{
	static const char *const words[] = { "true", "false", "null" };

	for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
		size_t len = strlen(words[i]);

		if (strncmp(s->at, words[i], len) == 0) {
			s->at += len;
			return 0;
		}
	}
	return unexpected(s, "a value");
}

/* Four hexadecimal digits: their value. */
static int take_hex(struct scan *s)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	int value = 0;

	for (int i = 0; i < 4; i++) {
		const char *digit = *s->at ? strchr(digits, *s->at) : NULL;
		int n = digit ? (int)(digit - digits) : 0;

		if (!digit)
			return unexpected(s, "a hexadecimal digit");
		value = value * 16 + (n < 16 ? n : n - 6);
		s->at++;
	}
	return value;
}

/* Behind a backslash: the character, which is '?' where it isn't ASCII or is none. */
static int take_escape(struct scan *s)
{
	static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
	const char *name = *s->at ? strchr(names, *s->at) : NULL;
	int c;

	if (name) {
		s->at++;
		return means[name - names];
	}
	if (!take(s, 'u'))
		return unexpected(s, "an escape");
	c = take_hex(s);
	return c < 0 || (c > 0 && c < 0x80) ? c : '?';
}

/* One character of a string, as above. */
static int take_character(struct scan *s)
{
	size_t n;

	if (take(s, '\\'))
		return take_escape(s);
	if (s->at == s->end)
		return wrong(s, "the file ends within a string");
	if ((unsigned char)*s->at < ' ')
		return *s->at == '\n' ? wrong(s, "the line ends within a string")
				      : unexpected(s, "a character");
	n = utf8_character(s->at);
	if (n == 0)
		return wrong(s, "a string that is not UTF-8");
	s->at += n;
	return n == 1 ? s->at[-1] : '?';
}

/* @name may be NULL. */
static int scan_string(struct scan *s, char name[LINES_NAME_MAX + 1])
{
	size_t len = 0;

	s->at++;
	while (!take(s, '"')) {
		int c = take_character(s);

		if (c < 0)
			return c;
		if (name && len < LINES_NAME_MAX)
			name[len++] = (char)c;
	}
	if (name)
		name[len] = '\0';
	return 0;
}

static int add_key(struct scan *s, struct lines_key **ret)
{
	struct lines_key *key;

	if (s->found->keys.n == LINES_KEYS_MAX)
		return pw_fail(s->err, EINVAL, PW_E_DECODE, "more than %d keys", LINES_KEYS_MAX);
	key = array_grow(&s->found->keys, sizeof(*key), 1);
	if (!key)
		return pw_oom(s->err);
	key->line = s->line;
	key->first = s->found->elements.n;
	*ret = key;
	return 0;
}

static int add_element(struct scan *s)
{
	struct lines_key *keys = s->found->keys.v;
	unsigned int *line;

	if (s->found->elements.n == LINES_ELEMENTS_MAX)
		return pw_fail(s->err, EINVAL, PW_E_DECODE, "more than %d elements in arrays",
			       LINES_ELEMENTS_MAX);
	line = array_grow(&s->found->elements, sizeof(*line), 1);
	if (!line)
		return pw_oom(s->err);
	*line = s->line;
	keys[s->found->keys.n - 1].n++;
	return 0;
}

/* @outermost: the members are those that are kept. */
static int scan_member(struct scan *s, bool outermost)
{
	struct lines_key *key = NULL;
	int r = 0;

	if (*s->at != '"')
		return unexpected(s, "a key in double quotes");
	if (outermost)
		r = add_key(s, &key);
	if (r == 0)
		r = scan_string(s, key ? key->name : NULL);
	if (r < 0)
		return r;
	skip_space(s);
	if (!take(s, ':'))
		return unexpected(s, "':'");
	return scan_value(s);
}

static int scan_object(struct scan *s)
{
	bool outermost = s->depth == 1;

	s->at++;
	skip_space(s);
	if (take(s, '}'))
		return 0;
	for (;;) {
		int r = scan_member(s, outermost);

		if (r < 0)
			return r;
		skip_space(s);
		if (take(s, '}'))
			return 0;
		if (!take(s, ','))
			return unexpected(s, "',' or '}'");
		skip_space(s);
	}
}

static int scan_array(struct scan *s)
{
	bool of_member = s->depth == 2;

	s->at++;
	skip_space(s);
	if (take(s, ']'))
		return 0;
	for (;;) {
		int r;

		skip_space(s);
		r = of_member ? add_element(s) : 0;
		if (r == 0)
			r = scan_value(s);
		if (r < 0)
			return r;
		skip_space(s);
		if (take(s, ']'))
			return 0;
		if (!take(s, ','))
			return unexpected(s, "',' or ']'");
	}
}

static int scan_nested(struct scan *s)
{
	int r;

	if (s->depth == LINES_DEPTH_MAX)
		return pw_fail(s->err, EINVAL, PW_E_DECODE, "nested deeper than %d",
			       LINES_DEPTH_MAX);
	s->depth++;
	r = *s->at == '{' ? scan_object(s) : scan_array(s);
	s->depth--;
	return r;
}

static int scan_value(struct scan *s)
{
	skip_space(s);
	if (*s->at == '{' || *s->at == '[')
		return scan_nested(s);
	if (*s->at == '"')
		return scan_string(s, NULL);
	if (*s->at == '-' || is_digit(*s->at))
		return scan_number(s);
	return scan_word(s);
}

static int scan_text(struct scan *s)
{
	int r;

	skip_space(s);
	if (*s->at != '{')
		return unexpected(s, "an object");
	r = scan_nested(s);
	if (r < 0)
		return r;
	skip_space(s);
	return s->at == s->end ? 0 : unexpected(s, "nothing behind the object");
}

int lines_scan(const char *text, size_t len, struct lines *ret, unsigned int *ret_line,
	       struct pw_error *err)
{
	_cleanup_(lines_done) struct lines found = {};
	struct scan s = { .at = text, .end = text + len, .line = 1, .found = &found, .err = err };
	int r = scan_text(&s);

	if (r < 0) {
		*ret_line = s.line;
		return r;
	}
	*ret = found;
	found = (struct lines){};
	return 0;
}

unsigned int lines_element(const struct lines *l, const struct lines_key *key, size_t index)
{
	const unsigned int *line = l->elements.v;

	return index < key->n ? line[key->first + index] : key->line;
}

void lines_done(struct lines *l)
{
	array_done(&l->keys);
	array_done(&l->elements);
}
