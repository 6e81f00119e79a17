/* SPDX-License-Identifier: GPL-2.0-or-later */
/* podwirectl uninstall: the network first, then the plugin. */
#include <errno.h>
#include <getopt.h>

#include "base/cleanup.h"
#include "command/commands.h"
#include "install/install.h"
#include "install/say.h"

static const struct option known[] = {
	{ "bin-dir", required_argument, NULL, 'b' }, { "conf-dir", required_argument, NULL, 'c' },
	{ "root", required_argument, NULL, 'r' },    { "state-dir", required_argument, NULL, 's' },
	{ "force", no_argument, NULL, 'F' },         {},
};

int cmd_uninstall(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err)
{
	struct uninstall un = { .root = "/", .state_dir = "/var/lib/podwire" };
	_cleanup_(say_done) struct say say = { .json = ctl->json };
	int c, r;

	optind = 0;
	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (c) {
		case 'b':
			un.bin_dir = optarg;
			break;
		case 'c':
			un.conf_dir = optarg;
			break;
		case 'r':
			un.root = optarg;
			break;
		case 's':
			un.state_dir = optarg;
			break;
		case 'F':
			un.force = true;
			break;
		default:
			return pw_fail(err, EINVAL, PW_E_ENV, "see podwirectl-install(8)");
		}
	}
	if (optind < argc)
		return pw_fail(err, EINVAL, PW_E_ENV, "%s: unexpected argument", argv[optind]);
	r = uninstall_run(&un, &say, err);
	say_end(&say);
	return r;
}
