/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor/program.h"

#include <signal.h>
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

static int run(char *const argv[], const char *input, int *ret_status, struct child *c,
	       struct pw_error *err)
{
	char *const envp[] = { NULL };
	int r = child_start(argv, envp, -1, c, err);

	if (r < 0)
		return r;
	child_feed(c, input, strlen(input));
	return child_collect(c, argv[0], ASK_MS, ret_status, err);
}

int program_ask(const struct doctor *d, const char *dir, const char *option, const char *input,
		char *ret, size_t size, struct pw_error *err)
{
	_cleanup_(child_done) struct child c = CHILD_NONE;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	char path[1024];
	char *const argv[] = { path, (char *)option, input ? (char *)"/dev/stdin" : NULL, NULL };
	int r, status = 0;

	(void)snprintf(path, sizeof(path), "%s%s/podwire", d->options.root, dir);
	/* of a program that doesn't read its input */
	(void)sigaction(SIGPIPE, &ignore, &before);
	r = run(argv, input ? input : "", &status, &c, err);
	(void)sigaction(SIGPIPE, &before, NULL);
	return r < 0 ? r : first_line(&c, status, ret, size);
}
