/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/utf8.h"

uint32_t text_character(const char *s, size_t n)
{
	const unsigned char *c = (const unsigned char *)s;
	uint32_t v = n == 1 ? c[0] : c[0] & (0x7fU >> n);

	for (size_t i = 1; i < n; i++)
		v = v << 6 | (c[i] & 0x3f);
	return v;
}

bool text_is_hidden(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || /* C0, C1 */
	       c == 0xad || c == 0x61c ||             /* soft hyphen, Arabic letter mark */
	       (c >= 0x200b && c <= 0x200f) ||        /* zero width, marks of direction */
	       (c >= 0x2028 && c <= 0x202e) ||        /* line separators, embeddings */
	       (c >= 0x2060 && c <= 0x206f) ||        /* invisible operators, isolates */
	       c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe0fff);
}

static int columns_of(uint32_t c)
{
	return text_is_hidden(c) ? -1 : wcwidth((wchar_t)c);
}

void text_clean(char *s)
{
	char *to = s;

	while (*s) {
		size_t n = utf8_character(s);
		size_t step = n ? n : 1;

		if (n == 0 || columns_of(text_character(s, n)) < 0) {
			*to++ = '?';
		} else {
			memmove(to, s, n);
			to += n;
		}
		s += step;
	}
	*to = '\0';
}

char *text_printable(const char *s)
{
	char *copy = strdup(s);

	if (copy)
		text_clean(copy);
	return copy;
}

char *text_join(const char *const *texts, size_t n)
{
	char *all = NULL;
	size_t len;
	FILE *f = open_memstream(&all, &len);

	if (!f)
		return NULL;
	for (size_t i = 0; i < n; i++)
		(void)fprintf(f, "%s%s", i > 0 ? ", " : "", texts[i]);
	if (fclose(f) != 0) {
		free(all);
		return NULL;
	}
	return all;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

char *text_ranges(uint32_t *numbers, size_t n)
{
	char *all = NULL;
	size_t len;
	FILE *f = open_memstream(&all, &len);

	if (!f)
		return NULL;
	if (n > 1)
		qsort(numbers, n, sizeof(*numbers), by_number);
	for (size_t i = 0, last; i < n; i = last + 1) {
		last = i;
		while (last + 1 < n && numbers[last + 1] - numbers[last] <= 1)
			last++;
		(void)fprintf(f, "%s%" PRIu32, i > 0 ? "," : "", numbers[i]);
		if (numbers[last] != numbers[i])
			(void)fprintf(f, "-%" PRIu32, numbers[last]);
	}
	if (fclose(f) != 0) {
		free(all);
		return NULL;
	}
	return all;
}

size_t text_fit(const char *s, size_t width, size_t *ret_width)
{
	size_t at = 0, used = 0;

	while (s[at]) {
		size_t n = utf8_character(s + at);
		int w;

		if (n == 0)
			break;
		w = columns_of(text_character(s + at, n));
		if (w < 0 || used + (size_t)w > width)
			break;
		used += (size_t)w;
		at += n;
	}
	*ret_width = used;
	return at;
}

size_t text_width(const char *s)
{
	size_t width;

	(void)text_fit(s, SIZE_MAX / 2, &width);
	return width;
}
