/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent_config_lab.h"
#include "base/error.h"
#include "tmpdir.h"

/* Findings, a line each, without the directory of the test. */
struct told {
	const char *prefix;
	char text[4096];
};

static void take_finding(const char *finding, void *arg)
{
	struct told *told = arg;
	size_t used = strlen(told->text), prefix = strlen(told->prefix);

	if (strncmp(finding, told->prefix, prefix) == 0)
		finding += prefix;
	assert_true(used + strlen(finding) + 2 < sizeof(told->text));
	snprintf(told->text + used, sizeof(told->text) - used, "%s\n", finding);
}

static int load(const struct tmpdir *dir, struct config *c, struct told *told, struct pw_error *err)
{
	char path[80], prefix[64];

	snprintf(path, sizeof(path), "%s/agent.json", dir->path);
	snprintf(prefix, sizeof(prefix), "%s/", dir->path);
	*told = (struct told){ .prefix = prefix };
	*err = (struct pw_error){};
	return config_load(path, take_finding, told, c, err);
}

/* That loading fails, with just these findings. */
static void require_refused(const struct tmpdir *dir, enum pw_code code, const char *expected)
{
	struct config c = { .cpu_queue = 42 };
	struct pw_error err;
	struct told told;

	assert_int_equal(load(dir, &c, &told, &err), -EINVAL);
	assert_string_equal(told.text, expected);
	assert_int_equal(err.errnum, EINVAL);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.msg, dir->path));
	assert_int_equal(c.cpu_queue, 42); /* untouched on failure */
	assert_null(c.uplinks.v);
}

static void require_loaded(const struct tmpdir *dir, struct config *c)
{
	struct pw_error err;
	struct told told;

	if (load(dir, c, &told, &err) < 0)
		fail_msg("%s", told.text);
	assert_string_equal(told.text, "");
}

static void make_dir(const struct tmpdir *dir)
{
	assert_int_equal(mkdirat(dir->fd, "agent.d", 0755), 0);
}

static void without_files_all_is_default(void **state)
{
	const struct tmpdir *dir = *state;
	struct config c;

	require_loaded(dir, &c);
	require_defaults(&c);
	config_done(&c);
	make_dir(dir);
	require_loaded(dir, &c);
	require_defaults(&c);
	config_done(&c);
	assert_int_equal(config_load("/proc/self/no/such/agent.json", NULL, NULL, &c, NULL), 0);
	require_defaults(&c);
	config_done(&c);
}

static void a_later_file_wins_key_by_key(void **state)
{
	const struct tmpdir *dir = *state;
	struct config c;

	make_dir(dir);
	tmpdir_write(dir, "agent.json",
		     "{\"uplinks\":[\"eth0\",\"eth1\"],\"cpuQueue\":1,\"netlinkBuffer\":5000,"
		     "\"cpus\":[1,2],\"uplinkXdp\":\"native\"}");
	tmpdir_write(dir, "agent.d/20.json", "{\"cpuQueue\":20,\"uplinks\":[\"eth2\"]}");
	tmpdir_write(dir, "agent.d/10.json", "{\"cpuQueue\":10,\"uplinkRoutes\":[\"10.0.0.0/8\"]}");
	/* the order of bytes, which is no locale's */
	tmpdir_write(dir, "agent.d/a.json", "{\"netlinkBuffer\":7000}");
	tmpdir_write(dir, "agent.d/Z.json", "{\"netlinkBuffer\":6000,\"cpus\":null}");
	require_loaded(dir, &c);
	assert_int_equal(c.uplinks.n, 1);
	assert_string_equal(c.uplinks.v, "eth2");
	assert_int_equal(c.uplink_routes.n, 1);
	assert_int_equal(c.cpu_queue, 20);
	assert_int_equal(c.netlink_buffer, 7000);
	assert_int_equal(c.cpus.n, 2);
	assert_int_equal(c.uplink_xdp, UPLINK_XDP_NATIVE);
	config_done(&c);
}

static void the_directory_is_read_without_the_file(void **state)
{
	const struct tmpdir *dir = *state;
	struct config c;

	make_dir(dir);
	tmpdir_write(dir, "agent.d/x.json", "{\"cpuQueue\":3}");
	require_loaded(dir, &c);
	assert_int_equal(c.cpu_queue, 3);
	config_done(&c);
}

