/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "nft/retry.h"

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void a_refusal_is_final(void **state)
{
	static const int refusals[] = { -EPERM, -EINVAL, -EOPNOTSUPP, -ENOMEM, -EMSGSIZE };

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(refusals); i++) {
		struct retry retry = {};

		assert_false(retry_again(&retry, refusals[i]));
	}
}

static void what_has_changed_is_read_again_a_few_times(void **state)
{
	struct retry retry = {};
	int tries = 1;

	(void)state;
	while (retry_again(&retry, tries % 2 ? -ENOENT : -EEXIST))
		tries++;
	assert_in_range(tries, 2, 10);
}

static void busy_is_waited_for_with_a_bound(void **state)
{
	double begin = now();
	struct retry retry = {};
	int tries = 0;

	(void)state;
	while (retry_again(&retry, -EBUSY))
		tries++;
	assert_in_range(tries, 10, 100);
	assert_true(now() - begin >= 1.9);
	assert_true(now() - begin < 4.0);
}

static void busy_at_the_end_is_try_again_later(void **state)
{
	static const struct {
		int r;
		enum pw_code code;
	} cases[] = {
		{ -EBUSY, PW_E_AGAIN }, { -EAGAIN, PW_E_AGAIN },  { -ERESTART, PW_E_AGAIN },
		{ -EINTR, PW_E_AGAIN }, { -EPERM, PW_E_NETLINK }, { -ENOENT, PW_E_NETLINK },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct pw_error why = {}, err = {};

		pw_fail(&why, -cases[i].r, PW_E_NETLINK, "the last try");
		assert_int_equal(retry_give_up(cases[i].r, &why, NULL), cases[i].r);
		assert_int_equal(retry_give_up(cases[i].r, &why, &err), cases[i].r);
		assert_int_equal(err.code, cases[i].code);
		assert_string_equal(err.msg, "the last try");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_refusal_is_final),
		cmocka_unit_test(what_has_changed_is_read_again_a_few_times),
		cmocka_unit_test(busy_is_waited_for_with_a_bound),
		cmocka_unit_test(busy_at_the_end_is_try_again_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
