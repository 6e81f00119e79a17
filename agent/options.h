/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The agent's command line. */
#include <stdbool.h>

struct options_line {
	const char *config, *bus, *runtime_dir, *state_dir, *bpffs; /* bus NULL: the system bus */
	bool no_bus;                                                /* --bus none */
	bool uninstall;
	bool help, version;
};

/* 0, or -EINVAL after a line on standard error. */
int options_parse(int argc, char *argv[], struct options_line *ret);
void options_help(void);
