/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cni_error.h"
#include "json/jdec.h"

static const char *print(enum spec spec, const struct pw_error *err)
{
	static char text[4096];
	FILE *f = fmemopen(text, sizeof(text), "w");

	assert_non_null(f);
	cni_error_print(f, spec, err);
	fclose(f);
	return text;
}

static void an_error_is_one_line_of_json(void **state)
{
	static const struct {
		enum spec spec;
		struct pw_error err;
		const char *text;
	} cases[] = {
		{ SPEC_1_1_0,
		  { EINVAL, PW_E_CONFIG, "mtu: wrong", "" },
		  "{\"cniVersion\":\"1.1.0\",\"code\":7,\"msg\":\"mtu: wrong\"}\n" },
		{ SPEC_0_2_0,
		  { EINVAL, PW_E_VERSION, "incompatible CNI versions", "config is \"9\"" },
		  "{\"cniVersion\":\"0.2.0\",\"code\":1,\"msg\":\"incompatible CNI versions\","
		  "\"details\":\"config is \\\"9\\\"\"}\n" },
		{ SPEC_1_0_0,
		  { EIO, (enum pw_code)4711, "an IPAM plugin's own", "" },
		  "{\"cniVersion\":\"1.0.0\",\"code\":4711,\"msg\":\"an IPAM plugin's own\"}\n" },
		{ SPEC_1_0_0,
		  { EIO, PW_E_NONE, "no code", "" },
		  "{\"cniVersion\":\"1.0.0\",\"code\":999,\"msg\":\"no code\"}\n" },
		{ SPEC_1_0_0,
		  { EIO, PW_E_IO, "\"\\/\xc3\xa4", "" },
		  "{\"cniVersion\":\"1.0.0\",\"code\":5,\"msg\":\"\\\"\\\\/\xc3\xa4\"}\n" },
		{ SPEC_1_0_0, {}, "{\"cniVersion\":\"1.0.0\",\"code\":999,\"msg\":\"\"}\n" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++)
		assert_string_equal(print(cases[i].spec, &cases[i].err), cases[i].text);
}

/* Whatever somebody's input has put into a message, a runtime must be able to read it. */
static void any_message_is_valid_json(void **state)
{
	char text[3000];

	(void)state;
	for (size_t seed = 0; seed < 300; seed++) {
		struct json_object *v = NULL;
		struct pw_error err = {};
		const char *line;

		for (size_t i = 0; i < sizeof(text) - 1; i++)
			text[i] = (char)(1 + (seed * 7919 + i * i * 31 + i * seed) % 255);
		text[sizeof(text) - 1] = '\0';
		pw_fail(&err, EIO, PW_E_IO, "%s", text + seed);
		pw_details(&err, "%.*s", (int)seed, text);
		line = print(SPEC_1_1_0, &err);
		assert_int_equal(jdec_parse(line, strlen(line), "error", &v, NULL), 0);
		assert_string_equal(json_object_get_string(jdec_member(v, "msg")), err.msg);
		assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
		json_object_put(v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_is_one_line_of_json),
		cmocka_unit_test(any_message_is_valid_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
