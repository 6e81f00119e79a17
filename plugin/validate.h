/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * --validate: a conflist (or a single plugin's config) looked at before a runtime does. Every
 * finding is a line "JSON.path: what is wrong" on @out. Returns their number, or a negative errno
 * where the file can't be read as JSON.
 */
#include <stdio.h>

struct pw_error;

int validate_file(const char *path, FILE *out, struct pw_error *err);
int validate_text(const char *text, size_t len, FILE *out, struct pw_error *err);
