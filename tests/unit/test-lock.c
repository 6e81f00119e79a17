/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "store/lock.h"
#include "tmpdir.h"

#define NAME "x.lock"
#define LONG_MS 20000 /* no test comes near it */

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static bool is_free(const struct tmpdir *dir)
{
	int fd = lock_take(dir->fd, NAME, 0, NULL);

	if (fd < 0)
		assert_int_equal(fd, -EAGAIN);
	else
		close(fd);
	return fd >= 0;
}

/* Another process that waits for the lock; what it got is its exit status. */
static pid_t start_waiter(const struct tmpdir *dir, int holder_fd, unsigned int timeout_ms)
{
	pid_t pid = fork();
	int fd;

	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	close(holder_fd); /* inherited, it would hold the lock as well */
	fd = lock_take(dir->fd, NAME, timeout_ms, NULL);
	_exit(fd >= 0 ? 0 : -fd);
}

static int wait_for(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Until a process sleeps in flock(): there is no event for that, so look, with a deadline. */
static void wait_until_it_waits(pid_t pid)
{
	char path[64], want[16], text[256] = "";
	long deadline = now_ms() + 10000;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	snprintf(want, sizeof(want), "%d ", SYS_flock);
	while (now_ms() < deadline) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

		close(fd);
		if (n > 0 && strncmp(text, want, strlen(want)) == 0)
			return;
		poll(NULL, 0, 1);
	}
}

static void a_lock_is_one_processs(void **state)
{
	const struct tmpdir *dir = *state;
	struct pw_error err = {};
	struct stat st;
	int fd;

	fd = lock_take(dir->fd, NAME, 0, &err);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 07777 & ~0600u, 0);

	assert_int_equal(lock_take(dir->fd, NAME, 0, &err), -EAGAIN);
	assert_int_equal(err.code, PW_E_AGAIN);
	assert_string_equal(err.msg, "lock x.lock is still held by another process after 0 ms");
	assert_int_equal(lock_take(dir->fd, "another.lock", 0, &err), fd + 1);
	close(fd + 1);
	close(fd);
	assert_true(is_free(dir));
}

static void waiting_ends_in_time(void **state)
{
	static const unsigned int bounds[] = { 1, 50, 300, 1000 };
	const struct tmpdir *dir = *state;
	int fd = lock_take(dir->fd, NAME, 0, NULL);

	for (size_t i = 0; i < TEST_COUNT(bounds); i++) {
		long begin = now_ms(), took;

		assert_int_equal(lock_take(dir->fd, NAME, bounds[i], NULL), -EAGAIN);
		took = now_ms() - begin;
		assert_in_range(took, bounds[i], bounds[i] + 1500);
	}
	close(fd);
}

