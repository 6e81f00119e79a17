/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "install/run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/error.h"

#define TIMEOUT_MS 10000
#define VARIABLES_MAX 512

struct program {
	pid_t pid; /* 0: none */
	int out;   /* what it prints */
	char *buf; /* borrowed */
	size_t size, len;
};

static void program_done(struct program *p)
{
	if (p->pid > 0) {
		kill(p->pid, SIGKILL);
		while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	closep(&p->out);
}

/* Ours, less what would make it answer as to a runtime. */
static void fill_environment(char *ret[VARIABLES_MAX])
{
	size_t n = 0;

	for (char **v = environ; *v && n + 1 < VARIABLES_MAX; v++) {
		if (strncmp(*v, "CNI_", 4) != 0)
			ret[n++] = *v;
	}
	ret[n] = NULL;
}

static int spawn(int fd, char *const argv[], int input, int output, pid_t *ret)
{
	char path[32], *envp[VARIABLES_MAX];
	posix_spawn_file_actions_t actions;
	int r;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fill_environment(envp);
	posix_spawn_file_actions_init(&actions);
	if (input >= 0)
		r = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	else
		r = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY,
						     0);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
	if (r == 0) /* onto itself: clears close-on-exec, for an interpreter to find it */
		r = posix_spawn_file_actions_adddup2(&actions, fd, fd);
	if (r == 0)
		r = posix_spawn(ret, path, &actions, NULL, argv, envp);
	posix_spawn_file_actions_destroy(&actions);
	return -r;
}

/* False at the end. What there's no room for is thrown away. */
static bool read_some(struct program *p)
{
	char more[4096];
	ssize_t n = read(p->out, more, sizeof(more));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (n > 0 && p->len + 1 < p->size) {
		size_t room = p->size - 1 - p->len;
		size_t take = (size_t)n < room ? (size_t)n : room;

		memcpy(p->buf + p->len, more, take);
		p->len += take;
	}
	p->buf[p->len] = '\0';
	return n > 0;
}

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Until it has ended; what it started may go on printing, and isn't heard. */
static int listen_to(struct program *p, const char *name, struct pw_error *err)
{
	_cleanup_(closep) int pidfd = pidfd_open(p->pid, 0);
	struct pollfd fds[] = { { .fd = p->out, .events = POLLIN },
				{ .fd = pidfd, .events = POLLIN } };
	long end = now_ms() + TIMEOUT_MS;

	if (pidfd < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot wait for %s: %m", name);
	for (;;) {
		long left = end - now_ms();
		int r = left > 0 ? poll(fds, 2, (int)left) : 0;

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return pw_fail(err, errno, PW_E_IO, "cannot wait for %s: %m", name);
		if (r == 0)
			return pw_fail(err, ETIMEDOUT, PW_E_IO, "%s did not answer within %d s",
				       name, TIMEOUT_MS / 1000);
		if (fds[0].revents && !read_some(p))
			fds[0].fd = -EBADF;
		else if (!fds[0].revents && fds[1].revents)
			return 0;
	}
}

static int reap(struct program *p, const char *name, struct pw_error *err)
{
	int status = 0;

	while (waitpid(p->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return pw_fail(err, errno, PW_E_IO, "cannot wait for %s: %m", name);
	}
	p->pid = 0;
	if (WIFSIGNALED(status))
		return pw_fail(err, EINTR, PW_E_IO, "%s was ended by signal %d", name,
			       WTERMSIG(status));
	return WEXITSTATUS(status);
}

int run_plugin(int fd, const char *name, const char *argument, const char *more, int input,
	       char *ret, size_t size, struct pw_error *err)
{
	char *const argv[] = { (char *)"podwire", (char *)argument, (char *)more, NULL };
	_cleanup_(program_done) struct program p = { .out = -EBADF, .buf = ret, .size = size };
	_cleanup_(closep) int output = -EBADF;
	int pipes[2], r;

	ret[0] = '\0';
	if (pipe2(pipes, O_CLOEXEC | O_NONBLOCK) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot make a pipe: %m");
	p.out = pipes[0];
	output = pipes[1];
	if (fcntl(output, F_SETFL, 0) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot set up a pipe: %m");
	r = spawn(fd, argv, input, output, &p.pid);
	if (r < 0) {
		p.pid = 0;
		return pw_fail(err, -r, PW_E_IO, "cannot run %s: %m", name);
	}
	closep(&output);
	output = -EBADF;
	r = listen_to(&p, name, err);
	return r < 0 ? r : reap(&p, name, err);
}
