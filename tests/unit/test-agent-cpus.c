/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "source/cpus.h"

/* The set as text, "0 1 2". */
static void assert_set(const char *text, size_t max, const char *wanted)
{
	uint32_t cpu[PW_CPUS_MAX];
	char got[200] = "";
	size_t n = 99;

	if (cpus_parse(text, cpu, max, &n) < 0)
		fail_msg("\"%s\" is refused", text);
	for (size_t i = 0; i < n; i++)
		(void)snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%u", i ? " " : "",
			       cpu[i]);
	assert_string_equal(got, wanted);
}

static void numbers_and_ranges_are_a_set(void **state)
{
	static const struct {
		const char *text, *set;
	} cases[] = {
		{ "0", "0" },       { "0\n", "0" }, { "0-3,8\n", "0 1 2 3 8" },
		{ "7-7", "7" },     { "007", "7" }, { "1,3,5-6", "1 3 5 6" },
		{ "1023", "1023" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++)
		assert_set(cases[i].text, PW_CPUS_MAX, cases[i].set);
}

static void nothing_is_the_empty_set(void **state)
{
	(void)state;
	assert_set("", PW_CPUS_MAX, "");
	assert_set("\n", PW_CPUS_MAX, "");
}

static void order_and_repetition_do_not_matter(void **state)
{
	(void)state;
	assert_set("8,0-3", PW_CPUS_MAX, "0 1 2 3 8");
	assert_set("0-3,1-4,2", PW_CPUS_MAX, "0 1 2 3 4");
	assert_set("5,5,5", PW_CPUS_MAX, "5");
}

static void no_more_than_asked_for_are_given(void **state)
{
	(void)state;
	assert_set("0-3,8", 0, "");
	assert_set("0-3,8", 3, "0 1 2");
	assert_set("8,0-3", 3, "0 1 2");
	assert_set("0-3,8", 5, "0 1 2 3 8");
}

/* A machine with more than the maps have room for still has its first ones. */
static void what_no_map_has_room_for_is_left_out(void **state)
{
	uint32_t cpu[PW_CPUS_MAX];
	size_t n;

	(void)state;
	assert_set("1022-1025", PW_CPUS_MAX, "1022 1023");
	assert_set("1024,3", PW_CPUS_MAX, "3");
	assert_set("99999999999999999999999-99999999999999999999999", PW_CPUS_MAX, "");
	assert_set("3,4294967296", PW_CPUS_MAX, "3");
	assert_int_equal(cpus_parse("0-4294967295", cpu, PW_CPUS_MAX, &n), 0);
	assert_int_equal(n, PW_CPUS_MAX);
	for (uint32_t i = 0; i < PW_CPUS_MAX; i++)
		assert_int_equal(cpu[i], i);
}

static void what_is_no_list_is_refused(void **state)
{
	static const char *const cases[] = {
		",", ",1",  "1,", "1,\n", "1,,2", "-",  "-1", "1-",  "1-\n", "3-1",   "1-2-3",
		"a", "0x1", "1a", "1 2",  " 1",   "1 ", "+1", "1.5", "1-a",  "0-3/2", "\t",
	};
	uint32_t cpu[PW_CPUS_MAX];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		size_t n = 99;

		if (cpus_parse(cases[i], cpu, PW_CPUS_MAX, &n) != -EINVAL)
			fail_msg("\"%s\" is taken", cases[i]);
		assert_int_equal(n, 99);
	}
}

/* Of a list that is cut anywhere, no number is made up. */
static void any_text_is_a_set_or_refused(void **state)
{
	static const char letters[] = "0123456789-,\n x";
	uint32_t cpu[8], seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[12];
		size_t n = 0, len;

		for (len = 0; len < sizeof(text) - 1; len++) {
			seed = seed * 1664525 + 1013904223;
			text[len] = letters[(seed >> 16) % sizeof(letters)];
		}
		text[len] = '\0';
		if (cpus_parse(text, cpu, TEST_COUNT(cpu), &n) < 0)
			continue;
		assert_in_range(n, 0, TEST_COUNT(cpu));
		for (size_t i = 0; i < n; i++) {
			assert_in_range(cpu[i], 0, PW_CPUS_MAX - 1);
			assert_true(i == 0 || cpu[i] > cpu[i - 1]);
		}
	}
}

static void cpus_that_are_asked_for_exist_once(void **state)
{
	static const uint32_t many[PW_CPUS_MAX + 1];
	struct pw_error err = {};

	(void)state;
	assert_int_equal(cpus_check(NULL, 0, &err), 0);
	assert_int_equal(cpus_check((uint32_t[]){ 0 }, 1, &err), 0);
	assert_int_equal(cpus_check((uint32_t[]){ 0, 0 }, 2, &err), -EINVAL);
	assert_string_equal(err.msg, "CPU 0 is named twice");
	assert_int_equal(cpus_check((uint32_t[]){ UINT32_MAX }, 1, &err), -EINVAL);
	assert_string_equal(err.msg, "there is no CPU 4294967295");
	assert_int_equal(cpus_check((uint32_t[]){ PW_CPUS_MAX }, 1, &err), -EINVAL);
	assert_int_equal(cpus_check(many, TEST_COUNT(many), &err), -EINVAL);
	assert_string_equal(err.msg, "1025 CPUs are more than 1024");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_and_ranges_are_a_set),
		cmocka_unit_test(nothing_is_the_empty_set),
		cmocka_unit_test(order_and_repetition_do_not_matter),
		cmocka_unit_test(no_more_than_asked_for_are_given),
		cmocka_unit_test(what_no_map_has_room_for_is_left_out),
		cmocka_unit_test(what_is_no_list_is_refused),
		cmocka_unit_test(any_text_is_a_set_or_refused),
		cmocka_unit_test(cpus_that_are_asked_for_exist_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
