/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "json/jenc.h"
#include "net/ipaddr.h"
#include "store/options.h"

static struct json_object *json(const char *text)
{
	struct json_object *v = NULL;

	assert_int_equal(jdec_parse(text, strlen(text), "test", &v, NULL), 0);
	return v;
}

static void absent_keys_are_the_defaults(void **state)
{
	static const char *const cases[] = {
		"{}",
		"{\"fastPath\":null,\"netfilter\":null,\"sourceCheck\":null,"
		"\"allowedSources\":null,\"queues\":null,\"mtu\":null}",
		"{\"mtu\":0,\"queues\":0,\"allowedSources\":[]}",
		"{\"fastPath\":\"auto\",\"netfilter\":\"respect\",\"sourceCheck\":true}",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct options o = OPTIONS_DEFAULT;
		struct json_object *v = json(cases[i]);
		struct jdec_sink sink = {};

		assert_int_equal(options_decode(v, NULL, &o, &sink), 0);
		assert_int_equal(o.fast_path, FAST_PATH_AUTO);
		assert_int_equal(o.netfilter, NETFILTER_RESPECT);
		assert_true(o.source_check);
		assert_int_equal(o.allowed_sources.n, 0);
		assert_int_equal(o.queues, 0);
		assert_int_equal(o.mtu, 0);
		options_done(&o);
		json_object_put(v);
	}
}

static void what_is_written_is_read_again(void **state)
{
	static const char *const cases[] = {
		"{\"fastPath\":\"auto\",\"netfilter\":\"respect\",\"sourceCheck\":true,"
		"\"allowedSources\":[],\"queues\":0,\"mtu\":0}",
		"{\"fastPath\":\"xdp\",\"netfilter\":\"bypass\",\"sourceCheck\":false,"
		"\"allowedSources\":[\"10.0.0.0/8\",\"192.0.2.1/32\",\"fd00::/64\"],"
		"\"queues\":64,\"mtu\":65535}",
		"{\"fastPath\":\"tc\",\"netfilter\":\"respect\",\"sourceCheck\":true,"
		"\"allowedSources\":[\"::1/128\"],\"queues\":1,\"mtu\":68}",
		"{\"fastPath\":\"off\",\"netfilter\":\"respect\",\"sourceCheck\":true,"
		"\"allowedSources\":[],\"queues\":2,\"mtu\":1500}",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct json_object *v = json(cases[i]), *again;
		struct options o = OPTIONS_DEFAULT;
		struct jdec_sink sink = {};

		assert_int_equal(options_decode(v, NULL, &o, &sink), 0);
		again = options_encode(&o);
		assert_string_equal(jenc_text(again), cases[i]);
		json_object_put(again);
		options_done(&o);
		json_object_put(v);
	}
}

static void out_of_range_is_a_finding(void **state)
{
	static const struct {
		const char *text, *finding;
	} cases[] = {
		{ "{\"mtu\":67}", "mtu: 67 is not in 68..65535" },
		{ "{\"mtu\":1}", "mtu: 1 is not in 68..65535" },
		{ "{\"mtu\":65536}", "mtu: 65536 is not in 68..65535" },
		{ "{\"mtu\":-1}", "mtu: -1 is not in 0..4294967295" },
		{ "{\"mtu\":\"1500\"}", "mtu: expected an integer, got a string" },
		{ "{\"mtu\":1500.0}", "mtu: expected an integer, got a number with a fraction" },
		{ "{\"mtu\":false}", "mtu: expected an integer, got a boolean" },
		{ "{\"queues\":65}", "queues: 65 is not in 0..64" },
		{ "{\"queues\":[]}", "queues: expected an integer, got an array" },
		{ "{\"fastPath\":\"fast\"}",
		  "fastPath: \"fast\" is none of \"auto\", \"xdp\", \"tc\", \"off\"" },
		{ "{\"fastPath\":false}", "fastPath: expected a string, got a boolean" },
		{ "{\"netfilter\":\"\"}", "netfilter: \"\" is none of \"respect\", \"bypass\"" },
		{ "{\"sourceCheck\":\"true\"}", "sourceCheck: expected a boolean, got a string" },
		{ "{\"allowedSources\":\"10.0.0.0/8\"}",
		  "allowedSources: expected an array, got a string" },
		{ "{\"allowedSources\":[\"10.0.0.0/8\",\"x\"]}",
		  "allowedSources[1]: \"x\" is not an address" },
		{ "{\"allowedSources\":[10]}",
		  "allowedSources[0]: expected a string, got an integer" },
		{ "7", "expected an object, got an integer" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct options o = OPTIONS_DEFAULT;
		struct json_object *v = json(cases[i].text);
		struct jdec_sink sink = {};

		assert_int_equal(options_decode(v, NULL, &o, &sink), -EINVAL);
		assert_string_equal(sink.first.msg, cases[i].finding);
		assert_int_equal(sink.count, 1);
		options_done(&o);
		json_object_put(v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absent_keys_are_the_defaults),
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(out_of_range_is_a_finding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
