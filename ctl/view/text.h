/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Text from outside on a terminal
 *
 * What is printed here moves no cursor and hides nothing: control characters, characters that only
 * turn or break a line, and bytes that are no UTF-8 are '?'. Width is in columns, by the locale.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A copy fit to print, to be freed; NULL when out of memory. */
char *text_printable(const char *s);
/* The same in place, which makes nothing longer. */
void text_clean(char *s);

/* The texts with ", " between them, to be freed; NULL when out of memory. */
char *text_join(const char *const *texts, size_t n);

/* "0-3,8" of such numbers in any order, which it sorts; as above. */
char *text_ranges(uint32_t *numbers, size_t n);

/* Of a printable text. */
size_t text_width(const char *s);
/* Bytes of as much of a printable text as fits in @width columns; @ret_width is what that has. */
size_t text_fit(const char *s, size_t width, size_t *ret_width);

/* Whether terminals act on it instead of showing it; for all locales the same. */
bool text_is_hidden(uint32_t character);
/* The character at @s, of @n bytes as of utf8_character(). */
uint32_t text_character(const char *s, size_t n);
