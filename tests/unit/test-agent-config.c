/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent_config_lab.h"
#include "base/error.h"
#include "config/decode.h"
#include "net/ipaddr.h"

/* Findings, a line each. */
struct told {
	char text[4096];
};

static void take_finding(const char *finding, void *arg)
{
	struct told *told = arg;
	size_t used = strlen(told->text);

	assert_true(used + strlen(finding) + 2 < sizeof(told->text));
	snprintf(told->text + used, sizeof(told->text) - used, "%s\n", finding);
}

/* What is wrong with @text, or "". */
static const char *decode(const char *text, size_t len, struct config *c, struct told *told)
{
	struct findings f = { .each = take_finding, .arg = told };
	/* a copy of just that size: AddressSanitizer sees any step beyond it */
	char *copy = malloc(len + 1);
	int r;

	assert_non_null(copy);
	memcpy(copy, text, len);
	copy[len] = '\0';
	*told = (struct told){};
	r = config_decode(copy, len, "f", c, &f);
	free(copy);
	assert_int_equal(r, *told->text ? -EINVAL : 0);
	assert_int_equal(-r, f.first.errnum);
	assert_int_equal(strncmp(f.first.msg, told->text, strlen(f.first.msg)), 0);
	return told->text;
}

static struct config accept_text(const char *text)
{
	struct config c = CONFIG_DEFAULT;
	struct told told;

	if (*decode(text, strlen(text), &c, &told))
		fail_msg("%s: %s", text, told.text);
	return c;
}

struct wrong {
	const char *text, *told;
};

static void require_told(const struct wrong *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct config c = CONFIG_DEFAULT;
		struct told told;

		decode(cases[i].text, strlen(cases[i].text), &c, &told);
		assert_string_equal(told.text, cases[i].told);
		config_done(&c);
	}
}

static const char *uplink(const struct config *c, size_t i)
{
	const char(*names)[16] = c->uplinks.v;

	assert_true(i < c->uplinks.n);
	return &names[i][0];
}

static uint32_t cpu(const struct config *c, size_t i)
{
	assert_true(i < c->cpus.n);
	return ((const uint32_t *)c->cpus.v)[i];
}

static const char *route(const struct config *c, size_t i)
{
	static char text[CIDR_STRLEN];

	assert_true(i < c->uplink_routes.n);
	return cidr_format((const struct cidr *)c->uplink_routes.v + i, text);
}

static void an_empty_object_and_nulls_leave_the_defaults(void **state)
{
	static const char *const cases[] = {
		"{}",
		" \t\r\n{ } \n",
		"{\"uplinks\":null,\"uplinkRoutes\":null,\"uplinkXdp\":null,\"cpus\":null,"
		"\"cpuQueue\":null,\"netlinkBuffer\":null}",
		"{\"uplinks\":[],\"uplinkRoutes\":[]}",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct config c = accept_text(cases[i]);

		require_defaults(&c);
		config_done(&c);
		config_done(&c); /* once more is nothing */
	}
}

static void every_key_is_read(void **state)
{
	struct config c = accept_text(
		"{\"uplinks\":[\"eth0\",\"abcdefghijklmno\",\"bond0.7\"],"
		"\"uplinkRoutes\":[\"10.0.0.0/8\",\"fd00::/8\",\"0.0.0.0/0\",\"192.0.2.1/32\"],"
		"\"uplinkXdp\":\"native\",\"cpus\":[1023,0,7],\"cpuQueue\":16384,"
		"\"netlinkBuffer\":1073741824}");

	(void)state;
	assert_int_equal(c.uplinks.n, 3);
	assert_string_equal(uplink(&c, 0), "eth0");
	assert_string_equal(uplink(&c, 1), "abcdefghijklmno");
	assert_string_equal(uplink(&c, 2), "bond0.7");
	assert_int_equal(c.uplink_routes.n, 4);
	assert_string_equal(route(&c, 0), "10.0.0.0/8");
	assert_string_equal(route(&c, 1), "fd00::/8");
	assert_string_equal(route(&c, 2), "0.0.0.0/0");
	assert_string_equal(route(&c, 3), "192.0.2.1/32");
	assert_int_equal(c.uplink_xdp, UPLINK_XDP_NATIVE);
	assert_int_equal(c.cpus.n, 3);
	assert_int_equal(cpu(&c, 0), 1023);
	assert_int_equal(cpu(&c, 1), 0);
	assert_int_equal(cpu(&c, 2), 7);
	assert_false(c.no_cpus);
	assert_int_equal(c.cpu_queue, 16384);
	assert_int_equal(c.netlink_buffer, 1u << 30);
	config_done(&c);
}

