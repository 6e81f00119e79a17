/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "request.h"

static void what_a_kubelet_passes_is_read(void **state)
{
	static const char text[] = "IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-0;"
				   "K8S_POD_INFRA_CONTAINER_ID=0123;K8S_POD_UID=1-2-3";
	struct cni_args args = {};

	(void)state;
	assert_int_equal(cni_args_parse(text, &args, NULL), 0);
	assert_string_equal(args.pod_namespace, "default");
	assert_string_equal(args.pod_name, "web-0");
	assert_string_equal(args.pod_uid, "1-2-3");
	assert_true(args.ignores_unknown);
	assert_false(args.has_mac);
	assert_int_equal(args.ip.ip.family, 0);
	cni_args_done(&args);
	assert_null(args.text);
}

static void nothing_is_nothing(void **state)
{
	struct cni_args args = { .has_mac = true };

	(void)state;
	assert_int_equal(cni_args_parse("", &args, NULL), 0);
	assert_null(args.pod_name);
	assert_false(args.has_mac);
	assert_false(args.ignores_unknown);
	cni_args_done(&args);
}

static void a_requested_address_is_read(void **state)
{
	static const struct {
		const char *text, *ip;
	} cases[] = {
		{ "IP=10.0.0.5", "10.0.0.5/32" },
		{ "A=b;IP=10.0.0.5/24", "10.0.0.5/24" },
		{ "IP=fd00::5", "fd00::5/128" },
		{ "IP=10.0.0.5;IP=10.0.0.6", "10.0.0.6/32" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct cni_args args = {};

		assert_int_equal(cni_args_parse(cases[i].text, &args, NULL), 0);
		assert_string_equal(CIDR_STR(&args.ip), cases[i].ip);
		cni_args_done(&args);
	}
}

static void a_requested_mac_is_read(void **state)
{
	struct cni_args args = {};

	(void)state;
	assert_int_equal(cni_args_parse("MAC=02:00:00:AA:00:01", &args, NULL), 0);
	assert_true(args.has_mac);
	assert_string_equal(MAC_STR(&args.mac), "02:00:00:aa:00:01");
	cni_args_done(&args);
}

static void keys_of_others_are_theirs(void **state)
{
	static const char *const cases[] = {
		"FOO=bar",
		"FOO=;BAR=",
		"K8S_ANYTHING=x",
		"ip=not-ours;mac=neither",
		"io.kubernetes.cri.pod-annotations={\"a\":\"b\"}",
		"IgnoreUnknown=0;X=y",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct cni_args args = {};

		assert_int_equal(cni_args_parse(cases[i], &args, NULL), 0);
		assert_false(args.ignores_unknown);
		assert_null(args.pod_name);
		cni_args_done(&args);
	}
}

static void ignore_unknown_is_a_boolean(void **state)
{
	static const struct {
		const char *text;
		bool is;
	} cases[] = {
		{ "IgnoreUnknown=1", true },
		{ "IgnoreUnknown=true", true },
		{ "IgnoreUnknown=TRUE", true },
		{ "IgnoreUnknown=0", false },
		{ "IgnoreUnknown=false", false },
		{ "IgnoreUnknown=", false },
		{ "IgnoreUnknown=1;IgnoreUnknown=0", false },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct cni_args args = {};

		assert_int_equal(cni_args_parse(cases[i].text, &args, NULL), 0);
		assert_int_equal(args.ignores_unknown, cases[i].is);
		cni_args_done(&args);
	}
}

static void what_is_malformed_is_named(void **state)
{
	static const struct {
		const char *text, *msg;
	} cases[] = {
		{ "A", "\"A\" is not KEY=VALUE" },
		{ "A=b=c", "\"A=b=c\" is not KEY=VALUE" },
		{ "=b", "\"=b\" is not KEY=VALUE" },
		{ "=", "\"=\" is not KEY=VALUE" },
		{ ";", "\"\" is not KEY=VALUE" },
		{ "A=b;", "\"\" is not KEY=VALUE" },
		{ ";A=b", "\"\" is not KEY=VALUE" },
		{ "A=b;;C=d", "\"\" is not KEY=VALUE" },
		{ "A=b;C", "\"C\" is not KEY=VALUE" },
		{ "IP=10.0.0", "IP \"10.0.0\" is not an address" },
		{ "IP=10.0.0.1/33", "IP \"10.0.0.1/33\" is not an address" },
		{ "IP=10.0.0.1,10.0.0.2", "IP \"10.0.0.1,10.0.0.2\" is not an address" },
		{ "MAC=2", "MAC \"2\" is not a unicast MAC address" },
		{ "MAC=01:00:5e:00:00:01",
		  "MAC \"01:00:5e:00:00:01\" is not a unicast MAC address" },
		{ "K8S_POD_NAME=x;MAC=", "MAC \"\" is not a unicast MAC address" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct cni_args args = { .pod_name = "before" };
		struct pw_error err = {};

		assert_int_equal(cni_args_parse(cases[i].text, &args, &err), -EINVAL);
		assert_string_equal(err.msg, cases[i].msg);
		assert_int_equal(err.code, PW_E_ENV);
		assert_string_equal(args.pod_name, "before");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_kubelet_passes_is_read),
		cmocka_unit_test(nothing_is_nothing),
		cmocka_unit_test(a_requested_address_is_read),
		cmocka_unit_test(a_requested_mac_is_read),
		cmocka_unit_test(keys_of_others_are_theirs),
		cmocka_unit_test(ignore_unknown_is_a_boolean),
		cmocka_unit_test(what_is_malformed_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
