/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/utf8.h"

#include <string.h>

size_t utf8_character(const char *s)
{
	const unsigned char *c = (const unsigned char *)s;
	size_t n = *c < 0x80 ? 1 : *c < 0xc2 ? 0 : *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : 4;

	/* overlong forms, surrogates, what is above U+10FFFF */
	if (*c > 0xf4 || (*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] > 0x9f) ||
	    (*c == 0xf0 && c[1] < 0x90) || (*c == 0xf4 && c[1] > 0x8f))
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	}
	return n;
}

bool utf8_is_valid(const char *s)
{
	while (*s) {
		size_t n = utf8_character(s);

		if (n == 0)
			return false;
		s += n;
	}
	return true;
}

void utf8_copy(char *to, size_t size, const char *from)
{
	size_t at = 0;

	while (*from) {
		size_t len = utf8_character(from);
		size_t step = len ? len : 1;

		if (at + step >= size)
			break;
		if (len)
			memcpy(to + at, from, len);
		else
			to[at] = '?';
		at += step;
		from += step;
	}
	to[at] = '\0';
}