static void the_smallest_values_are_taken(void **state)
{
	struct config c = accept_text("{\"uplinks\":[\"e\"],\"cpus\":[0],\"cpuQueue\":1,"
				      "\"netlinkBuffer\":4096,\"uplinkXdp\":\"off\"}");

	(void)state;
	assert_string_equal(uplink(&c, 0), "e");
	assert_int_equal(cpu(&c, 0), 0);
	assert_int_equal(c.cpu_queue, 1);
	assert_int_equal(c.netlink_buffer, 4096);
	assert_int_equal(c.uplink_xdp, UPLINK_XDP_OFF);
	config_done(&c);
}

static void an_escaped_key_is_the_same_key(void **state)
{
	struct config c = accept_text("{\"\\u0063pu\\u0051ueue\":5}");

	(void)state;
	assert_int_equal(c.cpu_queue, 5);
	config_done(&c);
}

static void no_cpus_is_said_by_an_empty_list_alone(void **state)
{
	struct config c = accept_text("{\"cpus\":[]}");
	struct told told;

	(void)state;
	assert_true(c.no_cpus);
	assert_int_equal(c.cpus.n, 0);
	assert_string_equal(decode("{\"cpuQueue\":7}", 14, &c, &told), "");
	assert_true(c.no_cpus);
	assert_string_equal(decode("{\"cpus\":[2]}", 12, &c, &told), "");
	assert_false(c.no_cpus);
	assert_int_equal(cpu(&c, 0), 2);
	assert_string_equal(decode("{\"cpus\":[]}", 11, &c, &told), "");
	assert_true(c.no_cpus);
	assert_int_equal(c.cpus.n, 0);
	config_done(&c);
}

static void a_wrong_type_is_told(void **state)
{
	static const struct wrong cases[] = {
		{ "{\"uplinks\":\"eth0\"}", "f:1: uplinks: expected an array, got a string\n" },
		{ "{\"uplinks\":[7]}", "f:1: uplinks[0]: expected a string, got an integer\n" },
		{ "{\"uplinkRoutes\":{}}",
		  "f:1: uplinkRoutes: expected an array, got an object\n" },
		{ "{\"uplinkRoutes\":[null]}",
		  "f:1: uplinkRoutes[0]: expected a string, got null\n" },
		{ "{\"uplinkXdp\":true}", "f:1: uplinkXdp: expected a string, got a boolean\n" },
		{ "{\"cpus\":1}", "f:1: cpus: expected an array, got an integer\n" },
		{ "{\"cpus\":[\"1\"]}", "f:1: cpus[0]: expected an integer, got a string\n" },
		{ "{\"cpus\":[1.0]}",
		  "f:1: cpus[0]: expected an integer, got a number with a fraction\n" },
		{ "{\"cpus\":[[1]]}", "f:1: cpus[0]: expected an integer, got an array\n" },
		{ "{\"cpuQueue\":\"5\"}", "f:1: cpuQueue: expected an integer, got a string\n" },
		{ "{\"cpuQueue\":1e3}",
		  "f:1: cpuQueue: expected an integer, got a number with a fraction\n" },
		{ "{\"netlinkBuffer\":[]}",
		  "f:1: netlinkBuffer: expected an integer, got an array\n" },
	};

	(void)state;
	require_told(cases, TEST_COUNT(cases));
}

static void what_no_interface_is_called_is_told(void **state)
{
	static const struct wrong cases[] = {
		{ "{\"uplinks\":[\"\"]}",
		  "f:1: uplinks[0]: \"\" is not the name of an interface\n" },
		{ "{\"uplinks\":[\"abcdefghijklmnop\"]}",
		  "f:1: uplinks[0]: \"abcdefghijklmnop\" is not the name of an interface\n" },
		{ "{\"uplinks\":[\".\",\"..\"]}",
		  "f:1: uplinks[0]: \".\" is not the name of an interface\n"
		  "f:1: uplinks[1]: \"..\" is not the name of an interface\n" },
		{ "{\"uplinks\":[\"a/b\"]}",
		  "f:1: uplinks[0]: \"a/b\" is not the name of an interface\n" },
		{ "{\"uplinks\":[\"a b\"]}",
		  "f:1: uplinks[0]: \"a b\" is not the name of an interface\n" },
		{ "{\"uplinks\":[\"a\\nb\"]}",
		  "f:1: uplinks[0]: \"a b\" is not the name of an interface\n" },
		{ "{\"uplinks\":[\"a\\u0000b\"]}", "f:1: uplinks[0]: contains a NUL character\n" },
	};

	(void)state;
	require_told(cases, TEST_COUNT(cases));
}

