/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/error.h"
#include "tmpdir.h"
#include "valgrind.h"

#define LONG_MS 20000 /* no test comes near it */
#define MIB ((size_t)1 << 20)

static char env_path[] = "PATH=/usr/bin:/bin", env_locale[] = "LC_ALL=C";
static char *const environment[] = { env_path, env_locale, NULL };

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* A test that hangs ends as a failure, not with the suite's timeout. */
static int setup(void **state)
{
	signal(SIGPIPE, SIG_IGN); /* as main() has it */
	alarm(60);
	return tmpdir_setup(state);
}

static int teardown(void **state)
{
	alarm(0);
	return tmpdir_teardown(state);
}

static struct child start(const struct tmpdir *dir, const char *script, int keep_fd)
{
	struct child c = CHILD_NONE;
	struct pw_error err = {};
	char path[80], text[2048];

	snprintf(path, sizeof(path), "%s/program", dir->path);
	snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
	tmpdir_program(dir, "program", text);
	if (child_start((char *[]){ path, NULL }, environment, keep_fd, &c, &err) < 0)
		fail_msg("%s", err.msg);
	return c;
}

static void it_reads_and_prints_and_ends(void **state)
{
	struct child c = start(*state, "read line; echo \"$line, $LC_ALL\"; exit 7", -1);
	struct pw_error err = {};
	int status = -1;

	child_feed(&c, "hello\n", 6);
	assert_int_equal(child_collect(&c, "it", LONG_MS, &status, &err), 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	assert_string_equal(c.output, "hello, C\n");
	assert_int_equal(c.output_len, 9);
	assert_int_equal(c.pid, 0);
	child_done(&c);
	assert_int_equal(c.in, -EBADF);
	assert_null(c.output);
}

static void silence_is_no_output(void **state)
{
	struct child c = start(*state, "exit 0", -1);
	int status = -1;

	child_feed(&c, "", 0);
	assert_int_equal(child_collect(&c, "it", LONG_MS, &status, NULL), 0);
	assert_int_equal(status, 0);
	assert_null(c.output);
	assert_int_equal(c.output_len, 0);
	child_done(&c);
}

/* More than a pipe takes in both directions at once: neither may wait for the other. */
static void much_goes_both_ways(void **state)
{
	struct child c = start(*state, "exec cat", -1);
	size_t len = 3 * MIB;
	char *input = malloc(len);
	int status = -1;

	assert_non_null(input);
	for (size_t i = 0; i < len; i++)
		input[i] = (char)(i * 31 >> 4);
	child_feed(&c, input, len);
	assert_int_equal(child_collect(&c, "it", LONG_MS, &status, NULL), 0);
	assert_int_equal(status, 0);
	assert_int_equal(c.output_len, len);
	assert_memory_equal(c.output, input, len);
	child_done(&c);
	free(input);
}

static void what_does_not_read_its_input_is_no_failure(void **state)
{
	static const char *const scripts[] = { "echo done", "exec <&-; echo done",
					       "head -c 10 >/dev/null; echo done" };
	size_t len = 2 * MIB;
	char *input = calloc(1, len);

	assert_non_null(input);
	for (size_t i = 0; i < TEST_COUNT(scripts); i++) {
		struct child c = start(*state, scripts[i], -1);
		int status = -1;

		child_feed(&c, input, len);
		assert_int_equal(child_collect(&c, "it", LONG_MS, &status, NULL), 0);
		assert_int_equal(status, 0);
		assert_string_equal(c.output, "done\n");
		child_done(&c);
	}
	free(input);
}

static void output_is_bounded(void **state)
{
	struct child c = start(*state, "head -c 4194304 /dev/zero", -1);
	struct pw_error err = {};
	int status = -1;

	child_feed(&c, "", 0);
	assert_int_equal(child_collect(&c, "it", LONG_MS, &status, NULL), 0);
	assert_int_equal(c.output_len, 4 * MIB);
	child_done(&c);

	c = start(*state, "head -c 5242880 /dev/zero; exec sleep 1000", -1);
	child_feed(&c, "", 0);
	assert_int_equal(child_collect(&c, "it", LONG_MS, &status, &err), -EFBIG);
	assert_int_equal(err.code, PW_E_IPAM);
	assert_string_equal(err.msg, "it printed more than 4194304 bytes");
	assert_int_equal(c.pid, 0);
	child_done(&c);
}

/* Each way to be stuck: the bound holds, and nothing is left of the process. */
static void what_hangs_is_killed_in_time(void **state)
{
	static const char *const scripts[] = {
		"exec sleep 1000",
		"cat >/dev/null; exec sleep 1000",
		"echo '{}'; exec sleep 1000",
		"exec >&-; exec sleep 1000",
		"echo '{}'; exec >&- <&-; exec sleep 1000",
		"trap '' TERM INT HUP PIPE; while :; do :; done",
		"kill -STOP $$",
	};
	const unsigned int bound = 150;
	size_t len = MIB;
	char *input = calloc(1, len);

	assert_non_null(input);
	for (size_t i = 0; i < TEST_COUNT(scripts); i++) {
		struct child c = start(*state, scripts[i], -1);
		struct pw_error err = {};
		pid_t pid = c.pid;
		long begin = now_ms();
		int status = -1;

		child_feed(&c, input, len);
		assert_int_equal(child_collect(&c, "it", bound, &status, &err), -ETIMEDOUT);
		assert_in_range(now_ms() - begin, bound, bound + 3000);
		assert_int_equal(err.code, PW_E_AGAIN);
		assert_string_equal(err.msg, "it did not answer within 0 s");
		assert_int_equal(kill(pid, 0), -1);
		assert_int_equal(errno, ESRCH);
		child_done(&c);
	}
	free(input);
}

static void output_that_ends_early_is_not_its_end(void **state)
{
	const struct {
		const char *script;
		int status;
	} cases[] = {
		{ "exec >&-; exit 3", 3 },
		{ "echo x; exec >&-; cat >/dev/null; exit 4", 4 },
		{ "exec >&-; head -c 1000000 >/dev/null; exit 5", 5 },
	};
	size_t len = MIB;
	char *input = calloc(1, len);

	assert_non_null(input);
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct child c = start(*state, cases[i].script, -1);
		int status = -1;

		child_feed(&c, input, len);
		assert_int_equal(child_collect(&c, "it", LONG_MS, &status, NULL), 0);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), cases[i].status);
		child_done(&c);
	}
	free(input);
}

