/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "json/jdec.h"
#include "json/jenc.h"

static const char sample[] =
	"{\"cniVersion\":\"1.1.0\",\"name\":\"n\\u00e4\xc3\xa4\\ud83d\\udc27\",\"mtu\":1500,"
	"\"ipMasq\":true,\"off\":false,\"no\":null,\"list\":[1,-2,[{}],\"\\\"\\\\\"],\"x\":1.5e3}";

static int parse(const char *text, size_t len, struct json_object **ret, struct pw_error *err)
{
	/* a copy of just that size: AddressSanitizer sees any step beyond it */
	char *copy = malloc(len ? len : 1);
	int r;

	assert_non_null(copy);
	memcpy(copy, text, len);
	r = jdec_parse(copy, len, "config", ret, err);
	free(copy);
	return r;
}

static void one_text_is_parsed(void **state)
{
	static const char *const cases[] = {
		sample, "{}", "[]", "12", "-1", "true", "\"\"", " \t\r\n{ \"a\" : [ 1 , 2 ] } \n",
		"0",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct json_object *v = NULL;
		struct pw_error err = {};

		if (parse(cases[i], strlen(cases[i]), &v, &err) < 0)
			fail_msg("%s: %s", cases[i], err.msg);
		json_object_put(v);
	}
}

static void what_was_parsed_is_what_stood_there(void **state)
{
	struct json_object *v = NULL;

	(void)state;
	assert_int_equal(parse(sample, sizeof(sample) - 1, &v, NULL), 0);
	assert_string_equal(json_object_get_string(jdec_member(v, "name")),
			    "n\xc3\xa4\xc3\xa4\xf0\x9f\x90\xa7");
	assert_string_equal(
		jenc_text(v),
		"{\"cniVersion\":\"1.1.0\",\"name\":\"n\xc3\xa4\xc3\xa4\xf0\x9f\x90\xa7\","
		"\"mtu\":1500,\"ipMasq\":true,\"off\":false,\"no\":null,"
		"\"list\":[1,-2,[{}],\"\\\"\\\\\"],\"x\":1.5e3}");
	json_object_put(v);
}

static void cut_short_at_any_byte_it_is_no_json(void **state)
{
	char want[80];

	(void)state;
	for (size_t len = 0; len < sizeof(sample) - 1; len++) {
		struct json_object *v = NULL;
		struct pw_error err = {};

		assert_int_equal(parse(sample, len, &v, &err), -EINVAL);
		assert_int_equal(err.code, PW_E_DECODE);
		assert_null(v);
		snprintf(want, sizeof(want), "config is not JSON: byte %zu: unexpected end of data",
			 len);
		/* between the bytes of a character it is the character that is wrong */
		if (strstr(err.msg, "utf-8") == NULL)
			assert_string_equal(err.msg, want);
	}
}

static void one_changed_byte_never_crashes(void **state)
{
	char text[sizeof(sample)];

	(void)state;
	for (size_t at = 0; at < sizeof(sample) - 1; at++) {
		for (int c = 0; c < 256; c++) {
			struct json_object *v = NULL;

			memcpy(text, sample, sizeof(text));
			text[at] = (char)c;
			(void)parse(text, sizeof(text) - 1, &v, NULL);
			json_object_put(v);
		}
	}
}

#define TEXT(s) s, sizeof(s) - 1
static const struct {
	const char *text;
	size_t len;
	const char *msg;
} bad[] = {
	{ TEXT(""), "config is not JSON: byte 0: unexpected end of data" },
	{ TEXT("   "), "config is not JSON: byte 3: unexpected end of data" },
	{ TEXT("null"), "config is null" },
	{ TEXT("{} x"), "config is not JSON: byte 3: unexpected character" },
	{ TEXT("{}{}"), "config is not JSON: byte 2: unexpected character" },
	{ TEXT("{},"), "config is not JSON: byte 2: unexpected character" },
	{ TEXT("1 2"), "config is not JSON: byte 2: unexpected character" },
	{ TEXT("{}\0"), "config is not JSON: byte 2: unexpected character" },
	{ TEXT("{}\0garbage"), "config is not JSON: byte 2: unexpected character" },
	{ TEXT("{} \0{}"), "config is not JSON: byte 3: unexpected character" },
	{ TEXT("12\0"), "config is not JSON: byte 2: unexpected character" },
	{ TEXT("\0"), "config is not JSON: byte 0: unexpected end of data" },
	{ TEXT("{\"a\":\0 1}"), "config is not JSON: byte 5: unexpected end of data" },
	{ TEXT("{\"a\":\"x\0y\"}"), "config is not JSON: byte 8: unexpected end of data" },
	{ TEXT("{\"a\":1,}"), "config is not JSON: byte 7: unexpected character" },
	{ TEXT("[1,]"), "config is not JSON: byte 3: unexpected character" },
	{ TEXT("[1,,2]"), "config is not JSON: byte 3: unexpected character" },
	{ TEXT("[1 2]"), "config is not JSON: byte 3: array value separator ',' expected" },
	{ TEXT("{a:1}"), "config is not JSON: byte 1: quoted object property name expected" },
	{ TEXT("{\"a\" 1}"),
	  "config is not JSON: byte 5: object property name separator ':' expected" },
	{ TEXT("/* c */{}"), "config is not JSON: byte 0: unexpected character" },
	{ TEXT("// c\n{}"), "config is not JSON: byte 0: unexpected character" },
	{ TEXT("[01]"), "config is not JSON: byte 3: number expected" },
	{ TEXT("[+1]"), "config is not JSON: byte 1: unexpected character" },
	{ TEXT("[0x10]"), "config is not JSON: byte 2: number expected" },
	{ TEXT("[True]"), "config is not JSON: byte 1: boolean expected" },
	{ TEXT("[\"\\x\"]"), "config is not JSON: byte 3: invalid string sequence" },
	{ TEXT("<xml/>"), "config is not JSON: byte 0: unexpected character" },
};

