/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "tmpdir.h"
#include "validate.h"

#define VERSIONS "0.1.0, 0.2.0, 0.3.0, 0.3.1, 0.4.0, 1.0.0, 1.1.0"

static const struct {
	const char *text, *findings;
} cases[] = {
	/* right as they are */
	{ "{\"cniVersion\":\"1.1.0\",\"name\":\"n\",\"plugins\":[{\"type\":\"podwire\","
	  "\"ipam\":{\"type\":\"host-local\"}}]}",
	  "" },
	{ "{\"name\":\"n\",\"plugins\":[{\"type\":\"podwire\",\"unknown\":1},"
	  "{\"type\":\"portmap\",\"mtu\":\"ours only\",\"capabilities\":{\"portMappings\":true}}]}",
	  "" },
	{ "{\"cniVersion\":\"0.3.1\",\"name\":\"n\",\"type\":\"podwire\"}", "" },
	{ "{\"cniVersion\":\"\",\"name\":\"n\",\"disableCheck\":true,\"plugins\":["
	  "{\"type\":\"loopback\"},{\"type\":\"podwire\"}]}",
	  "" },
	/* of the list */
	{ "{}", "name: missing\nplugins: missing\n" },
	{ "[]", "expected an object, got an array\n" },
	{ "{\"name\":\"a b\",\"plugins\":{}}",
	  "name: \"a b\" is not a valid network name\nplugins: expected an array, got an object\n" },
	{ "{\"name\":\"n\",\"plugins\":[]}", "plugins: is empty\n" },
	{ "{\"name\":\"n\",\"plugins\":[{\"type\":\"bridge\"}]}",
	  "plugins: none of them is of type podwire\n" },
	{ "{\"name\":\"n\",\"plugins\":[7,null,{},{\"type\":\"../sh\"},{\"type\":1}]}",
	  "plugins[0]: expected an object, got an integer\n"
	  "plugins[1]: expected an object, got null\n"
	  "plugins[2].type: missing\n"
	  "plugins[3].type: \"../sh\" is not the name of a plugin\n"
	  "plugins[4].type: expected a string, got an integer\n" },
	{ "{\"cniVersion\":\"9\",\"name\":7,\"disableCheck\":\"no\",\"plugins\":["
	  "{\"type\":\"podwire\"}]}",
	  "cniVersion: \"9\" is none of " VERSIONS "\n"
	  "name: expected a string, got an integer\n"
	  "disableCheck: expected a boolean, got a string\n" },
	/* of ours */
	{ "{\"name\":\"n\",\"plugins\":[{\"type\":\"podwire\",\"mtu\":\"9000\","
	  "\"masqExclude\":[\"10.0.0.1/8\"],\"ipam\":{\"subnet\":\"x\"}},"
	  "{\"type\":\"podwire\",\"gateway\":\"auto\"}]}",
	  "plugins[0].mtu: expected an integer, got a string\n"
	  "plugins[0].ipam.type: missing\n"
	  "plugins[0].masqExclude[0]: 10.0.0.1/8 has host bits set; meant is 10.0.0.0/8?\n"
	  "plugins[1].gateway: \"auto\" is none of \"linklocal\", \"ipam\"\n" },
	/* of a single one */
	{ "{\"cniVersion\":\"1\",\"type\":\"podwire\",\"queues\":65}",
	  "cniVersion: \"1\" is none of " VERSIONS "\n"
	  "name: missing\n"
	  "queues: 65 is not in 0..64\n" },
};

static void each_finding_is_a_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		char text[2000] = "";
		FILE *out = fmemopen(text, sizeof(text), "w");
		struct pw_error err = {};
		int lines = 0, r;

		assert_non_null(out);
		r = validate_text(cases[i].text, strlen(cases[i].text), out, &err);
		fclose(out);
		assert_string_equal(text, cases[i].findings);
		for (const char *c = text; *c; c++)
			lines += *c == '\n';
		assert_int_equal(r, lines);
	}
}

static void what_is_no_json_is_an_error(void **state)
{
	struct pw_error err = {};

	(void)state;
	assert_int_equal(validate_text("{", 1, stdout, &err), -EINVAL);
	assert_string_equal(err.msg, "config is not JSON: byte 1: unexpected end of data");
	assert_int_equal(validate_text("null", 4, stdout, &err), -EINVAL);
}

static void a_file_is_read_whatever_it_is(void **state)
{
	const struct tmpdir *dir = *state;
	struct pw_error err = {};
	char path[80];
	FILE *out = fopen("/dev/null", "w");

	assert_non_null(out);
	tmpdir_write(dir, "conflist", cases[0].text);
	assert_int_equal(symlinkat("conflist", dir->fd, "link"), 0);
	snprintf(path, sizeof(path), "%s/link", dir->path);
	assert_int_equal(validate_file(path, out, &err), 0);
	tmpdir_write(dir, "conflist", "{}");
	assert_int_equal(validate_file(path, out, &err), 2);

	assert_int_equal(validate_file(dir->path, out, &err), -EISDIR);
	snprintf(path, sizeof(path), "%s/absent", dir->path);
	assert_int_equal(validate_file(path, out, &err), -ENOENT);
	assert_int_equal(err.code, PW_E_IO);
	assert_int_equal(validate_file("/dev/zero", out, &err), -EFBIG);
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_finding_is_a_line),
		cmocka_unit_test(what_is_no_json_is_an_error),
		cmocka_unit_test_setup_teardown(a_file_is_read_whatever_it_is, tmpdir_setup,
						tmpdir_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
