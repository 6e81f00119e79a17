/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "netconf.h"

struct fault {
	const char *text; /* members of the config, behind its name */
	const char *msg;
};

static void assert_fault(const char *text, enum pw_code code, const char *msg)
{
	struct netconf conf = { .ip_masq = true };
	struct pw_error err = {};

	if (netconf_parse(text, strlen(text), &conf, &err) == 0)
		fail_msg("%s is taken", text);
	assert_string_equal(err.msg, msg);
	assert_int_equal(err.code, code);
	assert_true(conf.ip_masq); /* untouched, but for the version to answer in */
	assert_true(netconf_parse(text, strlen(text), &conf, NULL) < 0);
}

static void assert_faults(const struct fault *faults, size_t n)
{
	char text[600];

	for (size_t i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "{\"name\":\"n\",%s}", faults[i].text);
		assert_fault(text, PW_E_CONFIG, faults[i].msg);
	}
}

static const struct fault operators[] = {
	{ "\"mtu\":\"1500\"", "mtu: expected an integer, got a string" },
	{ "\"mtu\":67", "mtu: 67 is not in 68..65535" },
	{ "\"mtu\":65536", "mtu: 65536 is not in 68..65535" },
	{ "\"mtu\":1e3", "mtu: expected an integer, got a number with a fraction" },
	{ "\"mtu\":99999999999", "mtu: 99999999999 is not in 0..4294967295" },
	{ "\"ipMasq\":\"true\"", "ipMasq: expected a boolean, got a string" },
	{ "\"ipMasq\":1", "ipMasq: expected a boolean, got an integer" },
	{ "\"queues\":65", "queues: 65 is not in 0..64" },
	{ "\"queues\":-1", "queues: -1 is not in 0..4294967295" },
	{ "\"gateway\":\"10.0.0.1\"", "gateway: \"10.0.0.1\" is none of \"linklocal\", \"ipam\"" },
	{ "\"gateway\":true", "gateway: expected a string, got a boolean" },
	{ "\"runtimeDir\":\"run/x\"", "runtimeDir: \"run/x\" is not an absolute path" },
	{ "\"runtimeDir\":\"\"", "runtimeDir: \"\" is not an absolute path" },
	{ "\"runtimeDir\":7", "runtimeDir: expected a string, got an integer" },
	{ "\"stateDir\":\"./x\"", "stateDir: \"./x\" is not an absolute path" },
	{ "\"stateDir\":[\"/x\"]", "stateDir: expected a string, got an array" },
	{ "\"stateDir\":\"/a\\u0000b\"", "stateDir: contains a NUL character" },
	{ "\"fastPath\":\"native\"",
	  "fastPath: \"native\" is none of \"auto\", \"xdp\", \"tc\", \"off\"" },
	{ "\"fastPath\":0", "fastPath: expected a string, got an integer" },
	{ "\"netfilter\":\"ignore\"", "netfilter: \"ignore\" is none of \"respect\", \"bypass\"" },
	{ "\"netfilter\":{}", "netfilter: expected a string, got an object" },
	{ "\"requireAgent\":\"yes\"", "requireAgent: expected a boolean, got a string" },
	{ "\"sourceCheck\":0", "sourceCheck: expected a boolean, got an integer" },
	{ "\"allowedSources\":\"10.0.0.0/8\"", "allowedSources: expected an array, got a string" },
	{ "\"allowedSources\":[\"10.0.0.0/8\",\"10.0.0.0/33\"]",
	  "allowedSources[1]: \"10.0.0.0/33\" is not an address" },
	{ "\"routeMetric\":4294967296", "routeMetric: 4294967296 is not in 0..4294967295" },
	{ "\"routeMetric\":\"1\"", "routeMetric: expected an integer, got a string" },
	{ "\"hostAddress\":\"10.0.0.1/24\"", "hostAddress: \"10.0.0.1/24\" is not an IP address" },
	{ "\"hostAddress\":[\"10.0.0.1\",\"x\"]", "hostAddress[1]: \"x\" is not an IP address" },
	{ "\"hostAddress\":{}", "hostAddress: expected a string, got an object" },
	{ "\"hostAddress\":[\"10.0.0.1\",\"10.0.0.2\"]",
	  "hostAddress: more than one address of a family" },
	{ "\"hostAddress\":[\"::1\",\"10.0.0.1\",\"::2\"]",
	  "hostAddress: more than one address of a family" },
	{ "\"masqExclude\":\"10.0.0.0/8\"", "masqExclude: expected an array, got a string" },
	{ "\"masqExclude\":[\"10.0.0.0/8\",7]",
	  "masqExclude[1]: expected a string, got an integer" },
	{ "\"masqExclude\":[\"fd00::/8\",\"10.1.2.3/8\"]",
	  "masqExclude[1]: 10.1.2.3/8 has host bits set; meant is 10.0.0.0/8?" },
	{ "\"ipam\":\"host-local\"", "ipam: expected an object, got a string" },
	{ "\"ipam\":{\"subnet\":\"10.0.0.0/8\"}", "ipam.type: missing" },
	{ "\"ipam\":{\"type\":\"\"}", "ipam.type: \"\" is not the name of a plugin" },
	{ "\"ipam\":{\"type\":\"../sh\"}", "ipam.type: \"../sh\" is not the name of a plugin" },
	{ "\"ipam\":{\"type\":7}", "ipam.type: expected a string, got an integer" },
	{ "\"dns\":[\"10.0.0.53\"]", "dns: expected an object, got an array" },
};