static void an_interface_that_is_there_twice_is_told(void **state)
{
	static const struct wrong cases[] = {
		{ "{\"uplinks\":[\"a\",\n\"b\",\n\"a\",\"ab\"]}",
		  "f:3: uplinks[2]: \"a\" is in the list twice\n" },
	};

	(void)state;
	require_told(cases, TEST_COUNT(cases));
}

static void a_route_that_is_no_network_is_told(void **state)
{
	static const struct wrong cases[] = {
		{ "{\"uplinkRoutes\":[\"10.0.0.0\"]}",
		  "f:1: uplinkRoutes[0]: \"10.0.0.0\" is not an address with prefix length\n" },
		{ "{\"uplinkRoutes\":[\"10.0.0.0/33\"]}",
		  "f:1: uplinkRoutes[0]: \"10.0.0.0/33\" is not an address with prefix length\n" },
		{ "{\"uplinkRoutes\":[\"eth0\"]}",
		  "f:1: uplinkRoutes[0]: \"eth0\" is not an address with prefix length\n" },
		{ "{\"uplinkRoutes\":[\"10.0.0.1/8\"]}",
		  "f:1: uplinkRoutes[0]: 10.0.0.1/8 has host bits set; meant is 10.0.0.0/8?\n" },
		{ "{\"uplinkRoutes\":[\"fd00::1/64\"]}",
		  "f:1: uplinkRoutes[0]: fd00::1/64 has host bits set; meant is fd00::/64?\n" },
	};

	(void)state;
	require_told(cases, TEST_COUNT(cases));
}

static void a_value_out_of_range_is_told(void **state)
{
	static const struct wrong cases[] = {
		{ "{\"uplinkXdp\":\"Auto\"}",
		  "f:1: uplinkXdp: \"Auto\" is none of \"auto\", \"native\", \"off\"\n" },
		{ "{\"cpus\":[1024,-1]}", "f:1: cpus[0]: 1024 is not in 0..1023\n"
					  "f:1: cpus[1]: -1 is not in 0..1023\n" },
		{ "{\"cpus\":[3,4,3]}", "f:1: cpus[2]: 3 is in the list twice\n" },
		{ "{\"cpuQueue\":0}", "f:1: cpuQueue: 0 is not in 1..16384\n" },
		{ "{\"cpuQueue\":16385}", "f:1: cpuQueue: 16385 is not in 1..16384\n" },
		{ "{\"cpuQueue\":4294967297}", "f:1: cpuQueue: 4294967297 is not in 1..16384\n" },
		{ "{\"cpuQueue\":99999999999999999999}",
		  "f:1: cpuQueue: 9223372036854775807 is not in 1..16384\n" },
		{ "{\"netlinkBuffer\":4095}",
		  "f:1: netlinkBuffer: 4095 is not in 4096..1073741824\n" },
		{ "{\"netlinkBuffer\":1073741825}",
		  "f:1: netlinkBuffer: 1073741825 is not in 4096..1073741824\n" },
	};

	(void)state;
	require_told(cases, TEST_COUNT(cases));
}

static void the_line_is_that_of_the_key_or_the_element(void **state)
{
	static const struct wrong cases[] = {
		{ "\n\n{\n  \"cpuQueue\"\n:\n0\n}\n", "f:4: cpuQueue: 0 is not in 1..16384\n" },
		{ "{\r\n\"uplinks\": [\r\n\"eth0\",\r\n\"a/b\"\r\n, \".\"],\r\n\"cpus\": [\r\n"
		  "1,\r\n\r\n1]}",
		  "f:4: uplinks[1]: \"a/b\" is not the name of an interface\n"
		  "f:5: uplinks[2]: \".\" is not the name of an interface\n"
		  "f:9: cpus[1]: 1 is in the list twice\n" },
		/* what is nested deeper has no lines of its own, and moves none */
		{ "{\"cpus\": [\n[1,\n[2,\n3]],\n{\"a\":[\n4,\n5]},\n6,\n\"7\"],\n\"x\":\n{\n\"y\":"
		  "[\n1,2]},\n\"cpuQueue\":[\n1]}",
		  "f:2: cpus[0]: expected an integer, got an array\n"
		  "f:5: cpus[1]: expected an integer, got an object\n"
		  "f:9: cpus[3]: expected an integer, got a string\n"
		  "f:10: x: unknown key\n"
		  "f:14: cpuQueue: expected an integer, got an array\n" },
		/* what only looks like JSON, in a string */
		{ "{\"uplinks\": [\"\\\"],\\n}\\\\\",\n\"\\u007d/\"\n],\n\"z\":1}",
		  "f:1: uplinks[0]: \"\"], }\\\" is not the name of an interface\n"
		  "f:2: uplinks[1]: \"}/\" is not the name of an interface\n"
		  "f:4: z: unknown key\n" },
	};

	(void)state;
	require_told(cases, TEST_COUNT(cases));
}

