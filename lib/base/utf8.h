/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Is it text? What comes from outside ends up in JSON, which must be UTF-8 (RFC 3629). Pure. */
#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character at @s, 1 to 4; 0 where there is none. Reads no further than a NUL. */
size_t utf8_character(const char *s);
bool utf8_is_valid(const char *s);
/* As much of @from as fits in whole characters, and '?' for each byte that is none. */
void utf8_copy(char *to, size_t size, const char *from);
