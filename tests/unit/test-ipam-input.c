/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ipam_input.h"

static struct netconf parse(const char *text)
{
	struct netconf conf = {};
	struct pw_error err = {};

	if (netconf_parse(text, strlen(text), &conf, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return conf;
}

static const char *find(char **envp, const char *name)
{
	const char *found = NULL;
	size_t n = strlen(name);

	for (char **e = envp; *e; e++) {
		if (strncmp(*e, name, n) != 0 || (*e)[n] != '=')
			continue;
		if (found)
			fail_msg("%s is there twice", name);
		found = *e + n + 1;
	}
	return found;
}

static void the_call_is_in_its_environment_and_the_rest_is_ours(void **state)
{
	const struct ipam_target target = { "other-container", "", "net7" };
	struct netconf conf = parse("{\"name\":\"n\"}");
	struct request req = { .raw_args = "", .container_id = "c", .netns = "/n", .ifname = "i" };
	char **envp = NULL;

	(void)state;
	setenv("CNI_COMMAND", "GC", 1);
	setenv("CNI_CONTAINERID", "from-outside", 1);
	setenv("CNI_NETNS", "/from/outside", 1);
	setenv("CNI_ARGS", "FROM=outside", 1);
	setenv("CNI_PATH", "/opt/cni/bin:/usr/lib/cni", 1);
	setenv("CNI_NETNS_OVERRIDE", "1", 1);
	setenv("TRACEPARENT", "00-a-b-01", 1);
	unsetenv("CNI_IFNAME");
	assert_int_equal(ipam_env_build(&req, &conf, "DEL", &target, &envp, NULL), 0);
	assert_string_equal(find(envp, "CNI_COMMAND"), "DEL");
	assert_string_equal(find(envp, "CNI_CONTAINERID"), "other-container");
	assert_string_equal(find(envp, "CNI_NETNS"), "");
	assert_string_equal(find(envp, "CNI_IFNAME"), "net7");
	assert_string_equal(find(envp, "CNI_ARGS"), "");
	assert_string_equal(find(envp, "CNI_PATH"), "/opt/cni/bin:/usr/lib/cni");
	assert_string_equal(find(envp, "CNI_NETNS_OVERRIDE"), "1");
	assert_string_equal(find(envp, "TRACEPARENT"), "00-a-b-01");
	ipam_env_free(envp);
	assert_null(ipam_env_free(NULL));
	netconf_done(&conf);
}

#define PLAIN "{\"name\":\"n\"}"
#define WITH_RUNTIME_IPS "{\"name\":\"n\",\"runtimeConfig\":{\"ips\":[\"10.0.0.9\"]}}"
#define WITH_ARGS_IPS "{\"name\":\"n\",\"args\":{\"cni\":{\"ips\":[\"10.0.0.9\"]}}}"

static void args_are_mended(void **state)
{
	static const struct {
		const char *args, *config, *want;
	} cases[] = {
		{ "", PLAIN, "" },
		{ "", WITH_RUNTIME_IPS, "" },
		/* the keys of an orchestrator are nothing to fail on */
		{ "K8S_POD_NAME=x", PLAIN, "IgnoreUnknown=1;K8S_POD_NAME=x" },
		{ "IgnoreUnknown=1;K8S_POD_NAME=x", PLAIN, "IgnoreUnknown=1;K8S_POD_NAME=x" },
		{ "K8S_POD_NAME=x;IgnoreUnknown=true", PLAIN, "K8S_POD_NAME=x;IgnoreUnknown=true" },
		{ "IgnoreUnknown=0;A=b", PLAIN, "IgnoreUnknown=1;A=b" },
		{ "A=b;IgnoreUnknown=false", PLAIN, "IgnoreUnknown=1;A=b" },
		{ "IgnoreUnknown=", PLAIN, "IgnoreUnknown=1" },
		/* an address that is asked for only there is passed on */
		{ "IP=10.0.0.5", PLAIN, "IgnoreUnknown=1;IP=10.0.0.5" },
		{ "IgnoreUnknown=1;IP=10.0.0.5;A=b", PLAIN, "IgnoreUnknown=1;IP=10.0.0.5;A=b" },
		/* and dropped where the config has one */
		{ "IP=10.0.0.5", WITH_RUNTIME_IPS, "IgnoreUnknown=1" },
		{ "IP=10.0.0.5", WITH_ARGS_IPS, "IgnoreUnknown=1" },
		{ "IP=10.0.0.5;IgnoreUnknown=1", WITH_RUNTIME_IPS, "IgnoreUnknown=1" },
		{ "IgnoreUnknown=1;IP=10.0.0.5;A=b", WITH_ARGS_IPS, "IgnoreUnknown=1;A=b" },
		{ "IP=10.0.0.5;A=b;IP=10.0.0.6;IgnoreUnknown=1", WITH_RUNTIME_IPS,
		  "A=b;IgnoreUnknown=1" },
		{ "IPX=1;ZIP=2;IP=10.0.0.5", WITH_RUNTIME_IPS, "IgnoreUnknown=1;IPX=1;ZIP=2" },
		{ "MAC=02:00:00:00:00:01;IP=10.0.0.5", WITH_RUNTIME_IPS,
		  "IgnoreUnknown=1;MAC=02:00:00:00:00:01" },
	};
	const struct ipam_target nobody = { "", "", "" };

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct request req = { .raw_args = cases[i].args };
		struct netconf conf = parse(cases[i].config);
		char **envp = NULL;

		assert_int_equal(cni_args_parse(cases[i].args, &req.args, NULL), 0);
		assert_int_equal(ipam_env_build(&req, &conf, "ADD", &nobody, &envp, NULL), 0);
		assert_string_equal(find(envp, "CNI_ARGS"), cases[i].want);
		ipam_env_free(envp);
		netconf_done(&conf);
		request_done(&req);
	}
}

/* GC and STATUS don't parse CNI_ARGS: whatever is in there. */
static void odd_args_of_other_verbs_do_no_harm(void **state)
{
	static const char *const cases[] = { ";",   ";;;;;;;;", "A", "=", "IP=;IP=;;IgnoreUnknown=",
					     "a;b;" };
	const struct ipam_target nobody = { "", "", "" };
	struct netconf conf = parse(WITH_RUNTIME_IPS);

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct request req = { .raw_args = cases[i] };
		char **envp = NULL;

		for (int known = 0; known < 2; known++) {
			req.args.ignores_unknown = known;
			assert_int_equal(ipam_env_build(&req, &conf, "GC", &nobody, &envp, NULL),
					 0);
			ipam_env_free(envp);
		}
	}
	netconf_done(&conf);
}