static void a_file_of_another_name_has_its_directory_too(void **state)
{
	const struct tmpdir *dir = *state;
	char path[80];
	struct config c;

	assert_int_equal(mkdirat(dir->fd, "conf.d", 0755), 0);
	tmpdir_write(dir, "conf", "{\"cpuQueue\":3}");
	tmpdir_write(dir, "conf.d/x.json", "{\"netlinkBuffer\":4096}");
	snprintf(path, sizeof(path), "%s/conf", dir->path);
	assert_int_equal(config_load(path, NULL, NULL, &c, NULL), 0);
	assert_int_equal(c.cpu_queue, 3);
	assert_int_equal(c.netlink_buffer, 4096);
	config_done(&c);
}

static void what_does_not_end_in_json_is_not_read(void **state)
{
	const struct tmpdir *dir = *state;
	struct config c;

	make_dir(dir);
	tmpdir_write(dir, "agent.d/README", "no");
	tmpdir_write(dir, "agent.d/x.json~", "no");
	tmpdir_write(dir, "agent.d/x.json.bak", "no");
	tmpdir_write(dir, "agent.d/xjson", "no");
	tmpdir_write(dir, "agent.d/.json", "no");
	tmpdir_write(dir, "agent.d/.x.json", "no");
	require_loaded(dir, &c);
	require_defaults(&c);
	config_done(&c);
}

static void all_that_is_wrong_is_told_at_once(void **state)
{
	const struct tmpdir *dir = *state;

	make_dir(dir);
	tmpdir_write(dir, "agent.json", "{\n\"cpuQueue\": 0,\n\"colour\": 1}");
	tmpdir_write(dir, "agent.d/1.json", "{\n");
	assert_int_equal(symlinkat("1.json", dir->fd, "agent.d/2.json"), 0);
	tmpdir_write(dir, "agent.d/3.json", "{\"cpuQueue\": 5, \"uplinks\": [\n\"a b\"]}");
	require_refused(dir, PW_E_CONFIG,
			"agent.json:2: cpuQueue: 0 is not in 1..16384\n"
			"agent.json:3: colour: unknown key\n"
			"agent.d/1.json:2: expected a key in double quotes, got the end of the "
			"file\n"
			"agent.d/2.json: is a link: refused\n"
			"agent.d/3.json:2: uplinks[0]: \"a b\" is not the name of an interface\n");
}

static void a_finding_is_one_line_whatever_the_file_is_called(void **state)
{
	const struct tmpdir *dir = *state;

	make_dir(dir);
	tmpdir_write(dir, "agent.d/a\n\xff.json", "[]");
	require_refused(dir, PW_E_DECODE, "agent.d/a ?.json:1: expected an object, got '['\n");
}

static void an_empty_file_is_wrong(void **state)
{
	const struct tmpdir *dir = *state;

	tmpdir_write(dir, "agent.json", "");
	require_refused(dir, PW_E_DECODE,
			"agent.json:1: expected an object, got the end of the file\n");
}

static void a_link_is_refused(void **state)
{
	const struct tmpdir *dir = *state;

	tmpdir_write(dir, "real.json", "{}");
	assert_int_equal(symlinkat("real.json", dir->fd, "agent.json"), 0);
	require_refused(dir, PW_E_IO, "agent.json: is a link: refused\n");
	assert_int_equal(unlinkat(dir->fd, "real.json", 0), 0);
	require_refused(dir, PW_E_IO, "agent.json: is a link: refused\n");

	assert_int_equal(unlinkat(dir->fd, "agent.json", 0), 0);
	assert_int_equal(mkdirat(dir->fd, "real.d", 0755), 0);
	assert_int_equal(symlinkat("real.d", dir->fd, "agent.d"), 0);
	require_refused(dir, PW_E_IO, "agent.d: is a link: refused\n");
}

static void what_others_can_write_is_refused(void **state)
{
	const struct tmpdir *dir = *state;

	tmpdir_write(dir, "agent.json", "{}");
	assert_int_equal(fchmodat(dir->fd, "agent.json", 0664, 0), 0);
	require_refused(dir, PW_E_IO, "agent.json: is writable by others (mode 0664): refused\n");
	assert_int_equal(fchmodat(dir->fd, "agent.json", 0602, 0), 0);
	require_refused(dir, PW_E_IO, "agent.json: is writable by others (mode 0602): refused\n");
	assert_int_equal(fchmodat(dir->fd, "agent.json", 0644, 0), 0);
	make_dir(dir);
	assert_int_equal(fchmodat(dir->fd, "agent.d", 0777, 0), 0);
	tmpdir_write(dir, "agent.d/x.json", "no");
	require_refused(dir, PW_E_IO, "agent.d: is writable by others (mode 0777): refused\n");
}