/* Whoever started us may have blocked what we wake ourselves up with. */
static void waiting_ends_in_time_where_signals_are_blocked(void **state)
{
	const struct tmpdir *dir = *state;
	int fd = lock_take(dir->fd, NAME, 0, NULL);
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	assert_int_equal(sigprocmask(SIG_BLOCK, &all, &before), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(lock_take(dir->fd, NAME, 50, NULL) == -EAGAIN ? 0 : 1);
	for (long deadline = now_ms() + 10000; now_ms() < deadline; poll(NULL, 0, 1)) {
		int status;

		if (waitpid(pid, &status, WNOHANG) != pid)
			continue;
		assert_int_equal(status, 0);
		assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
		close(fd);
		return;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	fail_msg("it still waits");
}

static int alarms;

static void count_alarm(int signal)
{
	(void)signal;
	alarms++;
}

static void the_callers_own_alarm_stays(void **state)
{
	const struct tmpdir *dir = *state;
	struct sigaction act = { .sa_handler = count_alarm }, now;
	struct itimerval timer;
	sigset_t blocked, mask;
	int fd = lock_take(dir->fd, NAME, 0, NULL);

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGALRM);
	assert_int_equal(sigaction(SIGALRM, &act, NULL), 0);
	assert_int_equal(sigprocmask(SIG_BLOCK, &blocked, NULL), 0);
	assert_int_equal(lock_take(dir->fd, NAME, 30, NULL), -EAGAIN);

	assert_int_equal(sigaction(SIGALRM, NULL, &now), 0);
	assert_ptr_equal(now.sa_handler, count_alarm);
	assert_int_equal(getitimer(ITIMER_REAL, &timer), 0);
	assert_int_equal(timer.it_value.tv_sec + timer.it_value.tv_usec, 0);
	assert_int_equal(sigprocmask(SIG_UNBLOCK, &blocked, &mask), 0);
	assert_true(sigismember(&mask, SIGALRM));
	assert_int_equal(alarms, 0);
	close(fd);
}

static void who_waits_gets_it_when_it_is_let_go(void **state)
{
	const struct tmpdir *dir = *state;
	int fd = lock_take(dir->fd, NAME, 0, NULL);
	pid_t waiters[3];

	for (size_t i = 0; i < TEST_COUNT(waiters); i++) {
		waiters[i] = start_waiter(dir, fd, LONG_MS);
		wait_until_it_waits(waiters[i]);
	}
	close(fd);
	for (size_t i = 0; i < TEST_COUNT(waiters); i++)
		assert_int_equal(wait_for(waiters[i]), 0);
	assert_true(is_free(dir));
}

/* An IPAM process that outlives its ADD keeps DEL out until it is through. */
static void a_child_that_inherits_it_keeps_it(void **state)
{
	const struct tmpdir *dir = *state;
	int go[2], fd;
	pid_t pid;
	char c;

	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	fd = lock_take(dir->fd, NAME, 0, NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(go[1]);
		_exit(read(go[0], &c, 1) == 0 ? 0 : 1);
	}
	close(go[0]);
	close(fd);
	assert_false(is_free(dir));
	close(go[1]);
	assert_int_equal(wait_for(pid), 0);
	assert_true(is_free(dir));
}

static void the_lock_of_a_killed_process_is_free(void **state)
{
	const struct tmpdir *dir = *state;
	int ready[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int fd = lock_take(dir->fd, NAME, 0, NULL);

		if (fd < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_false(is_free(dir));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_true(is_free(dir));
	close(ready[0]);
	close(ready[1]);
}

/* DEL removes the file while an ADD waits: two who hold "the lock" would be none. */
static void a_removed_file_is_taken_anew(void **state)
{
	const struct tmpdir *dir = *state;
	int hold[2], ready[2], fd = lock_take(dir->fd, NAME, 0, NULL);
	pid_t pid;
	char c;

	assert_int_equal(pipe2(hold, O_CLOEXEC), 0);
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(hold[1]);
		close(fd); /* the parent's, inherited */
		fd = lock_take(dir->fd, NAME, LONG_MS, NULL);
		_exit(fd >= 0 && write(ready[1], "", 1) == 1 && read(hold[0], &c, 1) == 0 ? 0 : 1);
	}
	wait_until_it_waits(pid);
	lock_remove(dir->fd, NAME);
	assert_int_equal(tmpdir_count(dir), 0);
	close(fd);

	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_int_equal(tmpdir_count(dir), 1);
	assert_false(is_free(dir)); /* the new file is locked, not the one that is gone */
	close(hold[1]);
	assert_int_equal(wait_for(pid), 0);
	assert_true(is_free(dir));
	close(hold[0]);
	close(ready[0]);
	close(ready[1]);
}

static void removing_what_is_not_there_is_nothing(void **state)
{
	const struct tmpdir *dir = *state;

	lock_remove(dir->fd, NAME);
	lock_remove(-EBADF, NAME);
}

static void a_lock_that_cannot_be_opened_is_an_error(void **state)
{
	const struct tmpdir *dir = *state;
	struct pw_error err = {};

	tmpdir_write(dir, "victim", "");
	assert_int_equal(symlinkat("victim", dir->fd, NAME), 0);
	assert_int_equal(lock_take(dir->fd, NAME, 0, &err), -ELOOP);
	assert_int_equal(err.code, PW_E_IO);
	assert_string_equal(err.msg, "cannot open lock x.lock: Too many levels of symbolic links");
	assert_int_equal(lock_take(-EBADF, NAME, 0, &err), -EBADF);
	assert_int_equal(lock_take(dir->fd, "a/b", 0, &err), -ENOENT);
}

int main(void)
{
#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, tmpdir_setup, tmpdir_teardown)
	const struct CMUnitTest tests[] = {
		WITH_DIR(a_lock_is_one_processs),
		WITH_DIR(waiting_ends_in_time),
		WITH_DIR(waiting_ends_in_time_where_signals_are_blocked),
		WITH_DIR(the_callers_own_alarm_stays),
		WITH_DIR(who_waits_gets_it_when_it_is_let_go),
		WITH_DIR(a_child_that_inherits_it_keeps_it),
		WITH_DIR(the_lock_of_a_killed_process_is_free),
		WITH_DIR(a_removed_file_is_taken_anew),
		WITH_DIR(removing_what_is_not_there_is_nothing),
		WITH_DIR(a_lock_that_cannot_be_opened_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
