/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/arguments.h"

#include <errno.h>
#include <string.h>

int arguments_next(int argc, char *argv[], const char *letters, const struct option *known,
		   bool first, struct pw_error *err)
{
	const char *option;
	int c;

	if (first)
		optind = 0;
	opterr = 0; /* main() is who prints */
	c = getopt_long(argc, argv, letters, known, NULL);
	if (c != ':' && c != '?')
		return c;
	option = optopt && strncmp(argv[optind - 1], "--", 2) != 0
			 ? (const char[]){ '-', (char)optopt, '\0' }
			 : argv[optind - 1];
	if (c == ':')
		return pw_fail(err, EINVAL, PW_E_ENV, "%s: %.100s needs a value", argv[0], option);
	return pw_fail(err, EINVAL, PW_E_ENV, "%s: %.100s isn't an option of this command (--help)",
		       argv[0], option);
}

int arguments_count(int argc, char *argv[], int n, struct pw_error *err)
{
	if (argc - optind == n)
		return 0;
	if (argc - optind < n)
		return pw_fail(err, EINVAL, PW_E_ENV, "%s: an argument is missing (--help)",
			       argv[0]);
	return pw_fail(err, EINVAL, PW_E_ENV, "%s: %.100s is one argument too many (--help)",
		       argv[0], argv[optind + n]);
}

int arguments_only(int argc, char *argv[], int n, struct pw_error *err)
{
	static const struct option none[] = { {} };
	int r = arguments_next(argc, argv, ":", none, true, err);

	return r < -1 ? r : arguments_count(argc, argv, n, err);
}