static void an_unknown_key_is_told(void **state)
{
	static const struct wrong cases[] = {
		{ "{\"uplink\":[\"eth0\"],\n\"CPUs\":[],\n\"\":1,\"cpus \":2}",
		  "f:1: uplink: unknown key\nf:2: CPUs: unknown key\nf:3: \"\": unknown key\n"
		  "f:3: cpus : unknown key\n" },
		{ "{\"mtu\":null}", "f:1: mtu: unknown key\n" },
		/* to json-c this one is "cpus" */
		{ "{\"cpus\\u0000x\":[1]}", "f:1: cpus?x: unknown key\n" },
		{ "{\"\xc3\xa4\\u00e4\\n\":1}", "f:1: ?? : unknown key\n" },
		{ "{\"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggg\":1}",
		  "f:1: aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggg: unknown "
		  "key\n" },
	};

	(void)state;
	require_told(cases, TEST_COUNT(cases));
}

static void a_key_that_is_there_twice_is_told(void **state)
{
	static const struct wrong cases[] = {
		{ "{\"cpuQueue\":1,\n\"cpuQueue\":1}",
		  "f:2: cpuQueue: is there twice, first on line 1\n" },
		{ "{\"cpuQueue\":1,\n\"cpu\\u0051ueue\":null}",
		  "f:2: cpuQueue: is there twice, first on line 1\n" },
		{ "{\"cpus\":[1,\n-1],\n\"cpus\":[\n2,\n-2],\n\"cpus\":\n[3,\n-3]}",
		  "f:3: cpus: is there twice, first on line 1\n"
		  "f:6: cpus: is there twice, first on line 1\n"
		  "f:8: cpus[1]: -3 is not in 0..1023\n" },
		{ "{\"a\":1,\"a\":1}", "f:1: a: unknown key\nf:1: a: unknown key\n" },
	};

	(void)state;
	require_told(cases, TEST_COUNT(cases));
}

static void a_fault_of_syntax_is_told_with_its_line(void **state)
{
	static const struct wrong cases[] = {
		{ "", "f:1: expected an object, got the end of the file\n" },
		{ "\n\n", "f:3: expected an object, got the end of the file\n" },
		{ "[]", "f:1: expected an object, got '['\n" },
		{ "null", "f:1: expected an object, got 'n'\n" },
		{ "\xef\xbb\xbf{}", "f:1: expected an object, got byte 0xef\n" },
		{ "{\n\"cpus\": [1,\n2\n", "f:4: expected ',' or ']', got the end of the file\n" },
		{ "{\"cpus\":[1,]}", "f:1: expected a value, got ']'\n" },
		{ "{\"cpuQueue\":1,\n}", "f:2: expected a key in double quotes, got '}'\n" },
		{ "{\"cpuQueue\":1\n\"cpus\":[]}", "f:2: expected ',' or '}', got '\"'\n" },
		{ "{'cpuQueue':1}", "f:1: expected a key in double quotes, got '''\n" },
		{ "{\"cpuQueue\"\n1}", "f:2: expected ':', got '1'\n" },
		{ "{\"cpuQueue\":\n\n}", "f:3: expected a value, got '}'\n" },
		{ "{}\n{}", "f:2: expected nothing behind the object, got '{'\n" },
		{ "{} // why", "f:1: expected nothing behind the object, got '/'\n" },
		{ "{\"cpuQueue\":NaN}", "f:1: expected a value, got 'N'\n" },
		{ "{\"cpuQueue\":tru}", "f:1: expected a value, got 't'\n" },
		{ "{\"cpuQueue\":truer}", "f:1: expected ',' or '}', got 'r'\n" },
		{ "{\"cpuQueue\":01}", "f:1: a number begins with 0\n" },
		{ "{\"cpuQueue\":-}", "f:1: expected a digit, got '}'\n" },
		{ "{\"cpuQueue\":1.}", "f:1: expected a digit, got '}'\n" },
		{ "{\"cpuQueue\":1e+}", "f:1: expected a digit, got '}'\n" },
		{ "{\"cpuQueue\":+1}", "f:1: expected a value, got '+'\n" },
		{ "{\n\"cpu", "f:2: the file ends within a string\n" },
		{ "{\n\"cpu\nQueue\":1}", "f:2: the line ends within a string\n" },
		{ "{\"a\tb\":1}", "f:1: expected a character, got byte 0x09\n" },
		{ "{\"\\x\":1}", "f:1: expected an escape, got 'x'\n" },
		{ "{\"\\u00g0\":1}", "f:1: expected a hexadecimal digit, got 'g'\n" },
		{ "{\"\\u00", "f:1: expected a hexadecimal digit, got the end of the file\n" },
		{ "{\"\\", "f:1: expected an escape, got the end of the file\n" },
	};

	(void)state;
	require_told(cases, TEST_COUNT(cases));
}

