/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <limits.h>
#include <string.h>

#include "net/name.h"

struct row {
	const char *text;
	bool is;
};

static void cni_names_are_those_of_the_specification(void **state)
{
	static const struct row rows[] = {
		{ "a", true },
		{ "0", true },
		{ "podwire", true },
		{ "A-b_c.9", true },
		{ "a..", true },
		{ "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", true },
		{ "", false },
		{ ".a", false },
		{ "-a", false },
		{ "_a", false },
		{ "a b", false },
		{ "a/b", false },
		{ "../a", false },
		{ "a\n", false },
		{ "a:b", false },
		{ "a%", false },
		{ "a\\", false },
		{ "h\xc3\xb6", false },
		{ "a\x80", false },
		{ " a", false },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		if (name_is_cni(rows[i].text) != rows[i].is)
			fail_msg("row %zu: \"%s\"", i, rows[i].text);
}

static void interface_names_are_those_of_the_kernel(void **state)
{
	static const struct row rows[] = {
		{ "eth0", true },
		{ "e", true },
		{ "eth0.100", true },
		{ "...", true },
		{ "-", true },
		{ "a@b", true },
		{ "123456789012345", true },
		{ "1234567890123456", false },
		{ "", false },
		{ ".", false },
		{ "..", false },
		{ "a/b", false },
		{ "a:1", false },
		{ "a b", false },
		{ " a", false },
		{ "a\t", false },
		{ "a\n", false },
		{ "a\v", false },
		{ "a\x7f", false },
		{ "\x01", false },
		{ "eth%d", false }, /* a pattern: the kernel would choose a number */
		{ "a\xa0", false }, /* the kernel's isspace() is of Latin-1 */
		{ "\xc3\xa4", true },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		if (name_is_ifname(rows[i].text) != rows[i].is)
			fail_msg("row %zu: \"%s\"", i, rows[i].text);
}

static void plugin_names_stay_in_their_directory(void **state)
{
	char longest[NAME_MAX + 2];
	static const struct row rows[] = {
		{ "host-local", true }, { "a", true },        { "a b", true },    { "...", true },
		{ ".hidden", true },    { "", false },        { ".", false },     { "..", false },
		{ "a/b", false },       { "/bin/sh", false }, { "../sh", false }, { "a/", false },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		if (name_is_plugin(rows[i].text) != rows[i].is)
			fail_msg("row %zu: \"%s\"", i, rows[i].text);
	memset(longest, 'a', sizeof(longest));
	longest[NAME_MAX + 1] = '\0';
	assert_false(name_is_plugin(longest));
	longest[NAME_MAX] = '\0';
	assert_true(name_is_plugin(longest));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cni_names_are_those_of_the_specification),
		cmocka_unit_test(interface_names_are_those_of_the_kernel),
		cmocka_unit_test(plugin_names_stay_in_their_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
