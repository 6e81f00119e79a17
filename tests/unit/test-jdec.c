/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "json/jdec.h"
#include "json/jenc.h"
#include "net/ipaddr.h"
#include "net/mac.h"

static struct json_object *json(const char *text)
{
	struct json_object *v = NULL;
	struct pw_error err = {};

	if (jdec_parse(text, strlen(text), "test", &v, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return v;
}

/* A place to decode to, of any type, with bytes that show whether it was written. */
union value {
	bool boolean;
	uint32_t number;
	const char *string;
	struct ipaddr ip;
	struct cidr cidr;
	struct mac mac;
	unsigned char bytes[64];
};

static int mode(struct json_object *v, const struct jdec_path *at, void *out,
		struct jdec_sink *sink)
{
	static const char *const names[] = { "auto", "xdp", "off", NULL };

	return jdec_choice(v, at, names, out, sink);
}

static void wrong_types_are_named(void **state)
{
	static const struct {
		jdec_fn decode;
		const char *text, *finding;
	} cases[] = {
		{ jdec_bool, "0", "k: expected a boolean, got an integer" },
		{ jdec_bool, "\"true\"", "k: expected a boolean, got a string" },
		{ jdec_u32, "\"12\"", "k: expected an integer, got a string" },
		{ jdec_u32, "true", "k: expected an integer, got a boolean" },
		{ jdec_u32, "1.0", "k: expected an integer, got a number with a fraction" },
		{ jdec_u32, "{}", "k: expected an integer, got an object" },
		{ jdec_u32, "[]", "k: expected an integer, got an array" },
		{ jdec_u32, "-1", "k: -1 is not in 0..4294967295" },
		{ jdec_u32, "4294967296", "k: 4294967296 is not in 0..4294967295" },
		{ jdec_string, "1", "k: expected a string, got an integer" },
		{ jdec_string, "[\"a\"]", "k: expected a string, got an array" },
		{ jdec_string, "\"a\\u0000b\"", "k: contains a NUL character" },
		{ jdec_string, "\"\\u0000\"", "k: contains a NUL character" },
		{ jdec_ipaddr, "1", "k: expected a string, got an integer" },
		{ jdec_ipaddr, "\"\"", "k: \"\" is not an IP address" },
		{ jdec_ipaddr, "\"10.0.0.1/8\"", "k: \"10.0.0.1/8\" is not an IP address" },
		{ jdec_ipaddr, "\"10.0.0.1\\u0000\"", "k: contains a NUL character" },
		{ jdec_cidr, "\"10.0.0.1\"",
		  "k: \"10.0.0.1\" is not an address with prefix length" },
		{ jdec_cidr, "8", "k: expected a string, got an integer" },
		{ jdec_cidr, "\"a\\nb/8\"", "k: \"a b/8\" is not an address with prefix length" },
		{ jdec_cidr_or_host, "\"10.0.0\"", "k: \"10.0.0\" is not an address" },
		{ jdec_cidr_or_host, "{}", "k: expected a string, got an object" },
		{ jdec_mac, "\"02:00:00:00:00\"",
		  "k: \"02:00:00:00:00\" is not a unicast MAC address" },
		{ jdec_mac, "\"ff:ff:ff:ff:ff:ff\"",
		  "k: \"ff:ff:ff:ff:ff:ff\" is not a unicast MAC address" },
		{ jdec_mac, "\"00:00:00:00:00:00\"",
		  "k: \"00:00:00:00:00:00\" is not a unicast MAC address" },
		{ jdec_mac, "2", "k: expected a string, got an integer" },
		{ mode, "\"xpd\"", "k: \"xpd\" is none of \"auto\", \"xdp\", \"off\"" },
		{ mode, "\"\"", "k: \"\" is none of \"auto\", \"xdp\", \"off\"" },
		{ mode, "\"XDP\"", "k: \"XDP\" is none of \"auto\", \"xdp\", \"off\"" },
		{ mode, "false", "k: expected a string, got a boolean" },
	};
	const struct jdec_path at = { .key = "k" };

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct json_object *v = json(cases[i].text);
		struct jdec_sink sink = {};
		union value out, before;

		memset(&before, 0x5a, sizeof(before));
		out = before;
		assert_int_equal(cases[i].decode(v, &at, &out, &sink), -EINVAL);
		assert_string_equal(sink.first.msg, cases[i].finding);
		assert_int_equal(sink.first.code, PW_E_CONFIG);
		assert_int_equal(sink.count, 1);
		assert_memory_equal(&out, &before, sizeof(out));
		json_object_put(v);
	}
}

/* null inside a list is nothing that could be left out. */
static void null_is_no_value(void **state)
{
	static const jdec_fn decoders[] = { jdec_bool, jdec_u32,          jdec_string, jdec_ipaddr,
					    jdec_cidr, jdec_cidr_or_host, jdec_mac,    mode };

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(decoders); i++) {
		struct jdec_sink sink = {};
		union value out;

		assert_int_equal(decoders[i](NULL, NULL, &out, &sink), -EINVAL);
		assert_non_null(strstr(sink.first.msg, ", got null"));
	}
}

