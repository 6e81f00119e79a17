/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>

#include "json/jdec.h"
#include "json/jenc.h"

static void members_come_in_order_on_one_line(void **state)
{
	struct json_object *v = json_object_new_object(), *list = json_object_new_array();
	int r = 0;

	(void)state;
	r |= jenc_string(v, "s", "a\"b\\c\n/\x01\xc3\xa4");
	r |= jenc_string_opt(v, "none", NULL);
	r |= jenc_string_opt(v, "empty", "");
	r |= jenc_string_opt(v, "opt", "x");
	r |= jenc_int(v, "n", INT64_MIN);
	r |= jenc_int(v, "u", UINT32_MAX);
	r |= jenc_bool(v, "b", false);
	r |= jenc_append(list, json_object_new_string("e"));
	r |= jenc_append(list, json_object_new_object());
	r |= jenc_add(v, "l", list);
	assert_int_equal(r, 0);
	assert_string_equal(jenc_text(v), "{\"s\":\"a\\\"b\\\\c\\n/\\u0001\xc3\xa4\",\"opt\":\"x\","
					  "\"n\":-9223372036854775808,\"u\":4294967295,\"b\":false,"
					  "\"l\":[\"e\",{}]}");
	json_object_put(v);
}

/* So that a chain of calls can be checked at its end, and nothing leaks on the way. */
static void a_missing_object_is_passed_on_as_failure(void **state)
{
	struct json_object *v = json_object_new_object();

	(void)state;
	assert_int_equal(jenc_add(NULL, "k", json_object_new_object()), -ENOMEM);
	assert_int_equal(jenc_add(v, "k", NULL), -ENOMEM);
	assert_int_equal(jenc_append(NULL, json_object_new_object()), -ENOMEM);
	assert_int_equal(jenc_append(NULL, NULL), -ENOMEM);
	assert_int_equal(jenc_string(NULL, "k", "v"), -ENOMEM);
	assert_int_equal(jenc_string_opt(NULL, "k", "v"), -ENOMEM);
	assert_int_equal(jenc_string_opt(NULL, "k", ""), 0);
	assert_int_equal(jenc_int(NULL, "k", 1), -ENOMEM);
	assert_int_equal(jenc_bool(NULL, "k", true), -ENOMEM);
	assert_string_equal(jenc_text(v), "{}");
	json_object_put(v);
}

static void the_last_of_equal_keys_is_written(void **state)
{
	struct json_object *v = json_object_new_object();

	(void)state;
	assert_int_equal(jenc_int(v, "k", 1), 0);
	assert_int_equal(jenc_string(v, "k", "two"), 0);
	assert_string_equal(jenc_text(v), "{\"k\":\"two\"}");
	json_object_put(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_come_in_order_on_one_line),
		cmocka_unit_test(a_missing_object_is_passed_on_as_failure),
		cmocka_unit_test(the_last_of_equal_keys_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
