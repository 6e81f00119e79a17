/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flock() with a bound: a timer's signal interrupts it. The timer repeats, as the first signal
 * could come just before flock() is entered and be lost.
 */
#include "store/lock.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/error.h"

#define REPEAT_US 20000

static void interrupt(int signal)
{
	(void)signal;
}

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int flock_until(int fd, long deadline)
{
	while (flock(fd, LOCK_EX) < 0) {
		if (errno != EINTR)
			return -errno;
		if (now_ms() >= deadline)
			return -EAGAIN;
	}
	return 0;
}

static int flock_bounded(int fd, long deadline)
{
	struct sigaction act = { .sa_handler = interrupt }, old;
	long left = deadline - now_ms();
	struct itimerval off = {}, timer;
	sigset_t alarm, mask;
	int r;

	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno != EWOULDBLOCK)
		return -errno;
	if (left <= 0)
		return -EAGAIN;

	timer = (struct itimerval){
		.it_interval = { .tv_usec = REPEAT_US },
		.it_value = { .tv_sec = left / 1000, .tv_usec = left % 1000 * 1000 },
	};
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigaction(SIGALRM, &act, &old);
	sigprocmask(SIG_UNBLOCK, &alarm, &mask); /* our parent may have blocked it */
	setitimer(ITIMER_REAL, &timer, NULL);
	r = flock_until(fd, deadline);
	setitimer(ITIMER_REAL, &off, NULL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGALRM, &old, NULL);
	return r;
}

static int open_lock(int dirfd, const char *name, struct pw_error *err)
{
	_cleanup_(closep) int fd = -EBADF;
	struct stat st;

	/* O_NONBLOCK: some of what may lie in its place waits when it is opened */
	fd = openat(dirfd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0 || fstat(fd, &st) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open lock %s: %m", name);
	if (!S_ISREG(st.st_mode))
		return pw_fail(err, EINVAL, PW_E_IO, "lock %s is not a regular file", name);
	return take_fd(fd);
}

/* Whether the file that is locked is still the one under this name. */
static bool is_current(int fd, int dirfd, const char *name)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && fstatat(dirfd, name, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int lock_take(int dirfd, const char *name, unsigned int timeout_ms, struct pw_error *err)
{
	long deadline = now_ms() + (long)timeout_ms;
	int r;

	for (;;) {
		_cleanup_(closep) int fd = open_lock(dirfd, name, err);

		if (fd < 0)
			return fd;
		r = flock_bounded(fd, deadline);
		if (r == -EAGAIN)
			return pw_fail(err, EAGAIN, PW_E_AGAIN,
				       "lock %s is still held by another process after %u ms", name,
				       timeout_ms);
		if (r < 0)
			return pw_fail(err, -r, PW_E_IO, "cannot take lock %s: %m", name);
		if (is_current(fd, dirfd, name))
			return take_fd(fd);
	}
}

void lock_remove(int dirfd, const char *name)
{
	(void)unlinkat(dirfd, name, 0);
}
