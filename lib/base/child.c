/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/child.h"

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

#define OUTPUT_MAX (4u << 20) /* bytes that another plugin may print */
#define LOOK_MS 10

/* posix_spawn's two bags of settings, released together. */
struct spawn_settings {
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
};

static void settings_done(struct spawn_settings *s)
{
	posix_spawn_file_actions_destroy(&s->actions);
	posix_spawnattr_destroy(&s->attr);
}

/* Returns a positive errno, as posix_spawn() does. */
static int settings_fill(struct spawn_settings *s, int in, int out, int keep_fd)
{
	sigset_t all, none;
	int r;

	sigfillset(&all);
	sigemptyset(&none);
	r = posix_spawn_file_actions_adddup2(&s->actions, in, STDIN_FILENO);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&s->actions, out, STDOUT_FILENO);
	if (r == 0 && keep_fd >= 0) /* onto itself: clears close-on-exec */
		r = posix_spawn_file_actions_adddup2(&s->actions, keep_fd, keep_fd);
	if (r == 0)
		r = posix_spawnattr_setsigdefault(&s->attr, &all);
	if (r == 0)
		r = posix_spawnattr_setsigmask(&s->attr, &none);
	if (r == 0)
		r = posix_spawnattr_setflags(&s->attr,
					     POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	return r;
}

static int spawn(char *const argv[], char *const envp[], int in, int out, int keep_fd, pid_t *ret)
{
	_cleanup_(settings_done) struct spawn_settings s = {};
	int r;

	posix_spawn_file_actions_init(&s.actions);
	posix_spawnattr_init(&s.attr);
	r = settings_fill(&s, in, out, keep_fd);
	if (r == 0)
		r = posix_spawn(ret, argv[0], &s.actions, &s.attr, argv, envp);
	return r;
}

/* Its ends are above the standard descriptors, which main() sees to that they are taken. */
static int open_pipe(int *ret_read, int *ret_write, struct pw_error *err)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot make a pipe: %m");
	*ret_read = p[0];
	*ret_write = p[1];
	return 0;
}

int child_start(char *const argv[], char *const envp[], int keep_fd, struct child *ret,
		struct pw_error *err)
{
	_cleanup_(closep) int child_in = -EBADF, in = -EBADF, out = -EBADF, child_out = -EBADF;
	pid_t pid;
	int r;

	r = open_pipe(&child_in, &in, err);
	if (r == 0)
		r = open_pipe(&out, &child_out, err);
	if (r < 0)
		return r;
	if (fcntl(in, F_SETFL, O_NONBLOCK) < 0 || fcntl(out, F_SETFL, O_NONBLOCK) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot set up a pipe: %m");

	r = spawn(argv, envp, child_in, child_out, keep_fd, &pid);
	if (r != 0)
		return pw_fail(err, r, PW_E_IPAM, "cannot run %s: %m", argv[0]);
	*ret = (struct child){ .pid = pid, .in = take_fd(in), .out = take_fd(out) };
	return 0;
}

static void close_input(struct child *c)
{
	closep(&c->in);
	c->in = -EBADF;
}

static void write_some(struct child *c)
{
	ssize_t n;

	while (c->in >= 0 && c->input_done < c->input_len) {
		n = write(c->in, c->input + c->input_done, c->input_len - c->input_done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0)
			break; /* it doesn't read: its exit status will tell */
		c->input_done += (size_t)n;
	}
	close_input(c);
}

void child_feed(struct child *c, const char *input, size_t len)
{
	c->input = input;
	c->input_len = len;
	c->input_done = 0;
	write_some(c);
}

/* 1: there may be more; 0: that was all. */
static int read_some(struct child *c, const char *what, struct pw_error *err)
{
	char buf[16384];
	char *more;
	ssize_t n;

	n = read(c->out, buf, sizeof(buf));
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 1;
	if (n < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot read from %s: %m", what);
	if (n == 0)
		return 0;
	if (c->output_len + (size_t)n > OUTPUT_MAX)
		return pw_fail(err, EFBIG, PW_E_IPAM, "%s printed more than %u bytes", what,
			       OUTPUT_MAX);
	more = realloc(c->output, c->output_len + (size_t)n + 1);
	if (!more)
		return pw_oom(err);
	c->output = more;
	memcpy(c->output + c->output_len, buf, (size_t)n);
	c->output_len += (size_t)n;
	c->output[c->output_len] = '\0';
	return 1;
}

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static bool has_ended(const struct child *c)
{
	siginfo_t info = {};

	return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
}

/*
 * Until its output has ended and so has it: what closes its output may go on working, or hang.
 * Where the kernel refuses a pidfd, it is looked for now and then. 1: @enough (may be NULL) was
 * said.
 */
static int talk(struct child *c, const char *what, unsigned int timeout_ms, child_enough_t enough,
		struct pw_error *err)
{
	_cleanup_(closep) int pidfd = pidfd_open(c->pid, 0);
	long deadline = now_ms() + (long)timeout_ms;
	struct pollfd fds[] = {
		{ .fd = c->out, .events = POLLIN },
		{ .fd = pidfd, .events = POLLIN },
		{ .fd = c->in, .events = POLLOUT },
	};

	while (fds[0].fd >= 0 || !has_ended(c)) {
		long left = deadline - now_ms();
		int r;

		if (left <= 0)
			return pw_fail(err, ETIMEDOUT, PW_E_AGAIN, "%s did not answer within %u s",
				       what, timeout_ms / 1000);
		if (fds[0].fd < 0 && pidfd < 0 && left > LOOK_MS)
			left = LOOK_MS;
		r = poll(fds, 3, (int)left);
		if (r == 0 || (r < 0 && errno == EINTR))
			continue;
		if (r < 0)
			return pw_fail(err, errno, PW_E_IO, "cannot wait for %s: %m", what);
		if (fds[2].revents)
			write_some(c);
		fds[2].fd = c->in;
		if (fds[1].revents)
			fds[1].fd = -EBADF;
		r = fds[0].revents ? read_some(c, what, err) : 1;
		if (r < 0)
			return r;
		if (r == 0)
			fds[0].fd = -EBADF;
		else if (enough && c->output && enough(c->output, c->output_len))
			return 1;
	}
	return 0;
}

static int reap(struct child *c, int *ret_status, const char *what, struct pw_error *err)
{
	pid_t pid = c->pid;

	c->pid = 0;
	while (waitpid(pid, ret_status, 0) < 0) {
		if (errno != EINTR)
			return pw_fail(err, errno, PW_E_IO, "cannot wait for %s: %m", what);
	}
	return 0;
}

static void end(struct child *c)
{
	int status;

	if (c->pid <= 0)
		return; /* kill(0) would be our own process group, a runtime's very likely */
	kill(c->pid, SIGKILL);
	(void)reap(c, &status, "", NULL);
}

int child_listen(struct child *c, const char *what, unsigned int timeout_ms, child_enough_t enough)
{
	return c->pid > 0 && talk(c, what, timeout_ms, enough, NULL) > 0;
}

int child_collect(struct child *c, const char *what, unsigned int timeout_ms, int *ret_status,
		  struct pw_error *err)
{
	int r;

	if (c->pid <= 0)
		return pw_fail(err, ECHILD, PW_E_INTERNAL, "%s isn't running", what);
	r = talk(c, what, timeout_ms, NULL, err);
	if (r < 0) {
		end(c);
		return r;
	}
	return reap(c, ret_status, what, err);
}

void child_done(struct child *c)
{
	end(c);
	closep(&c->in);
	closep(&c->out);
	free(c->output);
	*c = CHILD_NONE;
}
