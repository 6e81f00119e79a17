/* SPDX-License-Identifier: GPL-2.0-or-later */
/* podwirectl report: the support bundle, to standard output or into a file of its own. */
#include "report/report.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "command/arguments.h"
#include "command/commands.h"
#include "json/jdec.h"

static const struct option known[] = {
	{ "output", required_argument, NULL, 'o' },    { "no-redact", no_argument, NULL, 'n' },
	{ "config", required_argument, NULL, 'c' },    { "conf-dir", required_argument, NULL, 'd' },
	{ "state-dir", required_argument, NULL, 's' }, {},
};

/* For its owner alone, and never over a file that is there: it may be in /tmp. */
static int write_to(const char *path, const char *text, struct pw_error *err)
{
	_cleanup_(closep) int fd =
		open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r;

	if (fd < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot create %s: %m", path);
	r = file_write_fd(fd, text, strlen(text));
	if (r == 0)
		r = file_write_fd(fd, "\n", 1);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "cannot write %s: %m", path);
	(void)printf("%s\n", path);
	return 0;
}

static int run(const struct ctl *ctl, struct report *report, const char *output,
	       struct pw_error *err)
{
	_cleanup_(json_object_putp) struct json_object *v = NULL;
	const char *text;
	int r = report_make(report, ctl, &v, err);

	if (r < 0)
		return r;
	text = json_object_to_json_string_ext(v, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
							 JSON_C_TO_STRING_NOSLASHESCAPE);
	if (!text)
		return pw_oom(err);
	if (output)
		return write_to(output, text, err);
	(void)puts(text);
	return 0;
}

int cmd_report(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err)
{
	_cleanup_(redact_freep) struct redact *redact = NULL;
	struct report report = { .config = "/etc/podwire/agent.json",
				 .conf_dir = "/etc/cni/net.d",
				 .state_dir = "/var/lib/podwire" };
	const char *output = NULL;
	bool plain = false;
	int c;

	for (bool first = true; (c = arguments_next(argc, argv, ":o:", known, first, err)) >= 0;
	     first = false) {
		switch (c) {
		case 'o':
			output = optarg;
			break;
		case 'n':
			plain = true;
			break;
		case 'c':
			report.config = optarg;
			break;
		case 'd':
			report.conf_dir = optarg;
			break;
		default:
			report.state_dir = optarg;
			break;
		}
	}
	if (c != -1 || arguments_count(argc, argv, 0, err) < 0)
		return -EINVAL;
	if (!plain) {
		redact = redact_new();
		if (!redact)
			return pw_oom(err);
		report.redact = redact;
	}
	return run(ctl, &report, output, err);
}
