/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What else a node must have, or must not have, for a network to work. Changes nothing. */
#include <json-c/json_object.h>
#include <stddef.h>

struct pw_error;
struct say;

/*
 * Whether a runtime would find an executable called @name in @dir; links are followed, as it does.
 * 0, -ENOENT, -EACCES where it isn't executable, -EINVAL where it's no regular file.
 */
int beside_find(int rootfd, const char *dir, const char *name);

/*
 * All plugins that list @v names, less podwire itself, and loopback, which runtimes call for each
 * pod: they are in @dir. @v may be NULL.
 */
int beside_check(int rootfd, const char *dir, struct json_object *v, struct pw_error *err);

/*
 * No other network in directory @dirfd, which is called @dir, sorts before ours: runtimes take the
 * first. Multus' own may, as it has ours make the pod's first interface; @say hears of it.
 */
int beside_check_first(int dirfd, const char *dir, struct say *say, struct pw_error *err);

/* The name of a file in @dirfd, other than ours, that has podwire called; 0 if there's none, 1
 * else. */
int beside_find_user(int dirfd, char *ret, size_t size, struct pw_error *err);
