/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* podwirectl's command line, as far as it is the same for all commands. */
#include <stdbool.h>

#include "ctl.h"

struct options {
	struct ctl ctl;
	int command; /* where it is in argv; argc: there is none */
	bool help, version;
};

/* 0, or -EINVAL after a line on standard error. */
int options_parse(int argc, char *argv[], struct options *ret);
void options_help(void);
