/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "net/mac.h"

static struct mac mac(const char *text)
{
	struct mac m;

	assert_int_equal(mac_parse(text, &m), 0);
	return m;
}

static void either_case_is_read_and_lower_is_written(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "00:00:00:00:00:00", "00:00:00:00:00:00" },
		{ "02:1b:44:11:3A:B7", "02:1b:44:11:3a:b7" },
		{ "FF:ff:Ff:fF:00:09", "ff:ff:ff:ff:00:09" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct mac m = mac(cases[i].in);

		assert_string_equal(MAC_STR(&m), cases[i].out);
	}
}

static void anything_else_is_refused_and_nothing_touched(void **state)
{
	static const char *const cases[] = {
		"",
		"02:00:00:00:00",
		"02:00:00:00:00:0",
		"02:00:00:00:00:000",
		"02:00:00:00:00:00:00",
		"02:00:00:00:00:00:",
		"02-00-00-00-00-00",
		"0200.0000.0000",
		"020000000000",
		"02:00:00:00:00:0g",
		"02:00:00:00:00:g0",
		" 2:00:00:00:00:00",
		"02:00:00:00:00:00 ",
		"+2:00:00:00:00:00",
		"02:00:00:00:00 00",
		"02:00:00:00:00:00:00:00",
		"02:00:00:00:00\0:00",
	};
	const struct mac before = mac("02:aa:bb:cc:dd:ee");

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct mac m = before;

		assert_int_equal(mac_parse(cases[i], &m), -EINVAL);
		assert_true(mac_equal(&m, &before));
	}
}

static void group_and_zero_addresses_are_no_links(void **state)
{
	static const struct {
		const char *text;
		bool unicast;
	} cases[] = {
		{ "02:00:00:00:00:01", true },  { "00:1b:44:11:3a:b7", true },
		{ "fe:ff:ff:ff:ff:ff", true },  { "00:00:00:00:00:00", false },
		{ "01:00:5e:00:00:01", false }, { "ff:ff:ff:ff:ff:ff", false },
		{ "03:00:00:00:00:01", false }, { "33:33:00:00:00:01", false },
		{ "00:00:00:00:00:01", true },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct mac m = mac(cases[i].text);

		assert_int_equal(mac_is_unicast(&m), cases[i].unicast);
	}
}

static void random_ones_are_local_unicast_and_differ(void **state)
{
	struct mac seen[64];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(seen); i++) {
		assert_int_equal(mac_random(&seen[i], NULL), 0);
		assert_int_equal(seen[i].b[0] & 3, 2);
		assert_true(mac_is_unicast(&seen[i]));
		for (size_t j = 0; j < i; j++)
			assert_false(mac_equal(&seen[i], &seen[j]));
	}
}

/* RFC 4291, appendix A, has the example 34-56-78-9A-BC-DE. */
static void linklocal_address_is_eui64(void **state)
{
	static const struct {
		const char *mac, *ip;
	} cases[] = {
		{ "34:56:78:9a:bc:de", "fe80::3656:78ff:fe9a:bcde" },
		{ "02:00:00:00:00:01", "fe80::ff:fe00:1" },
		{ "00:00:00:00:00:01", "fe80::200:ff:fe00:1" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct mac m = mac(cases[i].mac);
		struct ipaddr ip = mac_linklocal(&m);

		assert_string_equal(IPADDR_STR(&ip), cases[i].ip);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(either_case_is_read_and_lower_is_written),
		cmocka_unit_test(anything_else_is_refused_and_nothing_touched),
		cmocka_unit_test(group_and_zero_addresses_are_no_links),
		cmocka_unit_test(random_ones_are_local_unicast_and_differ),
		cmocka_unit_test(linklocal_address_is_eui64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
