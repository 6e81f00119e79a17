/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A container runtime's configuration, as podwirectl install reads it.
 *
 * Held to: it ends; paths and values are within their lengths; the elements of an array count up
 * from 0; a table behind it is found, unless the text leaves a string or an array open.
 */
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "install/toml.h"

#define BEHIND "\n[fuzz.behind]\nkey = 'value'\n"

struct told {
	size_t n, index;
	char path[TOML_PATH_LEN];
	bool behind;
};

static void take(const char *path, const char *value, size_t index, void *arg)
{
	struct told *told = arg;
	size_t len = strlen(path);

	require(len > 0 && len < TOML_PATH_LEN && path[len - 1] != '/');
	require(strlen(value) < TOML_STRING_LEN);
	require(index == 0 || (index == told->index + 1 && strcmp(path, told->path) == 0));
	told->index = index;
	memcpy(told->path, path, len + 1);
	told->behind = strcmp(path, "fuzz/behind/key") == 0 && strcmp(value, "value") == 0;
	told->n++;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(freep) char *text = malloc(size + sizeof(BEHIND));
	struct told alone = {}, more = {};

	require(text);
	if (size > 0)
		memcpy(text, data, size);
	toml_read(text, size, take, &alone);
	memcpy(text + size, BEHIND, sizeof(BEHIND));
	toml_read(text, size + sizeof(BEHIND) - 1, take, &more);
	require(more.n >= alone.n || memchr(text, '[', size) || memchr(text, '"', size) ||
		memchr(text, '\'', size));
	require(more.behind || memchr(text, '[', size) || memchr(text, '"', size) ||
		memchr(text, '\'', size));
	return 0;
}
