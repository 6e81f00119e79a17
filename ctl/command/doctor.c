/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor/doctor.h"

#include <errno.h>
#include <getopt.h>

#include "base/cleanup.h"
#include "command/arguments.h"
#include "command/commands.h"

/* Its own exit statuses: they say how the node is. */
enum {
	DOCTOR_WARNINGS = 1,
	DOCTOR_BROKEN = 2,
};

const char cmd_doctor_options[] =
	"Changes nothing. Exit status: 0 all is fine, 1 there are warnings, 2 something is "
	"broken.\n\n"
	"  -v, --verbose          what is fine, too\n"
	"  --root DIR             the node's files are below it\n"
	"  --state-dir DIR        the plugin's (/var/lib/podwire)\n"
	"  --conf-dir DIR         networks (/etc/cni/net.d)\n"
	"  --bin-dir DIR          plugins (/opt/cni/bin or /usr/lib/cni)\n";

static int parse(int argc, char *argv[], struct doctor_options *o, struct pw_error *err)
{
	static const struct option known[] = {
		{ "verbose", no_argument, NULL, 'v' },
		{ "root", required_argument, NULL, 'R' },
		{ "state-dir", required_argument, NULL, 's' },
		{ "conf-dir", required_argument, NULL, 'c' },
		{ "bin-dir", required_argument, NULL, 'b' },
		{},
	};
	bool first = true;
	int c;

	while ((c = arguments_next(argc, argv, ":v", known, first, err)) >= 0) {
		first = false;
		switch (c) {
		case 'v':
			o->verbose = true;
			break;
		case 'R':
			o->root = optarg;
			break;
		case 's':
			o->state_dir = optarg;
			break;
		case 'c':
			o->conf_dir = optarg;
			break;
		default:
			o->bin_dir = optarg;
			break;
		}
	}
	return c < -1 ? c : arguments_count(argc, argv, 0, err);
}

static int exit_status(enum severity worst)
{
	if (worst == SEVERITY_BROKEN)
		return DOCTOR_BROKEN;
	return worst == SEVERITY_OK ? CTL_OK : DOCTOR_WARNINGS;
}

int cmd_doctor(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err)
{
	struct doctor_options options = { .ctl = ctl,
					  .root = "",
					  .state_dir = "/var/lib/podwire",
					  .conf_dir = "/etc/cni/net.d" };
	_cleanup_(doctor_done) struct doctor d = {};
	int r;

	r = parse(argc, argv, &options, err);
	if (r < 0)
		return r;
	r = doctor_run(&d, &options, err);
	if (r == 0)
		r = doctor_print(&d, err);
	return r < 0 ? r : exit_status(doctor_result(&d));
}
