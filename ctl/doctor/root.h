/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The node's files, below --root where there is one
 *
 * No path leads out of the root, by whatever link. Only regular files are opened, and read up to a
 * bound: a fifo or a device in a file's place is an error. /proc and /sys are the running kernel's
 * unless the root has its own.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/error.h"

struct doctor;

#define ROOT_FILE_MAX (1u << 20) /* of a configuration, in bytes */

int root_open_all(struct doctor *d, struct pw_error *err);

/* A descriptor for O_PATH, or a negative errno. */
int root_find(const struct doctor *d, const char *path);
bool root_has(const struct doctor *d, const char *path);

/*
 * Whether systemd has service @unit running: it keeps a link of that name as long (since version
 * 240), where what a service has made in /run stays when it is stopped.
 */
bool root_runs(const struct doctor *d, const char *unit);

/* -EINVAL: not a regular file; -EFBIG. @ret is the caller's, with a NUL behind it. */
int root_read(const struct doctor *d, const char *path, size_t max, char **ret, size_t *ret_len);

/* The number that a file below /proc/sys begins with. */
int root_sysctl(const struct doctor *d, const char *key, long *ret);

/* Names in a directory, sorted; of hidden files, none. Empty where there's no such directory. */
struct root_name {
	char name[256];
};
int root_list(const struct doctor *d, const char *path, struct array *ret /* root_name */);

/* @path with --root before it, for who opens by path. */
const char *root_path(const struct doctor *d, const char *path, char *ret, size_t size);