static void the_config_is_rewritten_only_where_it_must(void **state)
{
	static const struct {
		const char *config;
		enum spec spec;
		const char *want; /* NULL: as it came */
	} cases[] = {
		{ "{\"cniVersion\":\"1.0.0\",\"name\":\"n\"}", SPEC_1_0_0, NULL },
		{ "{\"name\":\"n\"}", SPEC_0_2_0, NULL },
		{ "{\"cniVersion\":\"1.1.0\",\"name\":\"n\"}", SPEC_1_1_0, NULL },
		{ WITH_RUNTIME_IPS, SPEC_0_2_0, NULL },
		{ WITH_ARGS_IPS, SPEC_0_2_0, NULL },
		{ "{\"cniVersion\":\"1.1.0\",\"name\":\"n\",\"x\":{\"cniVersion\":\"1.1.0\"}}",
		  SPEC_1_0_0,
		  "{\"name\":\"n\",\"x\":{\"cniVersion\":\"1.1.0\"},"
		  "\"cniVersion\":\"1.0.0\"}" },
		{ "{\"name\":\"n\",\"ipam\":{\"type\":\"a\",\"path\":\"/x\"}}", SPEC_0_1_0,
		  "{\"name\":\"n\",\"ipam\":{\"type\":\"a\",\"path\":\"/x\"},"
		  "\"cniVersion\":\"0.1.0\"}" },
		/* of two lists of addresses only the capability's */
		{ "{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"args\":{\"cni\":{\"ips\":[\"10.0.0.9\"],"
		  "\"labels\":[1]},\"o\":2},\"runtimeConfig\":{\"ips\":[\"10.0.0.8\"]}}",
		  SPEC_1_0_0,
		  "{\"name\":\"n\",\"args\":{\"o\":2,\"cni\":{\"labels\":[1]}},"
		  "\"runtimeConfig\":{\"ips\":[\"10.0.0.8\"]},\"cniVersion\":\"1.0.0\"}" },
		/* prevResult goes along with the version, and stays away where it can't */
		{ "{\"cniVersion\":\"1.1.0\",\"name\":\"n\",\"prevResult\":{\"cniVersion\":\"1.1.0\","
		  "\"interfaces\":[{\"name\":\"a\",\"mtu\":1500}],"
		  "\"ips\":[{\"address\":\"10.0.0.2/24\"}]}}",
		  SPEC_0_4_0,
		  "{\"name\":\"n\",\"cniVersion\":\"0.4.0\",\"prevResult\":{\"cniVersion\":\"0.4.0\","
		  "\"interfaces\":[{\"name\":\"a\"}],\"ips\":[{\"version\":\"4\","
		  "\"address\":\"10.0.0.2/24\"}],\"dns\":{}}}" },
		{ "{\"cniVersion\":\"1.1.0\",\"name\":\"n\",\"prevResult\":{\"ips\":7}}",
		  SPEC_1_0_0, "{\"name\":\"n\",\"cniVersion\":\"1.0.0\"}" },
		{ "{\"cniVersion\":\"1.1.0\",\"name\":\"n\",\"prevResult\":{}}", SPEC_0_2_0,
		  "{\"name\":\"n\",\"cniVersion\":\"0.2.0\"}" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct netconf conf = parse(cases[i].config);
		struct pw_error err = {};
		char *text = NULL;

		assert_int_equal(ipam_config_build(&conf, cases[i].spec, &text, &err), 0);
		if (cases[i].want)
			assert_string_equal(text, cases[i].want);
		else
			assert_null(text);
		free(text);
		netconf_done(&conf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_call_is_in_its_environment_and_the_rest_is_ours),
		cmocka_unit_test(args_are_mended),
		cmocka_unit_test(odd_args_of_other_verbs_do_no_harm),
		cmocka_unit_test(the_config_is_rewritten_only_where_it_must),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
