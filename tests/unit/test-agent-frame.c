/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a peer sends, cut into messages. */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "bus/frame.h"

#define AUTH "\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n"
#define TAKE(f, text) take((f), (text), sizeof(text) - 1)

static bool whole;

static ssize_t take(struct frame *f, const char *data, size_t n)
{
	return frame_take(f, (const uint8_t *)data, n, &whole);
}

static struct frame begun(void)
{
	struct frame f = {};

	assert_int_equal(TAKE(&f, AUTH), sizeof(AUTH) - 1);
	assert_true(whole);
	return f;
}

static void put(uint8_t *at, uint32_t value, bool big)
{
	for (unsigned int i = 0; i < 4; i++)
		at[big ? 3 - i : i] = (uint8_t)(value >> 8 * i);
}

static void header(uint8_t to[FRAME_HEADER], uint32_t body, uint32_t fields, bool big)
{
	memset(to, 0, FRAME_HEADER);
	to[0] = big ? 'B' : 'l';
	put(to + 4, body, big);
	put(to + 12, fields, big);
}

static void authentication_ends_with_its_line(void **state)
{
	static const char *const others[] = {
		"BEGIN\r\n",    "x\r\nBEGIN \r\n",    "x\r\nBEGIN\n\r\n",
		"x\nBEGIN\r\n", "x\r\nBEGI\r\nN\r\n",
	};

	(void)state;
	begun();
	for (size_t i = 0; i < TEST_COUNT(others); i++) {
		struct frame f = {};

		assert_int_equal(take(&f, others[i], strlen(others[i])), strlen(others[i]));
		assert_false(whole);
		assert_false(f.begun);
	}
}

static void authentication_may_come_in_pieces_and_with_more(void **state)
{
	static const char more[] = AUTH "l and what follows";
	struct frame f = {};

	(void)state;
	for (size_t i = 0; i < sizeof(AUTH) - 2; i++) {
		assert_int_equal(take(&f, more + i, 1), 1);
		assert_false(whole);
	}
	assert_int_equal(take(&f, more + sizeof(AUTH) - 2, 10), 1);
	assert_true(whole);
}

static void endless_authentication_is_refused(void **state)
{
	static const char words[FRAME_AUTH_MAX + 1];
	struct frame f = {};

	(void)state;
	assert_int_equal(take(&f, words, FRAME_AUTH_MAX), FRAME_AUTH_MAX);
	assert_int_equal(take(&f, words, 1), -EMSGSIZE);
}

static void message_ends_where_its_header_says(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct frame f = begun();
		uint8_t data[128] = {};

		header(data, 5, 11, big);
		for (int twice = 0; twice < 2; twice++) {
			assert_int_equal(frame_take(&f, data, sizeof(data), &whole), 16 + 16 + 5);
			assert_true(whole);
		}
		for (size_t i = 0; i < 16 + 16 + 5; i++) {
			assert_int_equal(frame_take(&f, data + i, 1, &whole), 1);
			assert_int_equal(whole, i == 16 + 16 + 5 - 1);
		}
		header(data, 0, 0, big);
		assert_int_equal(frame_take(&f, data, sizeof(data), &whole), 16);
		assert_true(whole);
	}
}

static void long_message_is_refused_with_its_header(void **state)
{
	static const struct {
		uint32_t body, fields;
		bool fits;
	} cases[] = {
		{ FRAME_MESSAGE_MAX - 16, 0, true },
		{ FRAME_MESSAGE_MAX - 15, 0, false },
		{ 0, FRAME_MESSAGE_MAX - 16, true },
		{ 1, FRAME_MESSAGE_MAX - 16, false },
		{ UINT32_MAX, UINT32_MAX, false },
		{ 128u << 20, 0, false },
		{ 0, UINT32_MAX, false },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct frame f = begun();
		uint8_t data[FRAME_HEADER];

		header(data, cases[i].body, cases[i].fields, i % 2);
		assert_int_equal(frame_take(&f, data, sizeof(data), &whole),
				 cases[i].fits ? FRAME_HEADER : -EMSGSIZE);
		assert_false(whole);
	}
}

static void other_bytes_are_no_message(void **state)
{
	uint8_t data[FRAME_HEADER] = { 'G', 'E', 'T' };
	struct frame f = begun();

	(void)state;
	assert_int_equal(frame_take(&f, data, sizeof(data), &whole), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(authentication_ends_with_its_line),
		cmocka_unit_test(authentication_may_come_in_pieces_and_with_more),
		cmocka_unit_test(endless_authentication_is_refused),
		cmocka_unit_test(message_ends_where_its_header_says),
		cmocka_unit_test(long_message_is_refused_with_its_header),
		cmocka_unit_test(other_bytes_are_no_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