static void what_is_no_json_is_refused_with_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < TEST_COUNT(bad); i++) {
		struct json_object *v = NULL;
		struct pw_error err = {};

		if (parse(bad[i].text, bad[i].len, &v, &err) != -EINVAL)
			fail_msg("row %zu is taken for JSON: %s", i, bad[i].text);
		assert_string_equal(err.msg, bad[i].msg);
		assert_int_equal(err.code, PW_E_DECODE);
		assert_null(v);
		assert_int_equal(parse(bad[i].text, bad[i].len, &v, NULL), -EINVAL);
	}
}

static void invalid_utf8_is_refused(void **state)
{
	static const char *const cases[] = {
		"{\"a\":\"\xff\"}", "{\"a\":\"\xc3\"}", "{\"a\":\"\xe2\x82\"}", "{\"a\":\"\x80\"}",
		"{\"\xff\":1}",     "\xef\xbb\xbf{}",   "\"\xf0\x9f\x90\"",     "{\"a\":\"\xc3(\"}",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct json_object *v = NULL;
		struct pw_error err = {};

		assert_int_equal(parse(cases[i], strlen(cases[i]), &v, &err), -EINVAL);
		assert_non_null(strstr(err.msg, "invalid utf-8 string"));
	}
}

/* Nesting costs stack in whoever walks the tree. */
static void nesting_is_bounded(void **state)
{
	static const char opening[] = "[{", closing[] = "]}";
	char text[200001];

	(void)state;
	for (int kind = 0; kind < 2; kind++) {
		for (size_t depth = 1; depth < 100000; depth += depth < 64 ? 1 : 33333) {
			struct json_object *v = NULL;
			struct pw_error err = {};
			size_t n = 0;
			int r;

			for (size_t i = 0; i < depth && n + 6 < sizeof(text); i++) {
				text[n++] = opening[kind];
				if (kind == 1 && i + 1 < depth)
					n += (size_t)snprintf(text + n, 5, "\"\":");
			}
			for (size_t i = 0; i < depth && n < sizeof(text); i++)
				text[n++] = closing[kind];
			r = parse(text, n, &v, &err);
			if ((r == 0) != (depth <= 32))
				fail_msg("depth %zu: %d", depth, r);
			if (r < 0)
				assert_non_null(strstr(err.msg, "nesting too deep"));
			json_object_put(v);
		}
	}
}

static void huge_numbers_are_not_small_ones(void **state)
{
	static const char *const cases[] = {
		"4294967296",
		"9223372036854775807",
		"9223372036854775808",
		"18446744073709551615",
		"18446744073709551616",
		"99999999999999999999999999999999999999999999",
		"-1",
		"-2147483649",
		"-9223372036854775809",
		"1e3",
		"1.0",
		"1e400",
		"-0.0",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct jdec_sink sink = {};
		struct json_object *v = NULL;
		uint32_t n = 42;

		assert_int_equal(parse(cases[i], strlen(cases[i]), &v, NULL), 0);
		assert_int_equal(jdec_u32(v, NULL, &n, &sink), -EINVAL);
		assert_int_equal(n, 42);
		assert_int_equal(sink.count, 1);
		json_object_put(v);
	}
}

static void the_last_of_equal_keys_counts(void **state)
{
	static const char text[] = "{\"a\":1,\"a\":2}";
	struct json_object *v = NULL;

	(void)state;
	assert_int_equal(parse(text, sizeof(text) - 1, &v, NULL), 0);
	assert_int_equal(json_object_get_int(jdec_member(v, "a")), 2);
	json_object_put(v);
}

static void what_is_too_large_is_refused_unread(void **state)
{
	struct json_object *v = NULL;
	struct pw_error err = {};

	(void)state;
	assert_int_equal(jdec_parse("{}", (size_t)INT32_MAX + 1, "config", &v, &err), -EFBIG);
	assert_string_equal(err.msg, "config is too large");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_text_is_parsed),
		cmocka_unit_test(what_was_parsed_is_what_stood_there),
		cmocka_unit_test(cut_short_at_any_byte_it_is_no_json),
		cmocka_unit_test(one_changed_byte_never_crashes),
		cmocka_unit_test(what_is_no_json_is_refused_with_its_place),
		cmocka_unit_test(invalid_utf8_is_refused),
		cmocka_unit_test(nesting_is_bounded),
		cmocka_unit_test(huge_numbers_are_not_small_ones),
		cmocka_unit_test(the_last_of_equal_keys_counts),
		cmocka_unit_test(what_is_too_large_is_refused_unread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
