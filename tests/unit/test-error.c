/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"

#define LONG "0123456789012345678901234567890123456789012345678901234567890123456789"
#define MSG_ROOM (sizeof(((struct pw_error *)0)->msg) - 1)
#define DETAILS_ROOM (sizeof(((struct pw_error *)0)->details) - 1)

/* Decodes the way that a strict JSON reader does. */
static bool is_utf8(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		unsigned int n = *s < 0x80 ? 0 : *s < 0xc2 ? 9 : *s < 0xe0 ? 1 : *s < 0xf0 ? 2 : 3;
		unsigned long c = n ? *s & (0x3fu >> n) : *s;

		if (n == 9 || *s > 0xf4)
			return false;
		for (s++; n > 0; n--, s++) {
			if ((*s & 0xc0) != 0x80)
				return false;
			c = c << 6 | (*s & 0x3f);
			if (n == 1 && (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)))
				return false;
		}
	}
	return true;
}

static void failing_is_one_statement(void **state)
{
	struct pw_error err = { .details = "of an older error" };

	(void)state;
	assert_int_equal(pw_fail(&err, ENOENT, PW_E_IO, "cannot open %s: %m", "/x"), -ENOENT);
	assert_int_equal(err.errnum, ENOENT);
	assert_int_equal(err.code, PW_E_IO);
	assert_string_equal(err.msg, "cannot open /x: No such file or directory");
	assert_string_equal(err.details, "");
	assert_int_equal(pw_fail(NULL, EPERM, PW_E_IO, "nobody cares"), -EPERM);
	assert_int_equal(pw_oom(&err), -ENOMEM);
	assert_int_equal(err.code, PW_E_INTERNAL);
	assert_int_equal(pw_oom(NULL), -ENOMEM);
}

/* A failure whose errno got lost must not look like success. */
static void an_error_without_errno_is_still_one(void **state)
{
	static const int lost[] = { 0, -1, -ENOENT };

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(lost); i++) {
		struct pw_error err = {};

		assert_int_equal(pw_fail(&err, lost[i], PW_E_IO, "x"), -EIO);
		assert_int_equal(err.errnum, EIO);
	}
}

static void message_is_one_line_of_utf8(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "plain", "plain" },
		{ "a\nb\tc\rd\x1b[31m\x7f", "a b c d [31m " },
		{ "h\xc3\xb6"
		  "her",
		  "h\xc3\xb6"
		  "her" },
		{ "\xe2\x82\xac \xf0\x9f\x90\xa7", "\xe2\x82\xac \xf0\x9f\x90\xa7" },
		{ "bad \xff byte", "bad ? byte" },
		{ "cut \xc3", "cut ?" },
		{ "cut \xe2\x82 in the middle", "cut ?? in the middle" },
		{ "overlong \xc0\xaf", "overlong ??" },
		{ "overlong \xe0\x80\xaf", "overlong ???" },
		{ "surrogate \xed\xa0\x80", "surrogate ???" },
		{ "too high \xf4\x90\x80\x80", "too high ????" },
		{ "stray \x80\xbf", "stray ??" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct pw_error err = {};

		pw_fail(&err, EIO, PW_E_IO, "%s", cases[i].in);
		assert_string_equal(err.msg, cases[i].out);
		pw_details(&err, "%s", cases[i].in);
		assert_string_equal(err.details, cases[i].out);
		assert_true(is_utf8(err.msg));
	}
}

/* A format with a precision cuts bytes, wherever that is. */
static void a_cut_argument_stays_utf8(void **state)
{
	struct pw_error err = {};

	(void)state;
	for (int n = 0; n <= 8; n++) {
		pw_fail(&err, EINVAL, PW_E_CONFIG, "\"%.*s\" is wrong", n,
			"\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7");
		assert_true(is_utf8(err.msg));
	}
}

static void too_long_is_cut_between_characters(void **state)
{
	static const char *const characters[] = { "x", "\xc3\xa4", "\xe2\x82\xac",
						  "\xf0\x9f\x90\xa7" };
	char text[4 * DETAILS_ROOM];

	(void)state;
	for (size_t c = 0; c < TEST_COUNT(characters); c++) {
		size_t n = strlen(characters[c]);

		/* each possible place of the cut within the character */
		for (size_t shift = 0; shift < n; shift++) {
			struct pw_error err = {};

			memset(text, '.', shift);
			for (size_t at = shift; at + n < sizeof(text); at += n)
				memcpy(text + at, characters[c], n + 1);
			pw_fail(&err, EIO, PW_E_IO, "%s", text);
			pw_details(&err, "%s", text);
			assert_true(is_utf8(err.msg));
			assert_true(is_utf8(err.details));
			assert_null(strchr(err.msg, '?'));
			assert_in_range(strlen(err.msg), MSG_ROOM - 4, MSG_ROOM);
			assert_in_range(strlen(err.details), DETAILS_ROOM - 4, DETAILS_ROOM);
		}
	}
}

static void context_goes_in_front(void **state)
{
	struct pw_error err = {};

	(void)state;
	pw_fail(&err, ENOENT, PW_E_CONFIG, "inner");
	assert_int_equal(pw_context(&err, "outer %d", 7), -ENOENT);
	assert_string_equal(err.msg, "outer 7: inner");
	assert_int_equal(err.code, PW_E_CONFIG);
	assert_int_equal(pw_context(&err, "most\nouter"), -ENOENT);
	assert_string_equal(err.msg, "most outer: outer 7: inner");
	assert_int_equal(pw_context(NULL, "x"), -EIO);
}

static void context_that_does_not_fit_is_cut(void **state)
{
	struct pw_error err = {};

	(void)state;
	pw_fail(&err, EIO, PW_E_IO, "%s", "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac" LONG LONG LONG);
	for (int i = 0; i < 40; i++) {
		pw_context(&err, "%.*s", i, LONG);
		assert_true(is_utf8(err.msg));
	}
	assert_int_equal(strlen(err.msg), MSG_ROOM);
	assert_int_equal(strncmp(err.msg, LONG, 39), 0);
}

static void details_without_an_error_are_nothing(void **state)
{
	(void)state;
	pw_details(NULL, "%s", "x");
}

static void gather_keeps_the_first(void **state)
{
	struct pw_error first = {}, a = {}, b = {};

	(void)state;
	pw_fail(&a, ENOENT, PW_E_IO, "a");
	pw_details(&a, "of a");
	pw_fail(&b, EPERM, PW_E_CONFIG, "b");

	assert_int_equal(pw_gather(&first, &a), -ENOENT);
	assert_int_equal(pw_gather(&first, &b), -ENOENT);
	assert_string_equal(first.msg, "a");
	assert_string_equal(first.details, "of a");
	assert_int_equal(first.code, PW_E_IO);
	assert_int_equal(pw_gather(NULL, &b), -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(failing_is_one_statement),
		cmocka_unit_test(an_error_without_errno_is_still_one),
		cmocka_unit_test(message_is_one_line_of_utf8),
		cmocka_unit_test(a_cut_argument_stays_utf8),
		cmocka_unit_test(too_long_is_cut_between_characters),
		cmocka_unit_test(context_goes_in_front),
		cmocka_unit_test(context_that_does_not_fit_is_cut),
		cmocka_unit_test(details_without_an_error_are_nothing),
		cmocka_unit_test(gather_keeps_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
