/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "spec.h"

static void each_version_is_read_by_its_name(void **state)
{
	(void)state;
	for (enum spec s = 0; s < _SPEC_MAX; s++) {
		enum spec got = _SPEC_MAX;

		assert_int_equal(spec_parse(spec_names[s], &got), 0);
		assert_int_equal(got, s);
	}
	assert_string_equal(spec_names[SPEC_NEWEST], "1.1.0");
	assert_string_equal(spec_names[SPEC_ABSENT], "0.2.0");
}

static void anything_else_is_not_one_of_ours(void **state)
{
	static const char *const cases[] = { "",      "1",      "1.1",     "1.0.1",  "1.2.0",
					     "2.0.0", "v1.0.0", "1.0.0 ",  " 1.0.0", "1.0.0-rc1",
					     "0.4",   "0.4.00", "0.4.0.0", "latest" };

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		enum spec got = SPEC_0_4_0;

		assert_int_equal(spec_parse(cases[i], &got), -EINVAL);
		assert_int_equal(got, SPEC_0_4_0);
	}
}

static void the_list_has_them_in_order_and_is_cut_where_it_must(void **state)
{
	static const char all[] = "0.1.0, 0.2.0, 0.3.0, 0.3.1, 0.4.0, 1.0.0, 1.1.0";
	char buf[80];

	(void)state;
	assert_string_equal(spec_list(buf, sizeof(buf)), all);
	for (size_t size = 1; size <= sizeof(all); size++) {
		memset(buf, 'x', sizeof(buf));
		spec_list(buf, size);
		assert_int_equal(strlen(buf), size - 1);
		assert_int_equal(strncmp(buf, all, size - 1), 0);
		assert_int_equal(buf[size], 'x');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_version_is_read_by_its_name),
		cmocka_unit_test(anything_else_is_not_one_of_ours),
		cmocka_unit_test(the_list_has_them_in_order_and_is_cut_where_it_must),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
