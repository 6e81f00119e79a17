/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "install/toml.h"

/* "path=value;" of each string, with its index where it isn't 0. */
struct found {
	char text[8192];
	size_t n;
};

static void each(const char *path, const char *value, size_t index, void *arg)
{
	struct found *f = arg;
	size_t len = strlen(f->text);

	f->n++;
	if (index)
		snprintf(f->text + len, sizeof(f->text) - len, "%s[%zu]=%s;", path, index, value);
	else
		snprintf(f->text + len, sizeof(f->text) - len, "%s=%s;", path, value);
}

/* From a copy without a NUL, of exactly its size: AddressSanitizer sees a step too far. */
static void read_exactly(const char *text, size_t len, struct found *f)
{
	char *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, text, len);
	toml_read(copy, len, each, f);
	free(copy);
}

static void strings_are_found_by_their_path(void **state)
{
	static const struct {
		const char *text, *found;
	} cases[] = {
		{ "", "" },
		{ "a = \"x\"", "a=x;" },
		{ "a='x'\nb=\"y\"\n", "a=x;b=y;" },
		{ "a=\"x\"\r\nb=\"y\"\r\n", "a=x;b=y;" },
		{ "# a = \"x\"\n  \t a\t=\t\"x\" # more\n", "a=x;" },
		{ "[t]\na=\"x\"\n[u.v]\na=\"y\"", "t/a=x;u/v/a=y;" },
		{ "[ t . \"u.v\" ] # table\na=\"x\"", "t/u.v/a=x;" },
		{ "[p.'io.containerd.grpc.v1.cri'.cni]\nbin_dir='/x'",
		  "p/io.containerd.grpc.v1.cri/cni/bin_dir=/x;" },
		{ "a.b.\"c d\" = \"x\"", "a/b/c d=x;" },
		{ "a = [\"x\", 'y' , \"z\",]\nb=\"w\"", "a=x;a[1]=y;a[2]=z;b=w;" },
		{ "a = [ # one\n\n\"x\", # ] \"no\"\n\t\"y\"\n]\nb=\"w\"", "a=x;a[1]=y;b=w;" },
		{ "a = [[\"no\"], {b=\"no\"}, \"x\"]", "a=x;" },
		{ "a = \"q\\\"b\\\\s\\tt\"", "a=q\"b\\s\tt;" },
		{ "a = 'back\\slash'", "a=back\\slash;" },
		{ "a = \"#x\" # y", "a=#x;" },
		{ "a=5\nb=true\nc=1979-05-27\nd={ e=\"no\" }\nf=\"x\"", "f=x;" },
		{ "a=\"\"\"\nb=\"no\"\n\\\"\"\"\nc=\"no\"\"\"\"\nd=\"x\"", "d=x;" },
		{ "a='''\nb=\"no\"\n'''\nd=\"x\"", "d=x;" },
		{ "[[t]]\na=\"no\"\n[u]\na=\"x\"", "u/a=x;" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct found f = {};

		read_exactly(cases[i].text, strlen(cases[i].text), &f);
		assert_string_equal(f.text, cases[i].found);
	}
}

static void what_is_no_toml_is_passed_over(void **state)
{
	static const char *const lines[] = {
		"garbage",
		"= \"no\"",
		"a",
		"a =",
		"a = \"unended",
		"a = 'unended",
		"a = \"bad \\u0041\"",
		"a b = \"no\"",
		"a. = \"no\"",
		".a = \"no\"",
		"\"a/b\" = \"no\"",
		"\"\"\"a\"\"\" = \"no\"",
		"]",
		"a = x\"no\"",
		"\xff\xfe = \"no\"",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(lines); i++) {
		char text[128];
		struct found f = {};
		int n = snprintf(text, sizeof(text), "%s\nz = \"x\"\n", lines[i]);

		read_exactly(text, (size_t)n, &f);
		assert_string_equal(f.text, "z=x;");
	}
}

static void a_bad_table_hides_its_keys(void **state)
{
	static const char *const tables[] = { "[]",        "[a",   "[a b]",
					      "[\"a/b\"]", "[a.]", "[\"unended]" };

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(tables); i++) {
		char text[128];
		struct found f = {};
		int n = snprintf(text, sizeof(text), "%s\nk = \"no\"\n[z]\nk = \"x\"\n", tables[i]);

		read_exactly(text, (size_t)n, &f);
		assert_string_equal(f.text, "z/k=x;");
	}
}

static void what_is_too_long_is_passed_over(void **state)
{
	static char value[TOML_STRING_LEN + 1], key[TOML_PATH_LEN + 1];
	static char text[sizeof(value) + sizeof(key) + 64];
	struct found f = {};
	int n;

	(void)state;
	memset(value, 'x', sizeof(value) - 1);
	memset(key, 'k', sizeof(key) - 1);
	n = snprintf(text, sizeof(text), "a=\"%s\"\n%s=\"no\"\nz=\"x\"\n", value, key);
	read_exactly(text, (size_t)n, &f);
	assert_string_equal(f.text, "z=x;");
	value[TOML_STRING_LEN - 1] = '\0'; /* and one that just isn't */
	n = snprintf(text, sizeof(text), "a=\"%s\"\n", value);
	f = (struct found){};
	read_exactly(text, (size_t)n, &f);
	assert_int_equal(f.n, 1);
}

static void every_beginning_of_a_file_is_read_to_its_end(void **state)
{
	static const char text[] =
		"a=\"x\\\"\"\n[t.'u']\nb=['y',\n#c\n\"z\"]\nc='''\nq\n'''\nd=\"\"\"\\\"\"\"\"\n[[v]]\n";
	struct found f = {};

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		f = (struct found){};
		read_exactly(text, len, &f);
	}
	assert_string_equal(f.text, "a=x\";t/u/b=y;t/u/b[1]=z;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_are_found_by_their_path),
		cmocka_unit_test(what_is_no_toml_is_passed_over),
		cmocka_unit_test(a_bad_table_hides_its_keys),
		cmocka_unit_test(what_is_too_long_is_passed_over),
		cmocka_unit_test(every_beginning_of_a_file_is_read_to_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
