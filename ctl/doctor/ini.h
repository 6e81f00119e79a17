/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Files of sections and "key = value", as systemd and NetworkManager have them. Pure. */
#include <stddef.h>

/* A negative return ends the walk and is passed on. The strings are gone after the call. */
typedef int (*ini_each_t)(const char *section, const char *key, const char *value, void *arg);

/*
 * Calls @each for what is in @text, which it writes to. Lines that are neither a section nor an
 * assignment are passed over; a backslash at a line's end goes on with the next.
 */
int ini_parse(char *text, ini_each_t each, void *arg);

/* One of @list, words apart by any of @separators, which it writes to; NULL: no more. */
char *ini_word(char **list, const char *separators);
