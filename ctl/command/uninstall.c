/* SPDX-License-Identifier: GPL-2.0-or-later */
/* podwirectl uninstall: the network first, then the plugin. */

#include "base/cleanup.h"
#include "command/arguments.h"
#include "command/commands.h"
#include "install/install.h"
#include "install/say.h"

static const struct option known[] = {
	{ "bin-dir", required_argument, NULL, 'b' }, { "conf-dir", required_argument, NULL, 'c' },
	{ "root", required_argument, NULL, 'r' },    { "state-dir", required_argument, NULL, 's' },
	{ "force", no_argument, NULL, 'F' },         {},
};

const char cmd_uninstall_options[] =
	"The network goes first; the plugin stays as long as pods need it.\n\n"
	"  --bin-dir DIR          where plugins are; else as the runtime's configuration has it\n"
	"  --conf-dir DIR         where networks are; as above\n"
	"  --state-dir DIR        the plugin's records (/var/lib/podwire)\n"
	"  --root DIR             the node's files are below it\n"
	"  --force                the plugin goes even if pods need it\n";

int cmd_uninstall(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err)
{
	struct uninstall un = { .root = "/", .state_dir = "/var/lib/podwire" };
	_cleanup_(say_done) struct say told = { .json = ctl->json };
	int c = arguments_next(argc, argv, ":", known, true, err), r;

	for (; c >= 0; c = arguments_next(argc, argv, ":", known, false, err)) {
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
		default:
			un.force = true;
			break;
		}
	}
	r = c < -1 ? c : arguments_count(argc, argv, 0, err);
	if (r < 0)
		return r;
	r = uninstall_run(&un, &told, err);
	say_end(&told);
	return r;
}
