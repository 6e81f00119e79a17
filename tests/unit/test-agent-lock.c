/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "store/agent_lock.h"
#include "tmpdir.h"

#define NAME "agent.lock"

static void set_age(const struct tmpdir *dir, long seconds)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };

	clock_gettime(CLOCK_REALTIME, &times[1]);
	times[1].tv_sec -= seconds;
	assert_int_equal(utimensat(dir->fd, NAME, times, 0), 0);
}

static void without_a_file_it_never_ran(void **state)
{
	const struct tmpdir *dir = *state;
	struct pw_error err = {};

	assert_int_equal(agent_lock_down_for(dir->fd, &err), -ENOENT);
	assert_int_equal(err.errnum, 0);
}

static void as_long_as_it_is_locked_it_runs(void **state)
{
	const struct tmpdir *dir = *state;
	int fd;

	tmpdir_write(dir, NAME, "");
	set_age(dir, 10000); /* old as the file may be */
	fd = openat(dir->fd, NAME, O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	for (int twice = 0; twice < 2; twice++)
		assert_int_equal(agent_lock_down_for(dir->fd, NULL), 0);
	close(fd);
	assert_true(agent_lock_down_for(dir->fd, NULL) >= 10000);
}

static void unlocked_it_is_down_since_the_files_time(void **state)
{
	static const struct {
		long age, least, most;
	} cases[] = {
		{ 0, 1, 5 },     { 59, 59, 64 }, { 61, 61, 66 }, { 86400, 86400, 86405 },
		{ -1000, 1, 1 }, /* a clock that was set back: down, but for nobody knows how long
				  */
	};
	const struct tmpdir *dir = *state;

	tmpdir_write(dir, NAME, "");
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		set_age(dir, cases[i].age);
		assert_in_range(agent_lock_down_for(dir->fd, NULL), cases[i].least, cases[i].most);
	}
}

/* Two plugins that look at once don't take each other for the agent. */
static void who_looks_is_not_the_agent(void **state)
{
	const struct tmpdir *dir = *state;
	int fd;

	tmpdir_write(dir, NAME, "");
	fd = openat(dir->fd, NAME, O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_SH), 0);
	assert_true(agent_lock_down_for(dir->fd, NULL) > 0);
	close(fd);
	/* and it leaves no lock behind */
	fd = openat(dir->fd, NAME, O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	close(fd);
}

static void what_cannot_be_opened_is_an_error(void **state)
{
	const struct tmpdir *dir = *state;
	struct pw_error err = {};

	assert_int_equal(symlinkat("/etc/passwd", dir->fd, NAME), 0);
	assert_int_equal(agent_lock_down_for(dir->fd, &err), -ELOOP);
	assert_string_equal(err.msg, "cannot open agent.lock: Too many levels of symbolic links");
	assert_int_equal(err.code, PW_E_IO);
	assert_int_equal(agent_lock_down_for(-EBADF, &err), -EBADF);
}

int main(void)
{
#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, tmpdir_setup, tmpdir_teardown)
	const struct CMUnitTest tests[] = {
		WITH_DIR(without_a_file_it_never_ran),
		WITH_DIR(as_long_as_it_is_locked_it_runs),
		WITH_DIR(unlocked_it_is_down_since_the_files_time),
		WITH_DIR(who_looks_is_not_the_agent),
		WITH_DIR(what_cannot_be_opened_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
