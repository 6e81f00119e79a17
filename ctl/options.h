/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* podwirectl's command line, as far as it is the same for all commands. */
#include <stdbool.h>

#include "ctl.h"

struct options {
	struct ctl ctl;
	char **command; /* its name and arguments, up to a NULL; empty: there is none */
	int n_command;
	bool help, version;
};

/*
 * What is the same for all commands may stand before and behind the command: there, it is taken out
 * of @argv. 0, or -EINVAL after a line on standard error.
 */
int options_parse(int argc, char *argv[], struct options *ret);
/* Of all; of one. */
void options_help(void);
void options_help_of(const struct ctl_command *command);
