/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUs that were asked for, kept for the agent's next start. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "config/config.h"
#include "config/keep.h"
#include "tmpdir.h"

static const char *path_in(const struct tmpdir *dir)
{
	static char path[160];

	snprintf(path, sizeof(path), "%s/agent.json", dir->path);
	return path;
}

static void keep(const struct tmpdir *dir, const uint32_t *cpu, size_t n)
{
	struct pw_error err = {};

	if (keep_cpus(path_in(dir), cpu, n, &err) < 0)
		fail_msg("%s", err.msg);
}

static void kept_cpus_are_those_of_the_configuration(void **state)
{
	const struct tmpdir *dir = *state;
	struct config config = {};
	struct pw_error err = {};
	const uint32_t *cpu;
	struct stat st;

	tmpdir_write(dir, "agent.json", "{\"cpus\": [7], \"cpuQueue\": 5}");
	keep(dir, (uint32_t[]){ 3, 0, 1023 }, 3);
	keep(dir, (uint32_t[]){ 2, 1 }, 2);
	assert_int_equal(config_load(path_in(dir), NULL, NULL, &config, &err), 0);
	assert_int_equal(config.cpus.n, 2);
	cpu = config.cpus.v;
	assert_int_equal(cpu[0], 2);
	assert_int_equal(cpu[1], 1);
	assert_int_equal(config.cpu_queue, 5);
	config_done(&config);
	assert_int_equal(fstatat(dir->fd, "agent.d/" KEEP_CPUS, &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
}

static void none_are_forgotten(void **state)
{
	const struct tmpdir *dir = *state;
	struct stat st;

	keep(dir, NULL, 0); /* without a directory, too */
	assert_int_equal(fstatat(dir->fd, "agent.d", &st, 0), -1);
	keep(dir, (uint32_t[]){ 2 }, 1);
	keep(dir, NULL, 0);
	keep(dir, NULL, 0);
	assert_int_equal(fstatat(dir->fd, "agent.d", &st, 0), 0);
	assert_int_equal(fstatat(dir->fd, "agent.d/" KEEP_CPUS, &st, 0), -1);
}

static void link_is_replaced_and_not_followed(void **state)
{
	const struct tmpdir *dir = *state;
	struct stat st;
	char *text;

	tmpdir_write(dir, "other", "stays");
	assert_int_equal(mkdirat(dir->fd, "agent.d", 0755), 0);
	assert_int_equal(symlinkat("../other", dir->fd, "agent.d/" KEEP_CPUS), 0);
	keep(dir, (uint32_t[]){ 2 }, 1);
	text = tmpdir_read(dir, "other");
	assert_string_equal(text, "stays");
	free(text);
	assert_int_equal(fstatat(dir->fd, "agent.d/" KEEP_CPUS, &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_true(S_ISREG(st.st_mode));
}

static void directory_that_is_a_link_or_for_others_is_refused(void **state)
{
	const struct tmpdir *dir = *state;
	struct pw_error err = {};

	assert_int_equal(mkdirat(dir->fd, "elsewhere", 0755), 0);
	assert_int_equal(symlinkat("elsewhere", dir->fd, "agent.d"), 0);
	assert_true(keep_cpus(path_in(dir), (uint32_t[]){ 2 }, 1, &err) < 0);
	assert_int_equal(unlinkat(dir->fd, "agent.d", 0), 0);
	assert_int_equal(mkdirat(dir->fd, "agent.d", 0755), 0);
	assert_int_equal(fchmodat(dir->fd, "agent.d", 0777, 0), 0);
	assert_int_equal(keep_cpus(path_in(dir), (uint32_t[]){ 2 }, 1, &err), -EPERM);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tmpdir_setup, tmpdir_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(kept_cpus_are_those_of_the_configuration),
		TEST(none_are_forgotten),
		TEST(link_is_replaced_and_not_followed),
		TEST(directory_that_is_a_link_or_for_others_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
