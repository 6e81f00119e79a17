/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "net/ipaddr.h"

static struct ipaddr ip(const char *text)
{
	struct ipaddr a;

	assert_int_equal(ipaddr_parse(text, &a), 0);
	return a;
}

static struct cidr cidr(const char *text)
{
	struct cidr c;

	assert_int_equal(cidr_parse_or_host(text, &c), 0);
	return c;
}

static void address_is_read_and_written(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "0.0.0.0", "0.0.0.0" },
		{ "10.1.2.3", "10.1.2.3" },
		{ "255.255.255.255", "255.255.255.255" },
		{ "::", "::" },
		{ "::1", "::1" },
		{ "FD00:0:0:0:0:0:0:ABCD", "fd00::abcd" },
		{ "2001:db8:0:1:0:0:0:1", "2001:db8:0:1::1" },
		{ "::ffff:10.0.0.1", "::ffff:10.0.0.1" },
		{ "64:ff9b::192.0.2.1", "64:ff9b::c000:201" },
		{ "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		  "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct ipaddr a = ip(cases[i].in);

		assert_string_equal(IPADDR_STR(&a), cases[i].out);
	}
}

static const char *const bad_addresses[] = {
	"",
	" ",
	" 10.0.0.1",
	"10.0.0.1 ",
	"10.0.0",
	"10.0.0.",
	"10.0.0.1.2",
	"10.0.0.256",
	"10.0.0.01",
	"010.0.0.1",
	"0x0a.0.0.1",
	"10.0.0.-1",
	"167772161",
	"10,0,0,1",
	":",
	":::",
	"1::2::3",
	"fe80::1%eth0",
	"[::1]",
	"12345::",
	"::g",
	"1:2:3:4:5:6:7",
	"1:2:3:4:5:6:7:8:9",
	"::ffff:10.0.0.256",
	"localhost",
	"10.0.0.1\n",
	"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
};

static void odd_address_is_refused_and_nothing_touched(void **state)
{
	const struct ipaddr before = ip("192.0.2.1");

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(bad_addresses); i++) {
		struct ipaddr a = before;
		struct cidr c = { .ip = before, .len = 7 };

		assert_int_equal(ipaddr_parse(bad_addresses[i], &a), -EINVAL);
		assert_memory_equal(&a, &before, sizeof(a));
		assert_int_equal(cidr_parse_or_host(bad_addresses[i], &c), -EINVAL);
		assert_int_equal(c.len, 7);
	}
}

static void ipv4_leaves_no_bytes_behind_it(void **state)
{
	struct ipaddr a;

	(void)state;
	memset(&a, 0xaa, sizeof(a));
	assert_int_equal(ipaddr_parse("1.2.3.4", &a), 0);
	assert_memory_equal(a.b, ((const uint8_t[16]){ 1, 2, 3, 4 }), 16);
}

static void prefix_is_read_and_written(void **state)
{
	static const struct {
		const char *in, *out;
		unsigned int len;
	} cases[] = {
		{ "10.1.2.3/24", "10.1.2.3/24", 24 },
		{ "0.0.0.0/0", "0.0.0.0/0", 0 },
		{ "10.0.0.1/32", "10.0.0.1/32", 32 },
		{ "::/0", "::/0", 0 },
		{ "fd00::1/64", "fd00::1/64", 64 },
		{ "fd00::1/128", "fd00::1/128", 128 },
		{ "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/127",
		  "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/127", 127 },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct cidr c;

		assert_int_equal(cidr_parse(cases[i].in, &c), 0);
		assert_int_equal(c.len, cases[i].len);
		assert_string_equal(CIDR_STR(&c), cases[i].out);
	}
}

static void prefix_length_is_plain_decimal(void **state)
{
	static const char *const cases[] = {
		"10.0.0.1/",
		"10.0.0.1/33",
		"10.0.0.1/-1",
		"10.0.0.1/+1",
		"10.0.0.1/ 1",
		"10.0.0.1/1 ",
		"10.0.0.1/01",
		"10.0.0.1/00",
		"10.0.0.1/0x8",
		"10.0.0.1/8.0",
		"10.0.0.1/8/8",
		"10.0.0.1//8",
		"10.0.0.1/a",
		"/8",
		"/",
		"fd00::/129",
		"fd00::/-0",
		"fd00::/1e1",
		"10.0.0.1/256",
		"10.0.0.1/4294967296",
		"10.0.0.1/4294967304",
		"fd00::/18446744073709551616",
		"10.0.0.1/255.0.0.0",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct cidr c;

		assert_int_equal(cidr_parse(cases[i], &c), -EINVAL);
		assert_int_equal(cidr_parse_or_host(cases[i], &c), -EINVAL);
	}
}

static void address_alone_is_a_host_where_that_is_allowed(void **state)
{
	struct cidr c = {};

	(void)state;
	assert_int_equal(cidr_parse("10.0.0.1", &c), -EINVAL);
	assert_int_equal(cidr_parse("::1", &c), -EINVAL);
	assert_int_equal(cidr_parse_or_host("10.0.0.1", &c), 0);
	assert_int_equal(c.len, 32);
	assert_int_equal(cidr_parse_or_host("::1", &c), 0);
	assert_int_equal(c.len, 128);
}

static void equality_is_of_family_and_bytes(void **state)
{
	struct ipaddr v4 = ip("0.0.0.0"), v6 = ip("::"), mapped = ip("::ffff:1.2.3.4");
	struct ipaddr a = ip("1.2.3.4"), b = ip("1.2.3.4");
	struct cidr x = cidr("10.0.0.0/8"), y = cidr("10.0.0.0/9"), z = cidr("10.0.0.0/8");

	(void)state;
	b.b[9] = 1; /* beyond an IPv4 address: not part of it */
	assert_true(ipaddr_equal(&a, &b));
	assert_false(ipaddr_equal(&v4, &v6));
	assert_false(ipaddr_equal(&a, &mapped));
	assert_false(cidr_equal(&x, &y));
	assert_true(cidr_equal(&x, &z));
	x.ip = v6;
	z.ip = v4;
	assert_false(cidr_equal(&x, &z));
}

