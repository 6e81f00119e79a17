/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The plugins' programs: are they there, can they be trusted, what does ours say. */
#include <stddef.h>

#include "base/error.h"

struct doctor;

/* -ENOENT: there's none; -EACCES: not executable; -EPERM: others may write to it. */
int program_look(const struct doctor *d, const char *dir, const char *name);

/*
 * Runs DIR/podwire with @option, for a few seconds at most. With @input, its argument is a file
 * with that in it: no path, so that what it reads is what we have read. Returns its exit status, or
 * a negative errno; @ret is the first line of what it printed.
 */
int program_ask(const struct doctor *d, const char *dir, const char *option, const char *input,
		char *ret, size_t size, struct pw_error *err);