static void death_by_a_signal_is_told(void **state)
{
	static const int signals[] = { SIGKILL, SIGSEGV, SIGTERM, SIGPIPE, SIGALRM };

	for (size_t i = 0; i < TEST_COUNT(signals); i++) {
		char script[40];
		struct child c;
		int status = 0;

		/* SIGPIPE, which we ignore: what we start has its default again */
		snprintf(script, sizeof(script), "kill -%d $$; exit 0", signals[i]);
		c = start(*state, script, -1);
		child_feed(&c, "", 0);
		assert_int_equal(child_collect(&c, "it", LONG_MS, &status, NULL), 0);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
		child_done(&c);
	}
}

static void blocked_signals_are_not_passed_on(void **state)
{
	sigset_t set, before;
	struct child c;
	int status = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &before);
	c = start(*state, "kill -TERM $$; exit 0", -1);
	child_feed(&c, "", 0);
	assert_int_equal(child_collect(&c, "it", LONG_MS, &status, NULL), 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
	assert_true(WIFSIGNALED(status));
	child_done(&c);
}

static void exactly_the_kept_descriptor_is_inherited(void **state)
{
	const struct tmpdir *dir = *state;
	char path[80], want[128], *line, *rest;
	struct child c;
	int lock, other, status, seen = 0;

	/* what we were started with ourselves is no matter here */
	assert_int_equal(close_range(3, ~0U, CLOSE_RANGE_CLOEXEC), 0);
	snprintf(path, sizeof(path), "%s/lock", dir->path);
	other = open("/dev/null", O_RDWR | O_CLOEXEC);
	lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	snprintf(want, sizeof(want), " %d -> %s", lock, path);

	for (int keep = 0; keep < 2; keep++) {
		bool found = false;

		/* with one of its own: the directory that it lists */
		c = start(dir, "exec ls -l /proc/self/fd", keep ? lock : -EBADF);
		child_feed(&c, "", 0);
		assert_int_equal(child_collect(&c, "it", LONG_MS, &status, NULL), 0);
		rest = c.output;
		while ((line = strsep(&rest, "\n"))) {
			seen += strstr(line, " -> ") != NULL;
			found = found || strstr(line, want);
		}
		assert_int_equal(found, keep);
		child_done(&c);
	}
	assert_int_equal(seen, 4 + 5); /* 0, 1, 2, the directory; and the lock */
	assert_int_equal(fcntl(lock, F_GETFD), FD_CLOEXEC); /* in our process it still is */
	close(lock);
	close(other);
}

