/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/keep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "config/config.h"

static char *cpus_text(const uint32_t *cpu, size_t n, size_t *ret_len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_len);

	if (!f)
		return NULL;
	(void)fputs("{\n  \"cpus\": [", f);
	for (size_t i = 0; i < n; i++)
		(void)fprintf(f, "%s%" PRIu32, i ? ", " : "", cpu[i]);
	(void)fputs("]\n}\n", f);
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

int keep_cpus(const char *path, const uint32_t *cpu, size_t n, struct pw_error *err)
{
	_cleanup_(freep) char *dir = config_dir(path), *text = NULL;
	_cleanup_(closep) int fd = -EBADF;
	size_t len;
	int r;

	if (!dir)
		return pw_oom(err);
	fd = file_open_dir(dir, n > 0, err);
	if (fd == -ENOENT && n == 0)
		return 0;
	if (fd < 0)
		return fd;
	if (n == 0)
		return file_remove_at(fd, KEEP_CPUS, err);
	text = cpus_text(cpu, n, &len);
	if (!text)
		return pw_oom(err);
	r = file_prepare_at(fd, KEEP_CPUS, text, len, 0644, err);
	/* half a file after a power failure would keep the agent from starting */
	if (r == 0)
		r = file_sync_at(fd, KEEP_CPUS, err);
	return r < 0 ? r : file_commit_at(fd, KEEP_CPUS, err);
}
