/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Runs the plugin, to ask it something: no shell, no CNI_ variables, a bound on time and output. */
#include <stddef.h>

struct pw_error;

/*
 * Runs the program that @fd is open on, called @name, with @argument (and @more, or NULL) and what
 * @input is open on (negative: nothing) as its standard input. @ret gets the beginning of what it
 * prints on either stream. Returns its exit status, or a negative errno: -EINTR where a signal
 * ended it, -ETIMEDOUT after ten seconds, when it is killed.
 */
int run_plugin(int fd, const char *name, const char *argument, const char *more, int input,
	       char *ret, size_t size, struct pw_error *err);