static void what_belongs_to_others_is_refused(void **state)
{
	const struct tmpdir *dir = *state;

	if (geteuid() != 0)
		skip(); /* only root can give a file away */
	tmpdir_write(dir, "agent.json", "{}");
	assert_int_equal(fchownat(dir->fd, "agent.json", 1, 0, 0), 0);
	require_refused(dir, PW_E_IO, "agent.json: belongs to user 1: refused\n");
}

static void what_is_no_file_is_refused(void **state)
{
	const struct tmpdir *dir = *state;
	char path[80];
	struct pw_error err = {};
	struct config c;

	assert_int_equal(mkdirat(dir->fd, "agent.json", 0755), 0);
	tmpdir_write(dir, "agent.d", "{}");
	require_refused(dir, PW_E_IO,
			"agent.json: is not a regular file\n"
			"agent.d: cannot open it: Not a directory\n");
	assert_int_equal(unlinkat(dir->fd, "agent.json", AT_REMOVEDIR), 0);
	assert_int_equal(unlinkat(dir->fd, "agent.d", 0), 0);

	assert_int_equal(mkfifoat(dir->fd, "agent.json", 0600), 0);
	require_refused(dir, PW_E_IO, "agent.json: is not a regular file\n");

	snprintf(path, sizeof(path), "%s/agent.json/agent.json", dir->path);
	assert_int_equal(config_load(path, NULL, NULL, &c, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "/agent.json: cannot open it: Not a directory"));
}

static void a_file_of_a_mebibyte_is_read_and_a_larger_one_refused(void **state)
{
	const struct tmpdir *dir = *state;
	size_t size = 1u << 20;
	char *text = malloc(size + 2);
	struct config c;

	assert_non_null(text);
	memset(text, ' ', size + 2);
	text[0] = '{';
	text[size - 1] = '}';
	text[size] = '\0';
	tmpdir_write(dir, "agent.json", text);
	require_loaded(dir, &c);
	config_done(&c);

	text[size] = '\n';
	text[size + 1] = '\0';
	tmpdir_write(dir, "agent.json", text);
	free(text);
	require_refused(dir, PW_E_IO, "agent.json: it is larger than 1048576 bytes\n");
}

static void a_caller_may_want_no_findings(void **state)
{
	const struct tmpdir *dir = *state;
	struct pw_error err = {};
	struct config c;
	char path[80];

	tmpdir_write(dir, "agent.json", "{\"x\":1,\n\"y\":2}");
	snprintf(path, sizeof(path), "%s/agent.json", dir->path);
	assert_int_equal(config_load(path, NULL, NULL, &c, NULL), -EINVAL);
	assert_int_equal(config_load(path, NULL, NULL, &c, &err), -EINVAL);
	assert_string_equal(err.msg + strlen(dir->path), "/agent.json:1: x: unknown key");
}

#define in_tmpdir(test) cmocka_unit_test_setup_teardown(test, tmpdir_setup, tmpdir_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_tmpdir(without_files_all_is_default),
		in_tmpdir(a_later_file_wins_key_by_key),
		in_tmpdir(the_directory_is_read_without_the_file),
		in_tmpdir(a_file_of_another_name_has_its_directory_too),
		in_tmpdir(what_does_not_end_in_json_is_not_read),
		in_tmpdir(all_that_is_wrong_is_told_at_once),
		in_tmpdir(a_finding_is_one_line_whatever_the_file_is_called),
		in_tmpdir(an_empty_file_is_wrong),
		in_tmpdir(a_link_is_refused),
		in_tmpdir(what_others_can_write_is_refused),
		in_tmpdir(what_belongs_to_others_is_refused),
		in_tmpdir(what_is_no_file_is_refused),
		in_tmpdir(a_file_of_a_mebibyte_is_read_and_a_larger_one_refused),
		in_tmpdir(a_caller_may_want_no_findings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
