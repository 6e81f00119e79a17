/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

void options_help(void)
{
	(void)printf(
		"podwired [OPTION]...\n"
		"The node agent of podwire: sees every pod, and keeps its programs and maps.\n\n"
		"  --config FILE      its configuration, and FILE less .json with .d for more of it\n"
		"                     (/etc/podwire/agent.json)\n"
		"  --bus ADDRESS      a D-Bus address in place of the system bus; \"none\": no bus\n"
		"  --runtime-dir DIR  locks (/run/podwire)\n"
		"  --state-dir DIR    the plugin's records (/var/lib/podwire)\n"
		"  --bpffs DIR        pinned maps and links (/sys/fs/bpf/podwire)\n"
		"  --uninstall        remove what the agent made, give sysctls their old values, end\n"
		"  --version, --help\n");
}

/* Each option's place in struct options_line; those with an argument have a text there. */
static const struct option known[] = {
	{ "config", required_argument, NULL, offsetof(struct options_line, config) },
	{ "bus", required_argument, NULL, offsetof(struct options_line, bus) },
	{ "runtime-dir", required_argument, NULL, offsetof(struct options_line, runtime_dir) },
	{ "state-dir", required_argument, NULL, offsetof(struct options_line, state_dir) },
	{ "bpffs", required_argument, NULL, offsetof(struct options_line, bpffs) },
	{ "uninstall", no_argument, NULL, offsetof(struct options_line, uninstall) },
	{ "version", no_argument, NULL, offsetof(struct options_line, version) },
	{ "help", no_argument, NULL, offsetof(struct options_line, help) },
	{},
};

int options_parse(int argc, char *argv[], struct options_line *ret)
{
	struct options_line o = {
		.config = "/etc/podwire/agent.json",
		.runtime_dir = "/run/podwire",
		.state_dir = "/var/lib/podwire",
		.bpffs = "/sys/fs/bpf/podwire",
	};
	int c, at;

	while ((c = getopt_long(argc, argv, "", known, &at)) != -1) {
		char *place = (char *)&o + known[at].val;

		if (c == '?')
			return -EINVAL; /* getopt has said what */
		if (known[at].has_arg == required_argument)
			*(const char **)place = optarg;
		else
			*(bool *)place = true;
	}
	if (optind < argc) {
		(void)fprintf(stderr, "podwired: %s: no such argument (--help)\n", argv[optind]);
		return -EINVAL;
	}
	o.no_bus = o.bus && strcmp(o.bus, "none") == 0;
	*ret = o;
	return 0;
}
