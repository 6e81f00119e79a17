/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "nft/prefixes.h"

#define MOST 8

static size_t parse(const char *const *text, struct cidr *ret)
{
	size_t n = 0;

	for (; n < MOST && text[n]; n++)
		assert_int_equal(cidr_parse_or_host(text[n], &ret[n]), 0);
	return n;
}

static struct prefixes canonical(const char *const *text)
{
	struct cidr list[MOST];
	struct prefixes e = {};
	struct pw_error err = {};
	size_t n = parse(text, list);

	assert_int_equal(prefixes_canonical(list, n, &e, &err), 0);
	return e;
}

static void list_is_sorted_and_without_subsets(void **state)
{
	static const struct {
		const char *in[MOST], *out[MOST];
	} cases[] = {
		{ { NULL }, { NULL } },
		{ { "10.0.0.0/8" }, { "10.0.0.0/8" } },
		{ { "192.168.0.0/16", "10.0.0.0/8" }, { "10.0.0.0/8", "192.168.0.0/16" } },
		{ { "10.1.2.3/16" }, { "10.1.0.0/16" } },
		{ { "10.1.0.0/16", "10.0.0.0/8", "10.255.255.255" }, { "10.0.0.0/8" } },
		{ { "10.0.0.0/8", "10.0.0.0/8", "10.0.0.0/9" }, { "10.0.0.0/8" } },
		{ { "10.0.0.0/9", "10.128.0.0/9" }, { "10.0.0.0/9", "10.128.0.0/9" } },
		{ { "fd00::/8", "10.0.0.0/8" }, { "10.0.0.0/8", "fd00::/8" } },
		{ { "::/0", "0.0.0.0/0", "1.2.3.4", "fe80::/10" }, { "0.0.0.0/0", "::/0" } },
		{ { "10.0.0.1", "10.0.0.0/31", "10.0.0.2" }, { "10.0.0.0/31", "10.0.0.2/32" } },
		{ { "10.1.0.0/16", "10.1.0.0/24", "10.2.0.0/24", "10.1.255.0/24" },
		  { "10.1.0.0/16", "10.2.0.0/24" } },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct prefixes e = canonical(cases[i].in);
		size_t n = 0;

		for (; cases[i].out[n]; n++)
			;
		assert_int_equal(e.n, n);
		for (size_t j = 0; j < n; j++) {
			struct cidr want;

			assert_int_equal(cidr_parse_or_host(cases[i].out[j], &want), 0);
			assert_true(cidr_equal(&e.list[j], &want));
		}
		prefixes_done(&e);
	}
}

static void equal_meaning_has_one_name(void **state)
{
	static const char *const same[][MOST] = {
		{ "10.0.0.0/8", "fd00::/8" },
		{ "fd00::/8", "10.0.0.0/8" },
		{ "10.9.9.9/8", "fd00::1", "fd00::/8", "10.1.0.0/16" },
	};
	static const char *const other[][MOST] = {
		{ NULL },
		{ "10.0.0.0/8" },
		{ "10.0.0.0/9", "fd00::/8" },
		{ "11.0.0.0/8", "fd00::/8" },
		{ "10.0.0.0/8", "fd00::/9" },
		{ "0.0.0.0/0" },
		{ "::/0" },
	};
	struct prefixes first = canonical(same[0]);

	(void)state;
	assert_int_equal(strlen(first.name), PREFIXES_NAMELEN - 1);
	for (size_t i = 1; i < TEST_COUNT(same); i++) {
		struct prefixes e = canonical(same[i]);

		assert_string_equal(e.name, first.name);
		prefixes_done(&e);
	}
	for (size_t i = 0; i < TEST_COUNT(other); i++) {
		struct prefixes e = canonical(other[i]);

		assert_string_not_equal(e.name, first.name);
		for (size_t j = 0; j < i; j++) {
			struct prefixes f = canonical(other[j]);

			assert_string_not_equal(e.name, f.name);
			prefixes_done(&f);
		}
		prefixes_done(&e);
	}
	prefixes_done(&first);
}

/* The name is what pods of an older podwire share with those of a newer one: it never changes. */
static void names_are_stable(void **state)
{
	struct prefixes none = canonical((const char *const[]){ NULL });
	struct prefixes some = canonical((const char *const[]){ "10.0.0.0/8", "fd00::/8", NULL });

	(void)state;
	assert_string_equal(none.name, "efd01f60ba992926");
	assert_string_equal(some.name, "0f9a3dd51bc17870");
	prefixes_done(&none);
	prefixes_done(&some);
}

/* What nft 1.0.6 sends for these sets, bound by bound: "-" an end, "+" a start, "*" an open one. */
static void bounds_are_those_of_nft(void **state)
{
	static const struct {
		int family;
		const char *in[MOST], *out;
	} cases[] = {
		{ AF_INET, { NULL }, "" },
		{ AF_INET, { "fd00::/8" }, "" },
		{ AF_INET, { "10.1.0.0/16" }, "-0.0.0.0 +10.1.0.0 -10.2.0.0 " },
		{ AF_INET, { "0.0.0.0/0" }, "*0.0.0.0 " },
		{ AF_INET,
		  { "0.0.0.0/8", "224.0.0.0/4", "240.0.0.0/4" },
		  "+0.0.0.0 -1.0.0.0 +224.0.0.0 -240.0.0.0 *240.0.0.0 " },
		{ AF_INET,
		  { "1.2.3.4", "10.0.0.0/25", "10.0.0.128/25", "255.255.255.255" },
		  "-0.0.0.0 +1.2.3.4 -1.2.3.5 +10.0.0.0 -10.0.0.128 +10.0.0.128 -10.0.1.0 "
		  "*255.255.255.255 " },
		{ AF_INET, { "10.0.255.255" }, "-0.0.0.0 +10.0.255.255 -10.1.0.0 " },
		{ AF_INET6, { "::/0" }, "*:: " },
		{ AF_INET6,
		  { "10.0.0.0/8", "::1", "fd00::/8", "fe80::/10", "ff00::/8" },
		  "-:: +::1 -::2 +fd00:: -fe00:: +fe80:: -fec0:: *ff00:: " },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct prefixes e = canonical(cases[i].in);
		struct prefixes_bound *bounds = NULL;
		char text[512] = "";
		size_t n = 0, len = 0;

		assert_int_equal(prefixes_bounds(&e, cases[i].family, &bounds, &n, NULL), 0);
		for (size_t j = 0; j < n; j++)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%c%s ",
						bounds[j].end    ? '-'
						: bounds[j].open ? '*'
								 : '+',
						IPADDR_STR(&bounds[j].key));
		assert_string_equal(text, cases[i].out);
		free(bounds);
		prefixes_done(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_is_sorted_and_without_subsets),
		cmocka_unit_test(equal_meaning_has_one_name),
		cmocka_unit_test(names_are_stable),
		cmocka_unit_test(bounds_are_those_of_nft),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
