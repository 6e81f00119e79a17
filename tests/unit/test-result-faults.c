/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "result.h"

static int decode(const char *text, enum spec spec, struct result *res, struct pw_error *err)
{
	struct json_object *v = NULL;
	int r;

	assert_int_equal(jdec_parse(text, strlen(text), "test", &v, NULL), 0);
	r = result_decode(v, spec, "prevResult", PW_E_CONFIG, res, err);
	json_object_put(v);
	return r;
}

static const struct {
	enum spec spec;
	const char *text, *msg;
} faults[] = {
	{ SPEC_1_1_0, "[]", "expected an object, got an array" },
	{ SPEC_1_1_0, "{\"cniVersion\":\"1.2.0\"}",
	  "cniVersion: \"1.2.0\" is not a version that we know" },
	{ SPEC_1_1_0, "{\"cniVersion\":1}", "cniVersion: expected a string, got an integer" },
	{ SPEC_1_1_0, "{\"interfaces\":{}}", "interfaces: expected an array, got an object" },
	{ SPEC_1_1_0, "{\"interfaces\":[{}]}", "interfaces[0].name: missing" },
	{ SPEC_1_1_0, "{\"interfaces\":[{\"name\":7}]}",
	  "interfaces[0].name: expected a string, got an integer" },
	{ SPEC_1_1_0, "{\"interfaces\":[{\"name\":\"a\",\"mtu\":-1}]}",
	  "interfaces[0].mtu: -1 is not in 0..4294967295" },
	{ SPEC_1_0_0, "{\"interfaces\":[{\"name\":\"a\",\"sandbox\":[]}]}",
	  "interfaces[0].sandbox: expected a string, got an array" },
	{ SPEC_1_0_0, "{\"ips\":[{}]}", "ips[0].address: missing" },
	{ SPEC_1_0_0, "{\"ips\":[{\"address\":\"10.0.0.1\"}]}",
	  "ips[0].address: \"10.0.0.1\" is not an address with prefix length" },
	{ SPEC_1_0_0, "{\"ips\":[{\"address\":\"10.0.0.1/24\",\"gateway\":\"fd00::1\"}]}",
	  "ips[0]: address and gateway are of different families" },
	{ SPEC_1_0_0, "{\"ips\":[{\"address\":\"10.0.0.1/24\",\"gateway\":\"x\"}]}",
	  "ips[0].gateway: \"x\" is not an IP address" },
	{ SPEC_1_0_0, "{\"ips\":[{\"address\":\"10.0.0.1/24\",\"interface\":0}]}",
	  "ips[0].interface: 0 is not one of 0 interfaces" },
	{ SPEC_1_0_0,
	  "{\"interfaces\":[{\"name\":\"a\"}],\"ips\":[{\"address\":\"10.0.0.1/24\","
	  "\"interface\":0},{\"address\":\"10.0.0.1/24\",\"interface\":1}]}",
	  "ips[1].interface: 1 is not one of 1 interfaces" },
	{ SPEC_1_0_0, "{\"ips\":[{\"address\":\"10.0.0.1/24\",\"interface\":4294967295}]}",
	  "ips[0].interface: 4294967295 is not an index" },
	{ SPEC_1_0_0, "{\"ips\":[{\"address\":\"10.0.0.1/24\",\"interface\":-1}]}",
	  "ips[0].interface: -1 is not in 0..4294967295" },
	{ SPEC_1_0_0, "{\"ips\":{\"address\":\"10.0.0.1/24\"}}",
	  "ips: expected an array, got an object" },
	{ SPEC_1_0_0, "{\"routes\":[{\"gw\":\"10.0.0.1\"}]}", "routes[0].dst: missing" },
	{ SPEC_1_0_0, "{\"routes\":[{\"dst\":\"default\"}]}",
	  "routes[0].dst: \"default\" is not an address with prefix length" },
	{ SPEC_1_0_0, "{\"routes\":[{\"dst\":\"::/0\",\"gw\":\"10.0.0.1\"}]}",
	  "routes[0]: dst and gw are of different families" },
	{ SPEC_1_1_0, "{\"routes\":[{\"dst\":\"::/0\",\"priority\":\"1\"}]}",
	  "routes[0].priority: expected an integer, got a string" },
	{ SPEC_1_1_0, "{\"routes\":[{\"dst\":\"::/0\",\"table\":4294967296}]}",
	  "routes[0].table: 4294967296 is not in 0..4294967295" },
	{ SPEC_1_1_0, "{\"dns\":[]}", "dns: expected an object, got an array" },
	{ SPEC_0_2_0, "{\"ip4\":[]}", "ip4: expected an object, got an array" },
	{ SPEC_0_2_0, "{\"ip4\":{}}", "ip4.ip: missing" },
	{ SPEC_0_2_0, "{\"ip6\":{\"ip\":\"fd00::1/64\",\"gateway\":7}}",
	  "ip6.gateway: expected a string, got an integer" },
	{ SPEC_0_2_0, "{\"ip4\":{\"ip\":\"10.0.0.1/24\",\"routes\":[{\"dst\":\"x\"}]}}",
	  "ip4.routes[0].dst: \"x\" is not an address with prefix length" },
};