static void what_was_not_collected_is_killed(void **state)
{
	struct child c = start(*state, "exec sleep 1000", -1);
	pid_t pid = c.pid;

	child_done(&c);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
	child_done(&c); /* once more is nothing */
}

static void input_waits_until_it_is_fed(void **state)
{
	struct child c = start(*state, "read x; echo \"got $x\"", -1);
	int status = -1;

	assert_int_equal(waitpid(c.pid, &status, WNOHANG), 0);
	child_feed(&c, "it\n", 3);
	assert_int_equal(child_collect(&c, "it", LONG_MS, &status, NULL), 0);
	assert_string_equal(c.output, "got it\n");
	child_done(&c);
}

static void what_cannot_be_run_is_an_error(void **state)
{
	const struct tmpdir *dir = *state;
	const struct {
		const char *name;
		int errnum;
	} cases[] = {
		{ "absent", ENOENT },
		{ "plain", EACCES },
		{ "interpreter", ENOENT },
		{ ".", EACCES },
	};
	char path[80], want[200];

	NOT_IN_VALGRIND();
	tmpdir_write(dir, "plain", "no program");
	tmpdir_program(dir, "interpreter", "#!/no/such/shell\n");
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct child c = CHILD_NONE;
		struct pw_error err = {};

		snprintf(path, sizeof(path), "%s/%s", dir->path, cases[i].name);
		assert_int_equal(child_start((char *[]){ path, NULL }, environment, -1, &c, &err),
				 -cases[i].errnum);
		assert_int_equal(err.code, PW_E_IPAM);
		snprintf(want, sizeof(want), "cannot run %s: %s", path, strerror(cases[i].errnum));
		assert_string_equal(err.msg, want);
		assert_int_equal(c.pid, 0);
		child_done(&c);
	}
}

/* kill(0) would be everybody in our process group. */
static void nobody_is_nobody_to_collect(void **state)
{
	struct child c = CHILD_NONE;
	struct pw_error err = {};
	int status;

	(void)state;
	assert_int_equal(child_collect(&c, "it", LONG_MS, &status, &err), -ECHILD);
	assert_string_equal(err.msg, "it isn't running");
	child_done(&c);
}

int main(void)
{
#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		WITH_DIR(it_reads_and_prints_and_ends),
		WITH_DIR(silence_is_no_output),
		WITH_DIR(much_goes_both_ways),
		WITH_DIR(what_does_not_read_its_input_is_no_failure),
		WITH_DIR(output_is_bounded),
		WITH_DIR(what_hangs_is_killed_in_time),
		WITH_DIR(output_that_ends_early_is_not_its_end),
		WITH_DIR(death_by_a_signal_is_told),
		WITH_DIR(blocked_signals_are_not_passed_on),
		WITH_DIR(exactly_the_kept_descriptor_is_inherited),
		WITH_DIR(what_was_not_collected_is_killed),
		WITH_DIR(input_waits_until_it_is_fed),
		WITH_DIR(what_cannot_be_run_is_an_error),
		cmocka_unit_test(nobody_is_nobody_to_collect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
