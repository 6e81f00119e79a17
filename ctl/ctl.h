/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * podwirectl from within: what all commands get, and what they give back
 *
 * A command is a function in command/, and a line of commands.c. It prints what it was asked for on
 * standard output, and nothing else anywhere: what went wrong it leaves to main().
 */
#include <stdbool.h>

#include "base/error.h"

/* Exit statuses: part of the interface, see podwirectl(8). A command may have others of its own. */
enum ctl_exit {
	CTL_OK = 0,
	CTL_FAILED = 1,    /* the message says what */
	CTL_NO_AGENT = 3,  /* podwired isn't running, or can't be reached */
	CTL_NOT_FOUND = 4, /* there is none of that name, or more than one */
	CTL_USAGE = 64,    /* EX_USAGE of sysexits(3head) */
};

struct ctl {
	const char *bus;         /* an address; NULL: the system bus, then the agent's socket */
	const char *runtime_dir; /* where that socket is */
	bool json;               /* one JSON document in place of text */
	bool color;              /* standard output is a terminal that wants it */
	unsigned int columns;    /* how wide text may be; 0: as wide as it gets */
};

struct ctl_command {
	const char *name;
	const char *arguments; /* for --help: "POD"; "" for none */
	const char *summary;   /* half a line */
	/*
	 * @argv[0] is the command's name; what options it has are its own (with getopt_long(), from
	 * optind 0). Returns an exit status, or after filling @err a negative errno, which main()
	 * reports: -EINVAL with PW_E_ENV is wrong usage, -ENOTCONN an agent that isn't there,
	 * -ENOENT and -ENOTUNIQ with PW_E_CONTAINER are "not found", anything else has failed.
	 */
	int (*run)(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err);
	const char *options; /* its own, in lines for its --help; NULL: no more than @arguments */
};

/* All there are, up to one without a name. */
extern const struct ctl_command ctl_commands[];

const struct ctl_command *ctl_find_command(const char *name); /* NULL: there is none */
