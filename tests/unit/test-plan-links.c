/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <string.h>

#include "base/error.h"
#include "plan.h"

static struct request request(const char *args)
{
	struct request req = { .container_id = "cid", .ifname = "eth0" };

	assert_int_equal(cni_args_parse(args, &req.args, NULL), 0);
	return req;
}

static void names_come_from_the_identity_and_sizes_from_outside(void **state)
{
	struct netconf conf = { .name = "podwire", .options = { .queues = 4 } };
	const struct facts facts = { .mtu = 1400 };
	struct request req = request("");
	struct plan plan = {};

	(void)state;
	assert_int_equal(plan_links(&req, &conf, &facts, &plan, NULL), 0);
	assert_string_equal(plan.host_ifname, "vethpw1737b53a8");
	assert_string_equal(plan.pod_ifname, "eth0");
	assert_int_equal(plan.mtu, 1400);
	assert_int_equal(plan.queues, 4);
	request_done(&req);
}

/* The capability before CNI_ARGS before chance; the host end's is always chance. */
static void the_pods_mac_is_the_one_asked_for(void **state)
{
	static const struct mac asked = { { 2, 0, 0, 0, 0, 9 } };
	static const struct {
		bool capability;
		const char *args, *mac;
	} cases[] = {
		{ true, "MAC=02:00:00:00:00:01", "02:00:00:00:00:09" },
		{ true, "", "02:00:00:00:00:09" },
		{ false, "MAC=02:00:00:00:00:01", "02:00:00:00:00:01" },
		{ false, "", NULL },
	};
	const struct facts facts = { .mtu = 1500 };

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct netconf conf = { .name = "n", .has_mac = cases[i].capability, .mac = asked };
		struct request req = request(cases[i].args);
		struct plan a = {}, b = {};

		assert_int_equal(plan_links(&req, &conf, &facts, &a, NULL), 0);
		assert_int_equal(plan_links(&req, &conf, &facts, &b, NULL), 0);
		assert_int_equal(mac_equal(&a.pod_mac, &b.pod_mac), cases[i].mac != NULL);
		if (cases[i].mac)
			assert_string_equal(MAC_STR(&a.pod_mac), cases[i].mac);
		assert_true(mac_is_unicast(&a.host_mac));
		assert_false(mac_equal(&a.host_mac, &b.host_mac));
		assert_false(mac_equal(&a.host_mac, &a.pod_mac));
		request_done(&req);
	}
}

static void the_alias_tells_people_whose_it_is(void **state)
{
	static const struct {
		const char *args, *alias;
	} cases[] = {
		{ "K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-0", "podwire default/web-0" },
		{ "K8S_POD_NAME=web-0", "podwire cid" },
		{ "", "podwire cid" },
		{ "K8S_POD_NAMESPACE=a\nb;K8S_POD_NAME=\xc3\xa4\x1b[0m", "podwire a?b/???[0m" },
	};
	const struct facts facts = { .mtu = 1500 };
	struct netconf conf = { .name = "n" };

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct request req = request(cases[i].args);
		struct plan plan = {};

		assert_int_equal(plan_links(&req, &conf, &facts, &plan, NULL), 0);
		assert_string_equal(plan.alias, cases[i].alias);
		request_done(&req);
	}
}

static void a_long_alias_is_cut(void **state)
{
	const struct facts facts = { .mtu = 1500 };
	struct netconf conf = { .name = "n" };
	struct request req = { .container_id = "c", .ifname = "eth0" };
	struct plan plan = {};
	char name[400];

	(void)state;
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	req.args.pod_namespace = req.args.pod_name = name;
	assert_int_equal(plan_links(&req, &conf, &facts, &plan, NULL), 0);
	assert_int_equal(strlen(plan.alias), sizeof(plan.alias) - 1);
	assert_int_equal(strncmp(plan.alias, "podwire xxx", 11), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_come_from_the_identity_and_sizes_from_outside),
		cmocka_unit_test(the_pods_mac_is_the_one_asked_for),
		cmocka_unit_test(the_alias_tells_people_whose_it_is),
		cmocka_unit_test(a_long_alias_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