static void wrong_values_of_the_operators_keys_are_named(void **state)
{
	(void)state;
	assert_faults(operators, TEST_COUNT(operators));
}

static void wrong_values_of_the_runtimes_keys_are_named(void **state)
{
	static const struct fault faults[] = {
		{ "\"runtimeConfig\":[]", "runtimeConfig: expected an object, got an array" },
		{ "\"runtimeConfig\":{\"ips\":\"10.0.0.1\"}",
		  "runtimeConfig.ips: expected an array, got a string" },
		{ "\"runtimeConfig\":{\"ips\":[\"10.0.0.1\",\"\"]}",
		  "runtimeConfig.ips[1]: \"\" is not an address" },
		{ "\"runtimeConfig\":{\"mac\":\"x\"}",
		  "runtimeConfig.mac: \"x\" is not a unicast MAC address" },
		{ "\"runtimeConfig\":{\"podwire\":{\"fastPath\":\"fast\"}}",
		  "runtimeConfig.podwire.fastPath: \"fast\" is none of \"auto\", \"xdp\", \"tc\", "
		  "\"off\"" },
		{ "\"runtimeConfig\":{\"podwire\":\"off\"}",
		  "runtimeConfig.podwire: expected an object, got a string" },
		{ "\"args\":{\"cni\":{\"ips\":\"10.0.0.1\"}}",
		  "args.cni.ips: expected an array, got a string" },
		{ "\"args\":{\"cni\":{\"mac\":7}}",
		  "args.cni.mac: expected a string, got an integer" },
		{ "\"args\":{\"cni\":[]}", "args.cni: expected an object, got an array" },
		{ "\"prevResult\":\"{}\"", "prevResult: expected an object, got a string" },
		{ "\"cni.dev/valid-attachments\":{}",
		  "cni.dev/valid-attachments: expected an array, got an object" },
		{ "\"cni.dev/valid-attachments\":[null]",
		  "cni.dev/valid-attachments[0]: expected an object, got null" },
		{ "\"cni.dev/valid-attachments\":[{\"containerID\":\"a\"}]",
		  "cni.dev/valid-attachments[0].ifname: missing" },
		{ "\"cni.dev/attachments\":[{\"containerID\":1,\"ifname\":\"b\"}]",
		  "cni.dev/attachments[0].containerID: expected a string, got an integer" },
	};

	(void)state;
	assert_faults(faults, TEST_COUNT(faults));
}

