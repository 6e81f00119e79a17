/* SPDX-License-Identifier: GPL-2.0-or-later */
/* podwirectl: finds the command, and says what went wrong with it. */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>

#include "ctl.h"
#include "options.h"
#include "view/text.h"

static int status_of(const struct pw_error *err)
{
	if (err->errnum == EINVAL && err->code == PW_E_ENV)
		return CTL_USAGE;
	if (err->errnum == ENOTCONN)
		return CTL_NO_AGENT;
	if ((err->errnum == ENOENT || err->errnum == ENOTUNIQ) && err->code == PW_E_CONTAINER)
		return CTL_NOT_FOUND;
	return CTL_FAILED;
}

static int report(struct pw_error *err)
{
	text_clean(err->msg); /* it may quote what isn't ours */
	(void)fprintf(stderr, "podwirectl: %s\n", err->msg);
	return status_of(err);
}

static int run(const struct options *options)
{
	const struct ctl_command *command = ctl_find_command(options->command[0]);
	struct pw_error err = {};
	int r = CTL_OK;

	if (!command) {
		pw_fail(&err, EINVAL, PW_E_ENV, "%s: no such command (--help)",
			options->command[0]);
		return report(&err);
	}
	if (options->help)
		options_help_of(command);
	else
		r = command->run(&options->ctl, options->n_command, options->command, &err);
	if (r < 0)
		r = report(&err);
	/* a full disk behind ">" is no success */
	if (fflush(stdout) != 0 || ferror(stdout)) {
		(void)fprintf(stderr, "podwirectl: cannot write to standard output\n");
		return r == CTL_OK ? CTL_FAILED : r;
	}
	return r;
}

int main(int argc, char *argv[])
{
	struct options options;

	/* how wide characters are; messages and numbers stay as they are everywhere */
	(void)setlocale(LC_CTYPE, "");
	if (options_parse(argc, argv, &options) < 0)
		return CTL_USAGE;
	if (options.version) {
		(void)printf("podwirectl %s\n", PW_VERSION);
		return CTL_OK;
	}
	if (options.n_command == 0) {
		options_help();
		return options.help ? CTL_OK : CTL_USAGE;
	}
	/* of "podwirectl pods | head" */
	(void)signal(SIGPIPE, SIG_DFL);
	return run(&options);
}
