/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Valgrind makes a fork() of the vfork() in posix_spawn(), so that nobody learns why a program
 * could not be started.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline bool in_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "vgpreload");
}

/* Skips the test that is running. */
#define NOT_IN_VALGRIND()                                                \
	do {                                                             \
		if (in_valgrind()) {                                     \
			printf("valgrind changes how programs start\n"); \
			skip();                                          \
		}                                                        \
	} while (0)
