/* SPDX-License-Identifier: GPL-2.0-or-later */
/* podwired, the node agent: options, log, and who is called. */
#include <bpf/libbpf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent.h"
#include "base/error.h"
#include "uninstall.h"

static int run(const struct options_line *options, struct log *log, struct pw_error *err)
{
	_cleanup_(agent_freep) struct agent *agent = NULL;
	int r;

	r = agent_new(options, log, &agent, err);
	return r < 0 ? r : agent_run(agent, err);
}

int main(int argc, char *argv[])
{
	struct log log = log_default();
	struct options_line options;
	struct pw_error err = {};
	int r;

	if (options_parse(argc, argv, &options) < 0)
		return 2;
	if (options.help) {
		options_help();
		return 0;
	}
	if (options.version) {
		(void)printf("podwired %s, map layout %d\n", PW_VERSION, PW_LAYOUT);
		return 0;
	}
	(void)signal(SIGPIPE, SIG_IGN);
	/* what it says on failure, we say in our own way */
	(void)libbpf_set_print(NULL);
	r = options.uninstall ? uninstall(&options, &log, &err) : run(&options, &log, &err);
	if (r == 0)
		return 0;
	log_line(&log, LOG_ERR, NULL, "%s", err.msg);
	return 1;
}
