/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A directory for one test: cmocka_unit_test_setup_teardown(test, tmpdir_setup, tmpdir_teardown).
 */
#include <stddef.h>

struct tmpdir {
	char path[48];
	int fd;
};

int tmpdir_setup(void **state);
int tmpdir_teardown(void **state);

/* Writes a file, with mode 0600 or as given; fails the test where it can't. */
void tmpdir_write(const struct tmpdir *dir, const char *name, const char *text);
void tmpdir_program(const struct tmpdir *dir, const char *name, const char *script);
/* What is in it, to be freed. */
char *tmpdir_read(const struct tmpdir *dir, const char *name);
/* How many entries it has. */
size_t tmpdir_count(const struct tmpdir *dir);
