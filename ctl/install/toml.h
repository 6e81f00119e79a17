/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * As much of TOML as it takes to find a few strings in a container runtime's configuration: tables,
 * dotted keys, strings, arrays of strings. Numbers, dates and inline tables are passed over, and so
 * is what isn't TOML, to the end of its line: the runtime is who judges its configuration. Pure.
 */
#include <stddef.h>

#define TOML_PATH_LEN 256
#define TOML_STRING_LEN 4096

/*
 * @path: table and key, with slashes between their parts ("crio/network/network_dir"); @value is a
 * string, or with @index from 0 one of an array's. Longer ones than above are passed over, and so
 * are keys that are empty or have a slash in them.
 */
typedef void (*toml_value_t)(const char *path, const char *value, size_t index, void *arg);

/* Calls @each in the order of the text, which needs no NUL. */
void toml_read(const char *text, size_t len, toml_value_t each, void *arg);
