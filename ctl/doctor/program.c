/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor/program.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "doctor/doctor.h"
#include "doctor/root.h"

#define ASK_MS 5000

int program_look(const struct doctor *d, const char *dir, const char *name)
{
	_cleanup_(closep) int fd = -EBADF;
	struct stat st;
	char path[1024];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = root_find(d, path);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || !(st.st_mode & S_IXUSR))
		return -EACCES;
	if ((st.st_uid != 0 && st.st_uid != geteuid()) || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return -EPERM;
	return 0;
}

static int first_line(const struct child *c, int status, char *ret, size_t size)
{
	size_t len = c->output ? strnlen(c->output, c->output_len) : 0;

	(void)snprintf(ret, size, "%.*s", (int)len, len ? c->output : "");
	ret[strcspn(ret, "\n")] = '\0';
	return WIFEXITED(status) ? WEXITSTATUS(status) : -ECHILD;
}

int program_ask(const struct doctor *d, const char *dir, const char *option, const char *argument,
		char *ret, size_t size, struct pw_error *err)
{
	_cleanup_(child_done) struct child c = CHILD_NONE;
	char path[1024], given[1024];
	char *const argv[] = { path, (char *)option, argument ? given : NULL, NULL };
	char *const envp[] = { NULL };
	int r, status = 0;

	(void)snprintf(path, sizeof(path), "%s%s/podwire", d->options.root, dir);
	if (argument)
		(void)root_path(d, argument, given, sizeof(given));
	r = child_start(argv, envp, -1, &c, err);
	if (r < 0)
		return r;
	child_feed(&c, "", 0);
	r = child_collect(&c, path, ASK_MS, &status, err);
	return r < 0 ? r : first_line(&c, status, ret, size);
}
