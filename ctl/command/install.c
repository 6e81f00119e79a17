/* SPDX-License-Identifier: GPL-2.0-or-later */
/* podwirectl install: the plugin, checks, and last the network. */
#include "install/install.h"

#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "command/arguments.h"
#include "command/commands.h"
#include "install/say.h"

#define CIDR_FILE_MAX 4096 /* bytes */

static int add_pods(struct install *in, const char *text, struct pw_error *err)
{
	struct cidr c;
	int r = conflist_parse_pods(text, &c, err);

	if (r < 0)
		return r;
	if (in->n_pods == CONFLIST_PODS_MAX ||
	    (in->n_pods == 1 && in->pods[0].ip.family == c.ip.family))
		return pw_fail(err, EINVAL, PW_E_ENV, "more than one prefix of a family: %s", text);
	in->pods[in->n_pods++] = c;
	return 0;
}

/* One or two prefixes, with blanks, commas or ends of lines between them. */
static int add_pods_of_file(struct install *in, const char *path, struct pw_error *err)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(freep) char *text = NULL;
	char *rest, *word;
	size_t len;
	int r;

	if (fd < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open %s: %m", path);
	r = file_read_fd(fd, path, CIDR_FILE_MAX, &text, &len, err);
	rest = text;
	while (r == 0 && (word = strsep(&rest, " \t\r\n,"))) {
		if (*word)
			r = add_pods(in, word, err);
	}
	if (r == 0 && in->n_pods == 0)
		return pw_fail(err, EINVAL, PW_E_ENV, "%s has no prefix in it", path);
	return r < 0 && err->code == PW_E_ENV ? pw_context(err, "%s", path) : r;
}

static const struct option known[] = {
	{ "pod-cidr", required_argument, NULL, 'p' },
	{ "pod-cidr-file", required_argument, NULL, 'f' },
	{ "bin-dir", required_argument, NULL, 'b' },
	{ "conf-dir", required_argument, NULL, 'c' },
	{ "plugin", required_argument, NULL, 'P' },
	{ "plugin-only", no_argument, NULL, 'o' },
	{ "root", required_argument, NULL, 'r' },
	{ "uplink-xdp", no_argument, NULL, 'x' },
	{ "force", no_argument, NULL, 'F' },
	{ "dry-run", no_argument, NULL, 'n' },
	{},
};

const char cmd_install_options[] =
	"What can be checked is checked first; the network is written last.\n\n"
	"  --pod-cidr CIDR        the addresses of this node's pods; one a family\n"
	"  --pod-cidr-file FILE   the same, from a file\n"
	"  --plugin-only          no network: something else makes one that calls the plugin\n"
	"  --bin-dir DIR          where plugins go; else as the runtime's configuration has it\n"
	"  --conf-dir DIR         where networks go; as above\n"
	"  --plugin FILE          the plugin, in place of the one that came with podwirectl\n"
	"  --uplink-xdp           has the agent attach XDP to uplinks\n"
	"  --root DIR             the node's files are below it\n"
	"  --force                replaces what isn't ours, or was changed\n"
	"  --dry-run              writes nothing\n";

static int take_option(struct install *in, int c, struct pw_error *err)
{
	switch (c) {
	case 'p':
		return add_pods(in, optarg, err);
	case 'f':
		return add_pods_of_file(in, optarg, err);
	case 'b':
		in->bin_dir = optarg;
		return 0;
	case 'c':
		in->conf_dir = optarg;
		return 0;
	case 'P':
		in->plugin = optarg;
		return 0;
	case 'o':
		in->plugin_only = true;
		return 0;
	case 'r':
		in->root = optarg;
		return 0;
	case 'x':
		in->uplink_xdp = true;
		return 0;
	case 'F':
		in->force = true;
		return 0;
	default:
		in->dry_run = true;
		return 0;
	}
}

int cmd_install(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err)
{
	_cleanup_(say_done) struct say told = { .json = ctl->json };
	struct install in = { .root = "/" };
	int c = arguments_next(argc, argv, ":", known, true, err), r = 0;

	for (; r == 0 && c >= 0; c = r < 0 ? r : arguments_next(argc, argv, ":", known, false, err))
		r = take_option(&in, c, err);
	if (c == -1)
		r = arguments_count(argc, argv, 0, err);
	if (c < -1 || r < 0)
		return c < -1 ? c : r;
	if (in.plugin_only && in.n_pods > 0)
		return pw_fail(err, EINVAL, PW_E_ENV,
			       "--plugin-only writes no network, so it takes no --pod-cidr");
	r = install_run(&in, &told, err);
	say_end(&told);
	return r;
}
