/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "net/ipaddr.h"
#include "netconf.h"

static struct netconf parse(const char *text)
{
	struct netconf conf = {};
	struct pw_error err = {};

	if (netconf_parse(text, strlen(text), &conf, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return conf;
}

static const char *cidr_at(const struct array *a, size_t i)
{
	static char text[CIDR_STRLEN];

	assert_true(i < a->n);
	return cidr_format((const struct cidr *)a->v + i, text);
}

static void a_name_is_enough(void **state)
{
	static const char *const cases[] = {
		"{\"name\":\"n\"}",
		"{\"name\":\"n\",\"cniVersion\":\"\",\"ipam\":{},\"unknown\":{\"deep\":[]}}",
		"{\"name\":\"n\",\"cniVersion\":null,\"mtu\":null,\"ipam\":null,\"dns\":null,"
		"\"gateway\":null,\"hostAddress\":null,\"runtimeConfig\":null,\"args\":null,"
		"\"prevResult\":null,\"routeMetric\":null,\"runtimeDir\":null,"
		"\"cni.dev/valid-attachments\":null}",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct netconf conf = parse(cases[i]);

		assert_string_equal(conf.name, "n");
		assert_int_equal(conf.spec, SPEC_0_2_0);
		assert_string_equal(conf.runtime_dir, "/run/podwire");
		assert_string_equal(conf.state_dir, "/var/lib/podwire");
		assert_int_equal(conf.gateway, GATEWAY_LINKLOCAL);
		assert_int_equal(conf.host_address[0].family, 0);
		assert_int_equal(conf.host_address[1].family, 0);
		assert_true(conf.options.source_check);
		assert_int_equal(conf.options.mtu, 0);
		assert_false(conf.ip_masq || conf.require_agent || conf.has_route_metric ||
			     conf.has_mac || conf.has_valid_attachments);
		assert_null(conf.ipam_type);
		assert_null(conf.dns);
		assert_null(conf.prev_result);
		netconf_done(&conf);
	}
}

static void every_key_of_the_operator_is_read(void **state)
{
	struct netconf conf = parse(
		"{\"cniVersion\":\"1.0.0\",\"name\":\"pods\",\"type\":\"podwire\",\"mtu\":1400,"
		"\"ipMasq\":true,\"queues\":4,\"gateway\":\"ipam\",\"runtimeDir\":\"/run/x\","
		"\"stateDir\":\"/var/x\",\"fastPath\":\"xdp\",\"netfilter\":\"bypass\","
		"\"requireAgent\":true,\"sourceCheck\":false,\"allowedSources\":[\"192.0.2.0/24\"],"
		"\"routeMetric\":4294967295,\"hostAddress\":[\"fd00::1\",\"10.0.0.1\"],"
		"\"masqExclude\":[\"10.0.0.0/8\",\"192.0.2.7\",\"fd00::/8\"],"
		"\"ipam\":{\"type\":\"host-local\"},\"dns\":{\"nameservers\":[\"10.0.0.53\"]}}");

	(void)state;
	assert_int_equal(conf.spec, SPEC_1_0_0);
	assert_string_equal(conf.name, "pods");
	assert_string_equal(conf.type, "podwire");
	assert_int_equal(conf.options.mtu, 1400);
	assert_int_equal(conf.options.queues, 4);
	assert_int_equal(conf.options.fast_path, FAST_PATH_XDP);
	assert_int_equal(conf.options.netfilter, NETFILTER_BYPASS);
	assert_false(conf.options.source_check);
	assert_string_equal(cidr_at(&conf.options.allowed_sources, 0), "192.0.2.0/24");
	assert_true(conf.ip_masq);
	assert_true(conf.require_agent);
	assert_int_equal(conf.gateway, GATEWAY_IPAM);
	assert_string_equal(conf.runtime_dir, "/run/x");
	assert_string_equal(conf.state_dir, "/var/x");
	assert_true(conf.has_route_metric);
	assert_int_equal(conf.route_metric, UINT32_MAX);
	assert_string_equal(IPADDR_STR(&conf.host_address[0]), "10.0.0.1");
	assert_string_equal(IPADDR_STR(&conf.host_address[1]), "fd00::1");
	assert_int_equal(conf.masq_exclude.n, 3);
	assert_string_equal(cidr_at(&conf.masq_exclude, 1), "192.0.2.7/32");
	assert_string_equal(conf.ipam_type, "host-local");
	assert_non_null(conf.dns);
	netconf_done(&conf);
	netconf_done(&conf); /* once more is nothing */
}

static void host_address_is_one_or_one_a_family(void **state)
{
	static const struct {
		const char *text, *v4, *v6;
	} cases[] = {
		{ "{\"name\":\"n\",\"hostAddress\":\"10.0.0.1\"}", "10.0.0.1", "" },
		{ "{\"name\":\"n\",\"hostAddress\":\"fd00::1\"}", "", "fd00::1" },
		{ "{\"name\":\"n\",\"hostAddress\":[]}", "", "" },
		{ "{\"name\":\"n\",\"hostAddress\":[\"10.0.0.1\"]}", "10.0.0.1", "" },
		{ "{\"name\":\"n\",\"hostAddress\":[\"10.0.0.1\",\"fd00::1\"]}", "10.0.0.1",
		  "fd00::1" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct netconf conf = parse(cases[i].text);

		assert_string_equal(IPADDR_STR(&conf.host_address[0]), cases[i].v4);
		assert_string_equal(IPADDR_STR(&conf.host_address[1]), cases[i].v6);
		netconf_done(&conf);
	}
}

static void what_a_runtime_asks_for_is_read(void **state)
{
	struct netconf conf =
		parse("{\"name\":\"n\",\"runtimeConfig\":{\"ips\":[\"10.0.0.5/24\",\"fd00::5\"],"
		      "\"mac\":\"02:00:00:00:00:AA\",\"podwire\":{\"fastPath\":\"off\"},"
		      "\"portMappings\":[{\"hostPort\":80}]},"
		      "\"args\":{\"cni\":{\"ips\":[\"10.0.0.6\"],\"labels\":[{\"key\":\"a\"}]},"
		      "\"other\":7}}");

	(void)state;
	assert_int_equal(conf.runtime_ips.n, 2);
	assert_string_equal(cidr_at(&conf.runtime_ips, 0), "10.0.0.5/24");
	assert_string_equal(cidr_at(&conf.runtime_ips, 1), "fd00::5/128");
	assert_int_equal(conf.args_ips.n, 1);
	assert_string_equal(cidr_at(&conf.args_ips, 0), "10.0.0.6/32");
	assert_true(conf.has_mac);
	assert_string_equal(MAC_STR(&conf.mac), "02:00:00:00:00:aa");
	assert_int_equal(conf.options.fast_path, FAST_PATH_OFF);
	netconf_done(&conf);
}

/* The capability is the newer way to ask, whatever order the keys come in. */
static void the_capability_counts_more_than_args(void **state)
{
	static const char *const cases[] = {
		"{\"name\":\"n\",\"runtimeConfig\":{\"mac\":\"02:00:00:00:00:01\"},"
		"\"args\":{\"cni\":{\"mac\":\"02:00:00:00:00:02\"}}}",
		"{\"name\":\"n\",\"args\":{\"cni\":{\"mac\":\"02:00:00:00:00:02\"}},"
		"\"runtimeConfig\":{\"mac\":\"02:00:00:00:00:01\"}}",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct netconf conf = parse(cases[i]);

		assert_string_equal(MAC_STR(&conf.mac), "02:00:00:00:00:01");
		netconf_done(&conf);
	}
}

/* A pod may leave the fast path. It may not loosen what holds for all. */
static void a_pods_annotation_reaches_nothing_else(void **state)
{
	struct netconf conf =
		parse("{\"name\":\"n\",\"fastPath\":\"xdp\",\"runtimeConfig\":{\"podwire\":{"
		      "\"fastPath\":\"auto\",\"sourceCheck\":false,\"netfilter\":\"bypass\","
		      "\"mtu\":9000,\"allowedSources\":[\"0.0.0.0/0\"],\"ipMasq\":true}}}");

	(void)state;
	assert_int_equal(conf.options.fast_path, FAST_PATH_AUTO);
	assert_true(conf.options.source_check);
	assert_int_equal(conf.options.netfilter, NETFILTER_RESPECT);
	assert_int_equal(conf.options.mtu, 0);
	assert_int_equal(conf.options.allowed_sources.n, 0);
	assert_false(conf.ip_masq);
	netconf_done(&conf);
}

static void args_may_be_anybodys(void **state)
{
	static const char *const cases[] = {
		"{\"name\":\"n\",\"args\":\"text\"}",
		"{\"name\":\"n\",\"args\":[1]}",
		"{\"name\":\"n\",\"args\":{\"cni\":null}}",
		"{\"name\":\"n\",\"args\":{\"org.example\":{\"cni\":1}}}",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct netconf conf = parse(cases[i]);

		assert_int_equal(conf.args_ips.n, 0);
		netconf_done(&conf);
	}
}

/* No list is not an empty list: with the one GC removes nothing, with the other everything. */
static void a_missing_list_of_attachments_is_told_from_an_empty_one(void **state)
{
#define ONE "[{\"containerID\":\"one\",\"ifname\":\"eth0\"}]"
#define TWO                                          \
	"[{\"containerID\":\"a\",\"ifname\":\"b\"}," \
	"{\"containerID\":\"two\",\"ifname\":\"eth0\",\"x\":1}]"
	static const struct {
		const char *text;
		bool has;
		size_t n;
		const char *last;
	} cases[] = {
		{ "{\"name\":\"n\"}", false, 0, "" },
		{ "{\"name\":\"n\",\"cni.dev/valid-attachments\":null}", false, 0, "" },
		{ "{\"name\":\"n\",\"cni.dev/valid-attachments\":[]}", true, 0, "" },
		{ "{\"name\":\"n\",\"cni.dev/attachments\":[]}", true, 0, "" },
		{ "{\"name\":\"n\",\"cni.dev/valid-attachments\":" TWO "}", true, 2, "two" },
		{ "{\"name\":\"n\",\"cni.dev/attachments\":" TWO "}", true, 2, "two" },
		{ "{\"name\":\"n\",\"cni.dev/attachments\":" TWO
		  ",\"cni.dev/valid-attachments\":" ONE "}",
		  true, 1, "one" },
		{ "{\"name\":\"n\",\"cni.dev/valid-attachments\":[],\"cni.dev/attachments\":" TWO
		  "}",
		  true, 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct netconf conf = parse(cases[i].text);
		const struct valid_attachment *valid = conf.valid_attachments.v;

		assert_int_equal(conf.has_valid_attachments, cases[i].has);
		assert_int_equal(conf.valid_attachments.n, cases[i].n);
		if (cases[i].n)
			assert_string_equal(valid[cases[i].n - 1].container_id, cases[i].last);
		netconf_done(&conf);
	}
}

static void each_version_is_taken(void **state)
{
	char text[80];

	(void)state;
	for (enum spec s = 0; s < _SPEC_MAX; s++) {
		struct netconf conf;

		snprintf(text, sizeof(text), "{\"cniVersion\":\"%s\",\"name\":\"n\"}",
			 spec_names[s]);
		conf = parse(text);
		assert_int_equal(conf.spec, s);
		netconf_done(&conf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_enough),
		cmocka_unit_test(every_key_of_the_operator_is_read),
		cmocka_unit_test(host_address_is_one_or_one_a_family),
		cmocka_unit_test(what_a_runtime_asks_for_is_read),
		cmocka_unit_test(the_capability_counts_more_than_args),
		cmocka_unit_test(a_pods_annotation_reaches_nothing_else),
		cmocka_unit_test(args_may_be_anybodys),
		cmocka_unit_test(a_missing_list_of_attachments_is_told_from_an_empty_one),
		cmocka_unit_test(each_version_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