static void a_network_has_a_name(void **state)
{
	static const struct {
		const char *text, *msg;
	} cases[] = {
		{ "{}", "name: missing" },
		{ "{\"name\":null}", "name: missing" },
		{ "{\"name\":7}", "name: expected a string, got an integer" },
		{ "{\"name\":\"\"}", "name: \"\" is not a valid network name" },
		{ "{\"name\":\"a b\"}", "name: \"a b\" is not a valid network name" },
		{ "{\"name\":\"../../etc\"}", "name: \"../../etc\" is not a valid network name" },
		{ "{\"name\":\"n\\u0000\"}", "name: contains a NUL character" },
		{ "{\"name\":\"n\",\"type\":[]}", "type: expected a string, got an array" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++)
		assert_fault(cases[i].text, PW_E_CONFIG, cases[i].msg);
}

static void what_is_no_config_is_a_decode_error(void **state)
{
	static const struct {
		const char *text, *msg;
	} cases[] = {
		{ "", "network config is not JSON: byte 0: unexpected end of data" },
		{ "{\"name\":", "network config is not JSON: byte 8: unexpected end of data" },
		{ "{\"name\":\"n\"}}",
		  "network config is not JSON: byte 12: unexpected character" },
		{ "[]", "network config is not a JSON object" },
		{ "\"n\"", "network config is not a JSON object" },
		{ "7", "network config is not a JSON object" },
		{ "null", "network config is null" },
		{ "name: n", "network config is not JSON: byte 1: null expected" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++)
		assert_fault(cases[i].text, PW_E_DECODE, cases[i].msg);
}

/* Errors are given in the config's version, as far as that is known. */
static void the_version_to_answer_in_is_always_set(void **state)
{
	static const struct {
		const char *text;
		enum spec spec;
		enum pw_code code;
	} cases[] = {
		{ "{\"cniVersion\":\"0.3.1\"}", SPEC_0_3_1, PW_E_CONFIG },
		{ "{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"mtu\":1}", SPEC_1_0_0, PW_E_CONFIG },
		{ "{\"mtu\":1}", SPEC_ABSENT, PW_E_CONFIG },
		{ "{\"cniVersion\":\"1.2.0\",\"name\":\"n\"}", SPEC_NEWEST, PW_E_VERSION },
		{ "{\"cniVersion\":7,\"name\":\"n\"}", SPEC_NEWEST, PW_E_CONFIG },
		{ "{\"cniVersion\":\"1.0.0\"", SPEC_NEWEST, PW_E_DECODE },
		{ "[]", SPEC_NEWEST, PW_E_DECODE },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct netconf conf = { .spec = _SPEC_MAX };
		struct pw_error err = {};

		assert_true(netconf_parse(cases[i].text, strlen(cases[i].text), &conf, &err) < 0);
		assert_int_equal(conf.spec, cases[i].spec);
		assert_int_equal(err.code, cases[i].code);
	}
}

static void an_unknown_version_names_those_that_are_known(void **state)
{
	static const char *const versions[] = { "1.2.0", "0.5.0", "2.0.0", "1.1", "x" };
	char text[80], want[200];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(versions); i++) {
		struct netconf conf = {};
		struct pw_error err = {};

		snprintf(text, sizeof(text), "{\"cniVersion\":\"%s\",\"name\":\"n\"}", versions[i]);
		snprintf(want, sizeof(want),
			 "config is \"%s\", plugin supports 0.1.0, 0.2.0, 0.3.0, 0.3.1, 0.4.0, "
			 "1.0.0, 1.1.0",
			 versions[i]);
		assert_int_equal(netconf_parse(text, strlen(text), &conf, &err), -EPROTONOSUPPORT);
		assert_int_equal(err.code, PW_E_VERSION);
		assert_string_equal(err.msg, "incompatible CNI versions");
		assert_string_equal(err.details, want);
	}
}

static void note(const char *finding, void *arg)
{
	size_t n = strlen(arg);

	snprintf((char *)arg + n, 1000 - n, "%s\n", finding);
}

static void all_findings_come_at_once(void **state)
{
	static const char text[] = "{\"mtu\":1,\"queues\":\"x\",\"ipMasq\":7,"
				   "\"masqExclude\":[\"10.0.0.1/8\",\"fd00::1/64\"],"
				   "\"ipam\":{},\"runtimeConfig\":{\"mac\":\"y\"}}";
	const struct jdec_path list = { .key = "plugins" }, at = { .up = &list, .index = 2 };
	struct netconf conf = { .options = OPTIONS_DEFAULT };
	struct json_object *v = NULL;
	char all[1000] = "";
	struct jdec_sink sink = { .each = note, .arg = all };

	(void)state;
	assert_int_equal(jdec_parse(text, strlen(text), "test", &v, NULL), 0);
	assert_int_equal(netconf_decode(v, &at, &conf, &sink), -EINVAL);
	assert_string_equal(
		all,
		"plugins[2].queues: expected an integer, got a string\n"
		"plugins[2].mtu: 1 is not in 68..65535\n"
		"plugins[2].ipMasq: expected a boolean, got an integer\n"
		"plugins[2].runtimeConfig.mac: \"y\" is not a unicast MAC address\n"
		"plugins[2].masqExclude[0]: 10.0.0.1/8 has host bits set; meant is 10.0.0.0/8?\n"
		"plugins[2].masqExclude[1]: fd00::1/64 has host bits set; meant is fd00::/64?\n");
	assert_int_equal(sink.count, 6);
	netconf_done(&conf);
	json_object_put(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_values_of_the_operators_keys_are_named),
		cmocka_unit_test(wrong_values_of_the_runtimes_keys_are_named),
		cmocka_unit_test(a_network_has_a_name),
		cmocka_unit_test(what_is_no_config_is_a_decode_error),
		cmocka_unit_test(the_version_to_answer_in_is_always_set),
		cmocka_unit_test(an_unknown_version_names_those_that_are_known),
		cmocka_unit_test(all_findings_come_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