static void what_is_not_utf8_is_told(void **state)
{
	static const struct wrong cases[] = {
		{ "{\n\"uplinks\":[\"\xff\"]}", "f:2: a string that is not UTF-8\n" },
		{ "{\"\xc3\":1}", "f:1: a string that is not UTF-8\n" },
		{ "{\"a\":\"\xed\xa0\x80\"}", "f:1: a string that is not UTF-8\n" },
		{ "{\"a\":\"\xe2\x82", "f:1: a string that is not UTF-8\n" },
		{ "{\xff}", "f:1: expected a key in double quotes, got byte 0xff\n" },
	};

	(void)state;
	require_told(cases, TEST_COUNT(cases));
}

static void a_nul_byte_ends_nothing(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		const char *told;
	} cases[] = {
		{ "{}\0", 3, "f:1: expected nothing behind the object, got byte 0x00\n" },
		{ "{\"a\0b\":1}", 9, "f:1: expected a character, got byte 0x00\n" },
		{ "{\"a\\\0b\":1}", 10, "f:1: expected an escape, got byte 0x00\n" },
		{ "\0", 1, "f:1: expected an object, got byte 0x00\n" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct config c = CONFIG_DEFAULT;
		struct told told;

		decode(cases[i].text, cases[i].len, &c, &told);
		assert_string_equal(told.text, cases[i].told);
		config_done(&c);
	}
}

/* @n times @part between @before and @behind. */
static void require_told_of_many(const char *before, const char *part, size_t n, const char *behind,
				 const char *expected)
{
	struct config c = CONFIG_DEFAULT;
	struct told told;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	fputs(before, f);
	for (size_t i = 0; i < n; i++)
		fputs(part, f);
	fputs(behind, f);
	assert_int_equal(fclose(f), 0);

	decode(text, len, &c, &told);
	assert_string_equal(told.text, expected);
	free(text);
	config_done(&c);
}

static void what_is_too_much_is_told(void **state)
{
	(void)state;
	require_told_of_many("{\"a\":", "[", 16, "", "f:1: nested deeper than 16\n");
	require_told_of_many("{\"a\":", "[", 100000, "", "f:1: nested deeper than 16\n");
	require_told_of_many("{\"a\":[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]", "", 0, "}",
			     "f:1: a: unknown key\n");
	require_told_of_many("{", "\"a\":1,\n", 64, "\"a\":1}", "f:65: more than 64 keys\n");
	require_told_of_many("{\"a\":[", "1,\n", 4095, "1]}", "f:1: a: unknown key\n");
	require_told_of_many("{\"a\":[", "1,\n", 4096, "1]}",
			     "f:4097: more than 4096 elements in arrays\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_object_and_nulls_leave_the_defaults),
		cmocka_unit_test(every_key_is_read),
		cmocka_unit_test(the_smallest_values_are_taken),
		cmocka_unit_test(an_escaped_key_is_the_same_key),
		cmocka_unit_test(no_cpus_is_said_by_an_empty_list_alone),
		cmocka_unit_test(a_wrong_type_is_told),
		cmocka_unit_test(what_no_interface_is_called_is_told),
		cmocka_unit_test(an_interface_that_is_there_twice_is_told),
		cmocka_unit_test(a_route_that_is_no_network_is_told),
		cmocka_unit_test(a_value_out_of_range_is_told),
		cmocka_unit_test(the_line_is_that_of_the_key_or_the_element),
		cmocka_unit_test(an_unknown_key_is_told),
		cmocka_unit_test(a_key_that_is_there_twice_is_told),
		cmocka_unit_test(a_fault_of_syntax_is_told_with_its_line),
		cmocka_unit_test(what_is_not_utf8_is_told),
		cmocka_unit_test(a_nul_byte_ends_nothing),
		cmocka_unit_test(what_is_too_much_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
