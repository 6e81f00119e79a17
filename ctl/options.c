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

void options_help_of(const struct ctl_command *command)
{
	(void)printf("podwirectl [OPTION]... %s%s%s: %s\n", command->name,
		     *command->arguments ? " " : "", command->arguments, command->summary);
	if (command->options)
		(void)printf("\n%s", command->options);
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

/* Returns 0, or -EINVAL where @c is none that we have. */
static int take(struct options *o, int c, char *value)
{
	switch (c) {
	case 'b':
		o->ctl.bus = value;
		return 0;
	case 'r':
		o->ctl.runtime_dir = value;
		return 0;
	case 'j':
		o->ctl.json = true;
		return 0;
	case 'v':
		o->version = true;
		return 0;
	case 'h':
		o->help = true;
		return 0;
	default:
		return -EINVAL; /* getopt has said what */
	}
}

static const struct option known[] = {
	{ "bus", required_argument, NULL, 'b' },
	{ "runtime-dir", required_argument, NULL, 'r' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'v' }, /* the last: a command's own may be called so */
	{},
};

/* The one that @word is, written in full; NULL: none. @value: what it has behind "=", or NULL. */
static const struct option *find(const char *word, char **value)
{
	size_t len = strcspn(word, "=");

	for (const struct option *one = known; one[1].name; one++) {
		if (len != strlen(one->name) + 2 || strncmp(word, "--", 2) != 0 ||
		    strncmp(word + 2, one->name, len - 2) != 0)
			continue;
		*value = word[len] ? (char *)word + len + 1 : NULL;
		return !*value || one->has_arg ? one : NULL;
	}
	return NULL;
}

/* Behind the command, up to "--": nobody thinks of whose an option is. */
static int take_behind(struct options *o)
{
	char **from = o->command + 1, **to = from;

	if (o->n_command == 0)
		return 0;
	while (*from && strcmp(*from, "--") != 0) {
		char *value;
		const struct option *one = find(*from, &value);

		if (!one) {
			*to++ = *from++;
			continue;
		}
		if (one->has_arg && !value)
			value = *++from;
		if (one->has_arg && !value) {
			(void)fprintf(stderr, "podwirectl: --%s needs a value\n", one->name);
			return -EINVAL;
		}
		from++;
		(void)take(o, one->val, value);
	}
	while (*from)
		*to++ = *from++;
	*to = NULL;
	o->n_command = (int)(to - o->command);
	return 0;
}

int options_parse(int argc, char *argv[], struct options *ret)
{
	struct options o = { .ctl = { .runtime_dir = "/run/podwire" } };
	int c, r = 0;

	/* "+": what comes after the command is the command's, but for ours */
	while (r == 0 && (c = getopt_long(argc, argv, "+", known, NULL)) != -1)
		r = take(&o, c, optarg);
	if (r < 0)
		return r;
	o.command = argv + optind;
	o.n_command = argc - optind;
	r = take_behind(&o);
	o.ctl.color = !o.ctl.json && wants_color();
	o.ctl.columns = columns();
	*ret = o;
	return r;
}
