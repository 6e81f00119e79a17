/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands by name, in the order of --help. */
#include <string.h>

#include "ctl.h"

const struct ctl_command ctl_commands[] = {
	{},
};

const struct ctl_command *ctl_find_command(const char *name)
{
	for (const struct ctl_command *c = ctl_commands; c->name; c++) {
		if (strcmp(c->name, name) == 0)
			return c;
	}
	return NULL;
}
