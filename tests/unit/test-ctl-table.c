/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <locale.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "view/fields.h"
#include "view/table.h"
#include "view/tally.h"
#include "view/text.h"

static const struct look as_wide_as_it_gets = {};

/* "id" goes first, then "note" is cut and goes; "name" is cut down to four, "state" never. */
static const struct column columns[] = {
	{ "NAME", 0, 4 },
	{ "STATE", 0, 0 },
	{ "NOTE", 1, 6 },
	{ "ID", 2, 0 },
};

/* What a table of these columns prints; @cells up to a NULL; to be freed. */
static char *print(const struct look *look, const char *const cells[])
{
	_cleanup_(table_done) struct table t = { columns, ARRAY_COUNT(columns), {}, false };
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	for (size_t i = 0; cells[i]; i++)
		table_add(&t, cells[i], i % ARRAY_COUNT(columns) == 1 ? PAINT_GOOD : PAINT_NONE);
	assert_int_equal(table_print(&t, look, f), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void assert_prints(const struct look *look, const char *const cells[], const char *want)
{
	_cleanup_(freep) char *text = print(look, cells);

	assert_string_equal(text, want);
}

static const char *const two_rows[] = {
	"web", "ready", "x", "1", "database-0", "pending", "waits for a link", "2", NULL
};

static void columns_are_aligned_and_lines_end_with_their_text(void **state)
{
	(void)state;
	assert_prints(&as_wide_as_it_gets, two_rows,
		      "NAME        STATE    NOTE              ID\n"
		      "web         ready    x                 1\n"
		      "database-0  pending  waits for a link  2\n");
}

static void a_table_without_rows_is_its_titles(void **state)
{
	static const char *const none[] = { NULL };

	(void)state;
	assert_prints(&as_wide_as_it_gets, none, "NAME  STATE  NOTE  ID\n");
}

static void an_empty_cell_is_a_dash(void **state)
{
	static const char *const row[] = { "", "ready", "", "", NULL };

	(void)state;
	assert_prints(&as_wide_as_it_gets, row, "NAME  STATE  NOTE  ID\n-     ready  -     -\n");
}

static void what_can_be_done_without_goes_first_and_then_the_widest_is_cut(void **state)
{
	(void)state;
	assert_prints(&(struct look){ .columns = 41 }, two_rows,
		      "NAME        STATE    NOTE              ID\n"
		      "web         ready    x                 1\n"
		      "database-0  pending  waits for a link  2\n");
	assert_prints(&(struct look){ .columns = 40 }, two_rows,
		      "NAME        STATE    NOTE\n"
		      "web         ready    x\n"
		      "database-0  pending  waits for a link\n");
	assert_prints(&(struct look){ .columns = 27 }, two_rows,
		      "NAME        STATE    NOTE\n"
		      "web         ready    x\n"
		      "database-0  pending  waits\xe2\x80\xa6\n");
	assert_prints(&(struct look){ .columns = 26 }, two_rows,
		      "NAME        STATE\n"
		      "web         ready\n"
		      "database-0  pending\n");
	assert_prints(&(struct look){ .columns = 14 }, two_rows,
		      "NAME   STATE\n"
		      "web    ready\n"
		      "data\xe2\x80\xa6  pending\n");
	/* and no further, however narrow the terminal is */
	assert_prints(&(struct look){ .columns = 1 }, two_rows,
		      "NAME  STATE\n"
		      "web   ready\n"
		      "dat\xe2\x80\xa6  pending\n");
}

static void width_is_in_columns_not_in_bytes(void **state)
{
	/* two wide characters; an accent of its own; a character of two bytes */
	static const char *const rows[] = {
		"\xe6\xbc\xa2\xe5\xad\x97", "a", "b", "c", "e\xcc\x81\xc3\xa4", "d", "e", "f", NULL
	};

	(void)state;
	assert_prints(&as_wide_as_it_gets, rows,
		      "NAME  STATE  NOTE  ID\n"
		      "\xe6\xbc\xa2\xe5\xad\x97  a      b     c\n"
		      "e\xcc\x81\xc3\xa4    d      e     f\n");
}

/* A wide character that fits by half leaves a column empty, which is filled up. */
static void a_wide_character_is_not_cut_in_two(void **state)
{
	static const char *const rows[] = { "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", "a", "b", "c",
					    NULL };

	(void)state;
	assert_prints(&(struct look){ .columns = 11 }, rows,
		      "NAME  STATE\n"
		      "\xe6\xbc\xa2\xe2\x80\xa6   a\n");
}

static void only_states_and_titles_have_a_colour(void **state)
{
	static const char *const row[] = { "web", "ready", "x", "1", NULL };

	(void)state;
	assert_prints(&(struct look){ .color = true }, row,
		      "\033[1mNAME\033[0m  \033[1mSTATE\033[0m  \033[1mNOTE\033[0m  "
		      "\033[1mID\033[0m\n"
		      "web   \033[32mready\033[0m  x     1\n");
}

static void nothing_from_outside_reaches_the_terminal_as_it_is(void **state)
{
	/* an escape sequence, C1, a line's end, half a character, an override of direction and its
	 * end */
	static const char *const row[] = { "\033[2J",
					   "\xc2\x9b"
					   "A\nB",
					   "\xe6\xbc", "\xe2\x80\xae\xe2\x80\xac", NULL };

	(void)state;
	assert_prints(&as_wide_as_it_gets, row, "NAME  STATE  NOTE  ID\n?[2J  ?A?B   ??    ??\n");
}

static void one_endless_text_does_not_blow_up_every_row(void **state)
{
	_cleanup_(freep) char *long_one = malloc(1 << 20), *text = NULL;
	const char *const rows[] = { long_one, "a", "b", "c", "d", "e", "f", "g", NULL };

	(void)state;
	assert_non_null(long_one);
	memset(long_one, 'x', 1 << 20);
	long_one[(1 << 20) - 1] = '\0';
	text = print(&as_wide_as_it_gets, rows);
	assert_int_equal(strlen(text), 3 * (TABLE_CELL_MAX + strlen("  STATE  NOTE  ")) +
					       strlen("ID\n") + 2 * strlen("c\n"));
}

static void text_is_clean_and_no_longer_than_before(void **state)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{ "", "" },
		{ "web-1", "web-1" },
		{ "\t\x7f", "??" },
		{ "\xff\xc0\xaf", "???" },
		{ "\xed\xa0\x80", "???" }, /* half of a surrogate pair */
		{ "\xe2\x80\x8b|\xe2\x81\xa6|\xe2\x81\xa9", "?|?|?" }, /* no width; an isolate */
		{ "\xef\xbb\xbf", "?" },
		{ "\xf0\x9f\x90\xb3", "\xf0\x9f\x90\xb3" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		_cleanup_(freep) char *to = text_printable(cases[i].from);

		assert_string_equal(to, cases[i].to);
	}
}

static void without_utf8_what_is_not_ascii_is_no_text(void **state)
{
	static const char *const row[] = { "\xc3\xa4", "ready", "x", "1", NULL };

	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C"));
	assert_prints(&as_wide_as_it_gets, row, "NAME  STATE  NOTE  ID\n?     ready  x     1\n");
	assert_prints(&(struct look){ .columns = 14 }, two_rows,
		      "NAME   STATE\n"
		      "web    ready\n"
		      "data~  pending\n");
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
}

static void numbers_that_follow_each_other_are_a_range(void **state)
{
	static const struct {
		uint32_t numbers[6];
		size_t n;
		const char *text;
	} cases[] = {
		{ {}, 0, "" },
		{ { 7 }, 1, "7" },
		{ { 3, 1, 2, 0 }, 4, "0-3" },
		{ { 8, 0, 1, 10, 11, 8 }, 6, "0-1,8,10-11" },
		{ { UINT32_MAX, 0, UINT32_MAX - 1 }, 3, "0,4294967294-4294967295" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		uint32_t numbers[6];
		_cleanup_(freep) char *text = NULL;

		memcpy(numbers, cases[i].numbers, sizeof(numbers));
		text = text_ranges(numbers, cases[i].n);
		assert_string_equal(text, cases[i].text);
	}
}

static void a_tally_counts_by_name_and_leaves_out_nothing_but_the_empty(void **state)
{
	_cleanup_(tally_done) struct tally t = {};
	_cleanup_(freep) char *none = tally_text(&t), *text = NULL;
	struct json_object *v;

	(void)state;
	assert_string_equal(none, "");
	tally_add(&t, "ready");
	tally_add(&t, "failed");
	tally_add(&t, "");
	tally_add(&t, "ready");
	text = tally_text(&t);
	assert_string_equal(text, "1 failed, 2 ready");
	v = tally_json(&t);
	assert_string_equal(jenc_text(v), "{\"failed\":1,\"ready\":2}");
	json_object_put(v);
}

static void assert_fields(unsigned int width, const char *want)
{
	_cleanup_(fields_done) struct fields fields = {};
	_cleanup_(freep) char *text = NULL;
	const struct look look = { .columns = width };
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	fields_add(&fields, "State", PAINT_BAD, "failed");
	fields_add(&fields, "Empty", PAINT_NONE, "");
	fields_add(&fields, "Detail\033", PAINT_NONE, "the quick brown fox, and more of it");
	fields_addf(&fields, "Long", "%s", "averyveryverylongwordthathasnoblank b");
	assert_int_equal(fields_print(&fields, &look, f), 0);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text, want);
}

static void fields_go_on_below_their_beginning(void **state)
{
	(void)state;
	assert_fields(0, "  State: failed\n"
			 "  Empty: -\n"
			 "Detail?: the quick brown fox, and more of it\n"
			 "   Long: averyveryverylongwordthathasnoblank b\n");
	assert_fields(30, "  State: failed\n"
			  "  Empty: -\n"
			  "Detail?: the quick brown fox,\n"
			  "         and more of it\n"
			  "   Long: averyveryverylongwordthathasnoblank\n"
			  "         b\n");
	/* too narrow for lines to be broken */
	assert_fields(20, "  State: failed\n"
			  "  Empty: -\n"
			  "Detail?: the quick brown fox, and more of it\n"
			  "   Long: averyveryverylongwordthathasnoblank b\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_aligned_and_lines_end_with_their_text),
		cmocka_unit_test(a_table_without_rows_is_its_titles),
		cmocka_unit_test(an_empty_cell_is_a_dash),
		cmocka_unit_test(what_can_be_done_without_goes_first_and_then_the_widest_is_cut),
		cmocka_unit_test(width_is_in_columns_not_in_bytes),
		cmocka_unit_test(a_wide_character_is_not_cut_in_two),
		cmocka_unit_test(only_states_and_titles_have_a_colour),
		cmocka_unit_test(nothing_from_outside_reaches_the_terminal_as_it_is),
		cmocka_unit_test(one_endless_text_does_not_blow_up_every_row),
		cmocka_unit_test(text_is_clean_and_no_longer_than_before),
		cmocka_unit_test(without_utf8_what_is_not_ascii_is_no_text),
		cmocka_unit_test(numbers_that_follow_each_other_are_a_range),
		cmocka_unit_test(a_tally_counts_by_name_and_leaves_out_nothing_but_the_empty),
		cmocka_unit_test(fields_go_on_below_their_beginning),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return TEST_SKIP;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