static void right_values_arrive(void **state)
{
	struct json_object *v = json("{\"b\":true,\"n\":4294967295,\"s\":\"text\",\"i\":\"::1\","
				     "\"c\":\"10.0.0.1/8\",\"h\":\"10.0.0.1\","
				     "\"m\":\"02:00:00:00:00:0A\",\"x\":\"off\",\"a\":[{}]}");
	struct jdec_sink sink = {};
	struct json_object *any = NULL;
	const char *string = NULL;
	unsigned int choice = 42;
	struct ipaddr ip;
	struct cidr cidr;
	struct mac mac;
	uint32_t n = 0;
	bool b = false;

	(void)state;
	assert_int_equal(jdec_bool(jdec_member(v, "b"), NULL, &b, &sink), 0);
	assert_true(b);
	assert_int_equal(jdec_u32(jdec_member(v, "n"), NULL, &n, &sink), 0);
	assert_int_equal(n, UINT32_MAX);
	assert_int_equal(jdec_string(jdec_member(v, "s"), NULL, &string, &sink), 0);
	assert_string_equal(string, "text");
	assert_int_equal(jdec_ipaddr(jdec_member(v, "i"), NULL, &ip, &sink), 0);
	assert_string_equal(IPADDR_STR(&ip), "::1");
	assert_int_equal(jdec_cidr(jdec_member(v, "c"), NULL, &cidr, &sink), 0);
	assert_string_equal(CIDR_STR(&cidr), "10.0.0.1/8");
	assert_int_equal(jdec_cidr_or_host(jdec_member(v, "h"), NULL, &cidr, &sink), 0);
	assert_string_equal(CIDR_STR(&cidr), "10.0.0.1/32");
	assert_int_equal(jdec_mac(jdec_member(v, "m"), NULL, &mac, &sink), 0);
	assert_string_equal(MAC_STR(&mac), "02:00:00:00:00:0a");
	assert_int_equal(mode(jdec_member(v, "x"), NULL, &choice, &sink), 0);
	assert_int_equal(choice, 2);
	assert_int_equal(jdec_any(jdec_member(v, "a"), NULL, &any, &sink), 0);
	assert_string_equal(jenc_text(any), "[{}]");
	assert_int_equal(sink.count, 0);
	json_object_put(v);
}

struct inner {
	uint32_t n;
};

struct outer {
	const char *name;
	bool flag;
	struct array inners;
};

static int inner(struct json_object *v, const struct jdec_path *at, void *out,
		 struct jdec_sink *sink)
{
	static const struct jdec_field fields[] = {
		{ "n", jdec_u32, offsetof(struct inner, n), JDEC_REQUIRED },
		{ 0 },
	};

	return jdec_object(v, at, fields, out, sink);
}

static int inners(struct json_object *v, const struct jdec_path *at, void *out,
		  struct jdec_sink *sink)
{
	return jdec_each(v, at, sizeof(struct inner), inner, out, sink);
}

static const struct jdec_field outer_fields[] = {
	{ "name", jdec_string, offsetof(struct outer, name), JDEC_REQUIRED },
	{ "flag", jdec_bool, offsetof(struct outer, flag), 0 },
	{ "list", inners, offsetof(struct outer, inners), 0 },
	{ 0 },
};

static void note(const char *finding, void *arg)
{
	strncat(arg, finding, 400);
	strncat(arg, "\n", 2);
}

