/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void options_help(void)
{
	(void)printf(
		"podwirectl [OPTION]... COMMAND [ARGUMENT]...\n"
		"Shows the node's pods and how their packets go, from its agent, podwired.\n\n");
	for (const struct ctl_command *c = ctl_commands; c->name; c++) {
		char call[32];

		(void)snprintf(call, sizeof(call), "%s %s", c->name, c->arguments);
		(void)printf("  %-22s %s\n", call, c->summary);
	}
	(void)printf("\n"
		     "  --bus ADDRESS          a D-Bus address in place of the system bus\n"
		     "  --runtime-dir DIR      where the agent's socket is (/run/podwire)\n"
		     "  --json                 one JSON document, for programs\n"
		     "  --version, --help\n");
}

/* A terminal's width; what isn't a terminal has none. */
static unsigned int columns(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return 80;
	return size.ws_col;
}

/* As https://no-color.org has it: set and not empty. */
static bool wants_color(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

int options_parse(int argc, char *argv[], struct options *ret)
{
	static const struct option known[] = {
		{ "bus", required_argument, NULL, 'b' },
		{ "runtime-dir", required_argument, NULL, 'r' },
		{ "json", no_argument, NULL, 'j' },
		{ "version", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	struct options o = { .ctl = { .runtime_dir = "/run/podwire" } };
	int c;

	/* "+": what comes after the command is the command's */
	while ((c = getopt_long(argc, argv, "+", known, NULL)) != -1) {
		switch (c) {
		case 'b':
			o.ctl.bus = optarg;
			break;
		case 'r':
			o.ctl.runtime_dir = optarg;
			break;
		case 'j':
			o.ctl.json = true;
			break;
		case 'v':
			o.version = true;
			break;
		case 'h':
			o.help = true;
			break;
		default:
			return -EINVAL; /* getopt has said what */
		}
	}
	o.command = optind;
	o.ctl.color = !o.ctl.json && wants_color();
	o.ctl.columns = columns();
	*ret = o;
	return 0;
}
