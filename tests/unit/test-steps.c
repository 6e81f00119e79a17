/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "seam.h"
#include "steps.h"

/* What happened, a character a call: "<" and ">" are the seam before and after, letters the steps.
 */
static struct {
	char seen[64];
	const char *fail_step;
	enum seam_when fail_when;
} trace;

static void note(char c)
{
	size_t n = strlen(trace.seen);

	assert_true(n + 1 < sizeof(trace.seen));
	trace.seen[n] = c;
	trace.seen[n + 1] = '\0';
}

/* The test's own seam, in the place of the plugin's. */
int seam(const char *step, enum seam_when when, struct pw_error *err)
{
	note(when == SEAM_BEFORE ? '<' : '>');
	if (trace.fail_step && strcmp(trace.fail_step, step) == 0 && trace.fail_when == when)
		return pw_fail(err, EPIPE, PW_E_NETLINK, "seam at %s", step);
	return 0;
}

static int step_a(void *subject, struct pw_error *err)
{
	(void)err;
	note('a');
	++*(int *)subject;
	return 0;
}

static int step_fails(void *subject, struct pw_error *err)
{
	(void)subject;
	note('f');
	return pw_fail(err, ENOENT, PW_E_IO, "first");
}

static int step_fails_too(void *subject, struct pw_error *err)
{
	(void)subject;
	note('g');
	return pw_fail(err, EPERM, PW_E_CONFIG, "second");
}

static int step_positive(void *subject, struct pw_error *err)
{
	(void)subject;
	(void)err;
	note('p');
	return 1;
}

static int step_mute(void *subject, struct pw_error *err)
{
	(void)subject;
	(void)err;
	note('m');
	return -ENOSPC;
}

static void reset(void)
{
	memset(&trace, 0, sizeof(trace));
}

#define A                   \
	{                   \
		"a", step_a \
	}
#define F                       \
	{                       \
		"f", step_fails \
	}
#define G                           \
	{                           \
		"g", step_fails_too \
	}
#define P                          \
	{                          \
		"p", step_positive \
	}

static void steps_are_run_in_order_between_the_seams(void **state)
{
	static const struct step steps[] = { A, P, A };
	struct pw_error err = {};
	int subject = 0;

	(void)state;
	reset();
	assert_int_equal(steps_run(steps, ARRAY_COUNT(steps), &subject, NULL, &err), 0);
	assert_string_equal(trace.seen, "<a><p><a>");
	assert_int_equal(subject, 2);
	assert_int_equal(err.errnum, 0);
	reset();
	assert_int_equal(steps_run_all(steps, ARRAY_COUNT(steps), &subject, NULL, &err), 0);
	assert_string_equal(trace.seen, "<a><p><a>");
	reset();
	assert_int_equal(steps_run(steps, 0, &subject, NULL, &err), 0);
	assert_string_equal(trace.seen, "");
}

static void a_failure_stops_them(void **state)
{
	static const struct step steps[] = { A, F, A, G };
	struct pw_error err = {};
	int subject = 0;

	(void)state;
	for (int with_err = 0; with_err < 2; with_err++) {
		reset();
		assert_int_equal(steps_run(steps, ARRAY_COUNT(steps), &subject, NULL,
					   with_err ? &err : NULL),
				 -ENOENT);
		assert_string_equal(trace.seen, "<a><f");
	}
	assert_string_equal(err.msg, "first");
}

static void where_told_to_they_go_on_and_the_first_error_counts(void **state)
{
	static const struct step steps[] = { F, A, G, A };
	struct pw_error err = {};
	int subject = 0;

	(void)state;
	for (int with_err = 0; with_err < 2; with_err++) {
		reset();
		assert_int_equal(steps_run_all(steps, ARRAY_COUNT(steps), &subject, NULL,
					       with_err ? &err : NULL),
				 -ENOENT);
		assert_string_equal(trace.seen, "<f<a><g<a>");
	}
	assert_int_equal(subject, 4);
	assert_string_equal(err.msg, "first");
	assert_int_equal(err.code, PW_E_IO);
}

static void a_failure_without_a_message_is_one_all_the_same(void **state)
{
	static const struct step steps[] = { A, { "mute", step_mute }, A };
	struct pw_error err = {};
	int subject = 0;

	(void)state;
	reset();
	assert_int_equal(steps_run_all(steps, ARRAY_COUNT(steps), &subject, NULL, &err), -ENOSPC);
	assert_string_equal(err.msg, "step mute failed: No space left on device");
	assert_string_equal(trace.seen, "<a><m<a>");
	err = (struct pw_error){};
	assert_int_equal(steps_run(steps, ARRAY_COUNT(steps), &subject, NULL, &err), -ENOSPC);
	assert_int_equal(err.errnum, ENOSPC);
}

static void the_seam_can_fail_a_step(void **state)
{
	static const struct step steps[] = { A, P, A };
	static const struct {
		enum seam_when when;
		const char *stops, *goes_on;
	} cases[] = {
		{ SEAM_BEFORE, "<a><", "<a><<a>" },
		{ SEAM_AFTER, "<a><p>", "<a><p><a>" },
	};
	int subject = 0;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct pw_error err = {};

		reset();
		trace.fail_step = "p";
		trace.fail_when = cases[i].when;
		assert_int_equal(steps_run(steps, ARRAY_COUNT(steps), &subject, NULL, &err),
				 -EPIPE);
		assert_string_equal(trace.seen, cases[i].stops);
		assert_string_equal(err.msg, "seam at p");
		trace.seen[0] = '\0';
		assert_int_equal(steps_run_all(steps, ARRAY_COUNT(steps), &subject, NULL, &err),
				 -EPIPE);
		assert_string_equal(trace.seen, cases[i].goes_on);
	}
}

static void each_step_is_a_line_of_log(void **state)
{
	static const struct step steps[] = { A, F, G };
	char text[200] = "";
	FILE *log = fmemopen(text, sizeof(text), "w");
	int subject = 0;

	(void)state;
	assert_non_null(log);
	reset();
	assert_int_equal(steps_run_all(steps, ARRAY_COUNT(steps), &subject, log, NULL), -ENOENT);
	fclose(log);
	assert_string_equal(text, "podwire: a: done\npodwire: f: first\npodwire: g: second\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_run_in_order_between_the_seams),
		cmocka_unit_test(a_failure_stops_them),
		cmocka_unit_test(where_told_to_they_go_on_and_the_first_error_counts),
		cmocka_unit_test(a_failure_without_a_message_is_one_all_the_same),
		cmocka_unit_test(the_seam_can_fail_a_step),
		cmocka_unit_test(each_step_is_a_line_of_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
