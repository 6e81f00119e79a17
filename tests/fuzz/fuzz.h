/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the fuzz targets share
 *
 * A target is one file with the two functions that libFuzzer calls. With clang it is fuzzed; with
 * any compiler it replays its corpus (replay.c). It holds what it is fed to properties, not only to
 * not crashing: require() ends the process where one doesn't hold.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define require(what)                                                                           \
	do {                                                                                    \
		if (!(what)) {                                                                  \
			(void)fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, \
				      #what);                                                   \
			abort();                                                                \
		}                                                                               \
	} while (0)

struct json_object;
struct pw_error;

/* @err is that of a failure: a code, an errno, and messages that are one line of UTF-8 each. */
void require_error(const struct pw_error *err, int r);

/* A copy with a NUL behind it, to be freed. */
char *fuzz_text(const uint8_t *data, size_t size);

/* A copy with the members of objects in reversed order, at any depth; to be put. */
struct json_object *fuzz_reverse(struct json_object *v);

/* An empty directory of the process's own that goes with it; a descriptor. */
int fuzz_directory(void);
