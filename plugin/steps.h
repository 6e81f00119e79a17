/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Runs named steps in order, each between two calls of the seam and with one line of debug log. */
#include <stddef.h>
#include <stdio.h>

struct pw_error;

struct step {
	const char *name;
	int (*run)(void *subject, struct pw_error *err);
};

/* Stops at the first failure. @log: NULL for none. */
int steps_run(const struct step *steps, size_t n, void *subject, FILE *log, struct pw_error *err);

/* The same, but goes on after a failure; the first error is returned. */
int steps_run_all(const struct step *steps, size_t n, void *subject, FILE *log,
		  struct pw_error *err);