static void all_findings_come_at_once_with_their_paths(void **state)
{
	static const struct {
		const char *text, *findings;
	} cases[] = {
		{ "{\"name\":\"n\",\"list\":[{\"n\":1},{\"n\":2}],\"unknown\":1}", "" },
		{ "{}", "name: missing\n" },
		{ "{\"name\":null,\"flag\":null,\"list\":null}", "name: missing\n" },
		{ "[]", "expected an object, got an array\n" },
		{ "{\"name\":1,\"flag\":1,\"list\":{}}",
		  "name: expected a string, got an integer\n"
		  "flag: expected a boolean, got an integer\n"
		  "list: expected an array, got an object\n" },
		{ "{\"name\":\"n\",\"list\":[{\"n\":\"1\"},{\"n\":1},{},7,null]}",
		  "list[0].n: expected an integer, got a string\n"
		  "list[2].n: missing\n"
		  "list[3]: expected an object, got an integer\n"
		  "list[4]: expected an object, got null\n" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct json_object *v = json(cases[i].text);
		char all[2000] = "";
		struct jdec_sink sink = { .each = note, .arg = all };
		struct outer out = {};
		int r = jdec_object(v, NULL, outer_fields, &out, &sink);

		assert_string_equal(all, cases[i].findings);
		assert_int_equal(r, *cases[i].findings ? -EINVAL : 0);
		if (r < 0) {
			all[strcspn(all, "\n")] = '\0';
			assert_string_equal(sink.first.msg, all);
		}
		array_done(&out.inners);
		json_object_put(v);
	}
}

static void a_list_with_a_fault_leaves_the_old_one(void **state)
{
	struct json_object *bad = json("[{\"n\":1},{\"n\":-1}]"), *good = json("[{\"n\":7}]");
	struct json_object *empty = json("[]");
	struct jdec_sink sink = {};
	struct array a = {};

	(void)state;
	assert_int_equal(inners(good, NULL, &a, &sink), 0);
	assert_int_equal(inners(bad, NULL, &a, &sink), -EINVAL);
	assert_int_equal(a.n, 1);
	assert_int_equal(((struct inner *)a.v)->n, 7);
	assert_int_equal(inners(empty, NULL, &a, &sink), 0); /* and replaces it */
	assert_int_equal(a.n, 0);
	array_done(&a);
	json_object_put(bad);
	json_object_put(good);
	json_object_put(empty);
}

static void a_path_that_is_long_is_cut(void **state)
{
	struct jdec_path path[64] = {};
	struct jdec_sink sink = {};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(path); i++)
		path[i] = (struct jdec_path){ .up = i ? &path[i - 1] : NULL, .key = "a-long-key" };
	assert_int_equal(jdec_finding(&sink, &path[63], "is %s", "wrong"), -EINVAL);
	assert_int_equal(strncmp(sink.first.msg, "a-long-key.a-long-key.", 22), 0);
	assert_non_null(strstr(sink.first.msg, ": is wrong"));

	/* an array at the root */
	sink = (struct jdec_sink){};
	path[0] = (struct jdec_path){ .index = 3 };
	path[1] = (struct jdec_path){ .up = &path[0], .key = "k" };
	jdec_finding(&sink, &path[1], "x");
	assert_string_equal(sink.first.msg, "[3].k: x");
}

/* What is quoted in a finding is somebody's input: however long, the rest stays readable. */
static void a_finding_stays_utf8_wherever_it_is_cut(void **state)
{
	char text[1200] = "\"";
	size_t n = 1;

	(void)state;
	for (size_t shift = 0; shift < 3; shift++) {
		struct jdec_sink sink = {};
		struct json_object *v, *again;
		unsigned int choice;

		n = 1;
		for (size_t i = 0; i < shift; i++)
			text[n++] = '.';
		while (n < sizeof(text) - 8) {
			memcpy(text + n, "\xe2\x82\xac", 3);
			n += 3;
		}
		text[n] = '"';
		text[n + 1] = '\0';
		v = json(text);
		assert_int_equal(mode(v, NULL, &choice, &sink), -EINVAL);
		json_object_put(v);
		snprintf(text, sizeof(text), "\"%.600s\"", sink.first.msg + 1);
		again = json(text);
		json_object_put(again);
	}
}

static void member_of_what_is_no_object_is_none(void **state)
{
	struct json_object *v = json("{\"o\":{\"k\":1},\"s\":\"k\",\"l\":[1],\"n\":null}");

	(void)state;
	assert_int_equal(json_object_get_int(jdec_member(jdec_member(v, "o"), "k")), 1);
	assert_null(jdec_member(jdec_member(v, "s"), "k"));
	assert_null(jdec_member(jdec_member(v, "l"), "0"));
	assert_null(jdec_member(v, "n"));
	assert_null(jdec_member(v, "absent"));
	assert_null(jdec_member(NULL, "k"));
	json_object_put(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_types_are_named),
		cmocka_unit_test(null_is_no_value),
		cmocka_unit_test(right_values_arrive),
		cmocka_unit_test(all_findings_come_at_once_with_their_paths),
		cmocka_unit_test(a_list_with_a_fault_leaves_the_old_one),
		cmocka_unit_test(a_path_that_is_long_is_cut),
		cmocka_unit_test(a_finding_stays_utf8_wherever_it_is_cut),
		cmocka_unit_test(member_of_what_is_no_object_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