static void faults_are_named_with_their_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < TEST_COUNT(faults); i++) {
		struct result res = { .ips = { .n = 42 } };
		struct pw_error err = {};

		if (decode(faults[i].text, faults[i].spec, &res, &err) != -EINVAL)
			fail_msg("%s is taken", faults[i].text);
		assert_int_equal(strncmp(err.msg, "prevResult: ", 12), 0);
		assert_string_equal(err.msg + 12, faults[i].msg);
		assert_int_equal(err.code, PW_E_CONFIG);
		assert_int_equal(res.ips.n, 42); /* untouched */
	}
}

/* ip4 holds an IPv4 address and ip6 an IPv6 one. */
static void an_old_family_holds_only_its_own(void **state)
{
	static const char *const cases[] = {
		"{\"ip4\":{\"ip\":\"fd00::1/64\"}}",
		"{\"ip6\":{\"ip\":\"10.0.0.1/24\"}}",
		"{\"ip4\":{\"ip\":\"10.0.0.1/24\",\"gateway\":\"fd00::1\"}}",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct result res = {};
		struct pw_error err = {};

		if (decode(cases[i], SPEC_0_2_0, &res, &err) != -EINVAL)
			fail_msg("%s is taken", cases[i]);
		assert_non_null(strstr(err.msg, "an address is of the other family"));
	}
}

static void lists_are_bounded(void **state)
{
	static const struct {
		const char *list, *element, *msg;
		size_t most;
	} cases[] = {
		{ "ips", "{\"address\":\"10.0.0.1/32\"}",
		  "prevResult: ips: more than 256 addresses", 256 },
		{ "routes", "{\"dst\":\"10.0.0.1/32\"}",
		  "prevResult: routes: more than 1024 routes", 1024 },
	};
	char *text = malloc(100000);

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		for (size_t more = 0; more < 2; more++) {
			struct result res = {};
			struct pw_error err = {};
			char *to = text + snprintf(text, 100, "{\"%s\":[", cases[i].list);

			for (size_t n = 0; n < cases[i].most + more; n++) {
				to = stpcpy(to, n ? "," : "");
				to = stpcpy(to, cases[i].element);
			}
			stpcpy(to, "]}");
			assert_int_equal(decode(text, SPEC_1_0_0, &res, &err), more ? -EINVAL : 0);
			assert_string_equal(err.msg, more ? cases[i].msg : "");
			result_done(&res);
		}
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_are_named_with_their_place),
		cmocka_unit_test(an_old_family_holds_only_its_own),
		cmocka_unit_test(lists_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