static void kinds_are_told_apart(void **state)
{
	static const struct {
		const char *ip;
		bool zero, linklocal, multicast;
	} cases[] = {
		{ "0.0.0.0", true, false, false },          { "::", true, false, false },
		{ "0.0.0.1", false, false, false },         { "::1", false, false, false },
		{ "169.254.1.1", false, true, false },      { "169.253.1.1", false, false, false },
		{ "223.255.255.255", false, false, false }, { "224.0.0.0", false, false, true },
		{ "239.255.255.255", false, false, true },  { "240.0.0.0", false, false, false },
		{ "fe80::1", false, true, false },          { "febf::1", false, true, false },
		{ "fec0::1", false, false, false },         { "fe7f::1", false, false, false },
		{ "ff02::1", false, false, true },          { "feff::1", false, false, false },
		{ "fea9::", false, true, false },           { "a9fe::", false, false, false },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct ipaddr a = ip(cases[i].ip);

		assert_int_equal(ipaddr_is_zero(&a), cases[i].zero);
		assert_int_equal(ipaddr_is_linklocal(&a), cases[i].linklocal);
		assert_int_equal(ipaddr_is_multicast(&a), cases[i].multicast);
	}
}

static void prefix_contains_what_shares_its_bits(void **state)
{
	static const struct {
		const char *net, *ip;
		bool in;
	} cases[] = {
		{ "10.1.2.0/24", "10.1.2.255", true },
		{ "10.1.2.0/24", "10.1.3.0", false },
		{ "10.1.2.3/24", "10.1.2.9", true },
		{ "10.0.0.0/31", "10.0.0.1", true },
		{ "10.0.0.0/31", "10.0.0.2", false },
		{ "10.0.0.1/32", "10.0.0.1", true },
		{ "10.0.0.1/32", "10.0.0.0", false },
		{ "0.0.0.0/0", "255.1.2.3", true },
		{ "0.0.0.0/0", "::", false },
		{ "::/0", "10.0.0.1", false },
		{ "128.0.0.0/1", "127.255.255.255", false },
		{ "128.0.0.0/1", "128.0.0.0", true },
		{ "fd00::/63", "fd00:0:0:1::1", true },
		{ "fd00::/63", "fd00:0:0:2::", false },
		{ "fd00::8/125", "fd00::f", true },
		{ "fd00::8/125", "fd00::10", false },
		{ "::/0", "ffff::", true },
		{ "fd00::1/128", "fd00::1", true },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct cidr net = cidr(cases[i].net);
		struct ipaddr a = ip(cases[i].ip);

		assert_int_equal(cidr_contains(&net, &a), cases[i].in);
	}
}

static void network_has_its_host_bits_cleared(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "10.1.2.3/24", "10.1.2.0/24" }, { "10.1.2.3/0", "0.0.0.0/0" },
		{ "10.1.2.3/32", "10.1.2.3/32" }, { "10.1.2.255/25", "10.1.2.128/25" },
		{ "10.1.2.3/1", "0.0.0.0/1" },    { "fd00::1:2/112", "fd00::1:0/112" },
		{ "ffff::ffff/3", "e000::/3" },   { "fd00::1/128", "fd00::1/128" },
		{ "fd00::1/0", "::/0" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct cidr c = cidr(cases[i].in), net = cidr_network(&c);

		assert_string_equal(CIDR_STR(&net), cases[i].out);
	}
}

static void default_route_is_everything_of_a_family(void **state)
{
	static const struct {
		const char *text;
		bool is;
	} cases[] = {
		{ "0.0.0.0/0", true },  { "::/0", true },        { "10.0.0.0/0", false },
		{ "0.0.0.0/1", false }, { "0.0.0.0/32", false }, { "::/128", false },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct cidr c = cidr(cases[i].text);

		assert_int_equal(cidr_is_default(&c), cases[i].is);
	}
}

static void host_is_the_whole_address(void **state)
{
	struct ipaddr v4 = ip("10.0.0.1"), v6 = ip("fd00::1");
	struct cidr host4 = cidr_host(&v4), host6 = cidr_host(&v6);

	(void)state;
	assert_string_equal(CIDR_STR(&host4), "10.0.0.1/32");
	assert_string_equal(CIDR_STR(&host6), "fd00::1/128");
	assert_int_equal(ipaddr_size(&v4), 4);
	assert_int_equal(ipaddr_bits(&v6), 128);
}

static void no_address_has_no_text(void **state)
{
	struct ipaddr none = {};

	(void)state;
	assert_string_equal(IPADDR_STR(&none), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(address_is_read_and_written),
		cmocka_unit_test(odd_address_is_refused_and_nothing_touched),
		cmocka_unit_test(ipv4_leaves_no_bytes_behind_it),
		cmocka_unit_test(prefix_is_read_and_written),
		cmocka_unit_test(prefix_length_is_plain_decimal),
		cmocka_unit_test(address_alone_is_a_host_where_that_is_allowed),
		cmocka_unit_test(equality_is_of_family_and_bytes),
		cmocka_unit_test(kinds_are_told_apart),
		cmocka_unit_test(prefix_contains_what_shares_its_bits),
		cmocka_unit_test(network_has_its_host_bits_cleared),
		cmocka_unit_test(default_route_is_everything_of_a_family),
		cmocka_unit_test(host_is_the_whole_address),
		cmocka_unit_test(no_address_has_no_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
