/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feeds every file of the directories named on the command line to the target, in the order of
 * their names; what libFuzzer does with a corpus before it invents anything.
 */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "fuzz.h"

#define INPUT_MAX (1u << 20) /* bytes */

static int is_input(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void replay_file(const char *directory, const char *name)
{
	_cleanup_(freep) char *path = NULL, *text = NULL;
	struct pw_error err = {};
	size_t len;

	require(asprintf(&path, "%s/%s", directory, name) > 0);
	if (file_read_at(AT_FDCWD, path, INPUT_MAX, &text, &len, &err) < 0) {
		(void)fprintf(stderr, "%s\n", err.msg);
		abort();
	}
	/* what the process says when it dies is only worth something with the input's name */
	(void)printf("%s\n", name);
	(void)fflush(stdout);
	(void)LLVMFuzzerTestOneInput((const uint8_t *)text, len);
}

int main(int argc, char **argv)
{
	size_t count = 0;

	LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++) {
		struct dirent **inputs;
		int n = scandir(argv[i], &inputs, is_input, alphasort);

		require(n > 0);
		for (int k = 0; k < n; k++) {
			replay_file(argv[i], inputs[k]->d_name);
			free(inputs[k]);
		}
		free(inputs);
		count += (size_t)n;
	}
	(void)printf("%zu passed, 0 failed\n", count);
	return 0;
}
