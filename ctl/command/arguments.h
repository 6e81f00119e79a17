/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A command's own options and arguments; what is wrong with them is -EINVAL with PW_E_ENV. */
#include <getopt.h>
#include <stdbool.h>

#include "base/error.h"

/*
 * As getopt_long(), which starts over with @first; @letters begins with ':'. Returns an option's
 * value, -1 after the last, or -EINVAL; argv[optind] is then the first argument.
 */
int arguments_next(int argc, char *argv[], const char *letters, const struct option *known,
		   bool first, struct pw_error *err);

/* That there are @n arguments behind the options. */
int arguments_count(int argc, char *argv[], int n, struct pw_error *err);

/* The same for a command without options: that there are @n arguments, from argv[optind]. */
int arguments_only(int argc, char *argv[], int n, struct pw_error *err);
