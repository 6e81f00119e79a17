/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "plan.h"

/* What goes in, as text, and what comes out of it: a line an item, as print_plan() has them. */
struct row {
	const char *config; /* members behind the name */
	const char *given;  /* members of IPAM's result */
	const char *plan;
};

static void print_route(FILE *f, const struct route *r)
{
	(void)fprintf(f, " %s", CIDR_STR(&r->dst));
	if (r->gateway.family)
		(void)fprintf(f, " via %s", IPADDR_STR(&r->gateway));
	if (r->onlink)
		(void)fprintf(f, " onlink");
	if (r->src.family)
		(void)fprintf(f, " src %s", IPADDR_STR(&r->src));
	if (r->scope != RT_SCOPE_UNIVERSE)
		(void)fprintf(f, " scope %s", r->scope == RT_SCOPE_LINK ? "link" : "?");
	if (r->metric)
		(void)fprintf(f, " metric %u", r->metric);
	if (r->table)
		(void)fprintf(f, " table %u", r->table);
	if (r->mtu)
		(void)fprintf(f, " mtu %u", r->mtu);
	if (r->advmss)
		(void)fprintf(f, " advmss %u", r->advmss);
	if (r->ifindex)
		(void)fprintf(f, " ifindex %d", r->ifindex);
}

static void print_plan(FILE *f, const struct plan *p)
{
	const struct cidr *address = p->addresses.v, *excluded = p->masq_exclude.v;
	const struct plan_route *pod = p->pod_routes.v;
	const struct ipaddr *gateway = p->gateways.v;
	const struct route *host = p->host_routes.v;

	for (size_t i = 0; i < p->addresses.n; i++)
		(void)fprintf(f, "address %s\n", CIDR_STR(&address[i]));
	for (size_t i = 0; i < p->gateways.n; i++)
		(void)fprintf(f, "neighbour %s\n", IPADDR_STR(&gateway[i]));
	for (size_t i = 0; i < p->pod_routes.n; i++) {
		(void)fprintf(f, "pod");
		print_route(f, &pod[i].route);
		(void)fprintf(f, "%s\n", pod[i].may_shift ? " shifts" : "");
	}
	for (size_t i = 0; i < p->host_routes.n; i++) {
		(void)fprintf(f, "host");
		print_route(f, &host[i]);
		(void)fprintf(f, "\n");
	}
	for (size_t i = 0; i < p->masq_exclude.n; i++)
		(void)fprintf(f, "keep %s\n", CIDR_STR(&excluded[i]));
	(void)fprintf(f, "%s%srp_filter %d\n", p->family[0] ? "v4 " : "", p->family[1] ? "v6 " : "",
		      p->rp_filter);
}

/* A network, a node with both families and a pod: everything that a plan is made of. */
struct world {
	struct netconf conf;
	struct facts facts;
	struct result given;
	struct plan plan;
};

static void open_world(struct world *w, const char *config, const char *given)
{
	struct pw_error err = {};
	struct json_object *v = NULL;
	char text[1000];

	*w = (struct world){ .facts = { .mtu = 1500 }, .plan = { .mtu = 1500 } };
	assert_int_equal(ipaddr_parse("192.0.2.1", &w->facts.source[0]), 0);
	assert_int_equal(ipaddr_parse("2001:db8::1", &w->facts.source[1]), 0);
	snprintf(text, sizeof(text), "{\"name\":\"n\"%s%s}", *config ? "," : "", config);
	if (netconf_parse(text, strlen(text), &w->conf, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	snprintf(text, sizeof(text), "{%s}", given);
	assert_int_equal(jdec_parse(text, strlen(text), "test", &v, NULL), 0);
	if (result_decode(v, SPEC_1_1_0, "given", PW_E_IPAM, &w->given, &err) < 0)
		fail_msg("%s", err.msg);
	json_object_put(v);
}

static void close_world(struct world *w)
{
	plan_done(&w->plan);
	result_done(&w->given);
	netconf_done(&w->conf);
}

static void assert_plans(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char text[4000] = "";
		FILE *f = fmemopen(text, sizeof(text), "w");
		struct pw_error err = {};
		struct world w;

		assert_non_null(f);
		open_world(&w, rows[i].config, rows[i].given);
		if (plan_network(&w.conf, &w.facts, &w.given, &w.plan, &err) < 0)
			fail_msg("row %zu: %s", i, err.msg);
		print_plan(f, &w.plan);
		(void)fclose(f);
		assert_string_equal(text, rows[i].plan);
		close_world(&w);
	}
}

#define IPAM_GATEWAY "\"gateway\":\"ipam\""
#define IP4 "\"ips\":[{\"address\":\"10.1.0.2/24\",\"gateway\":\"10.1.0.1\"}]"
#define IP6 "\"ips\":[{\"address\":\"fd00::2/64\",\"gateway\":\"fd00::1\"}]"
#define BOTH                                                               \
	"\"ips\":[{\"address\":\"10.1.0.2/24\",\"gateway\":\"10.1.0.1\"}," \
	"{\"address\":\"fd00::2/64\",\"gateway\":\"fd00::1\"}]"
#define TO_GATEWAY4 "pod 169.254.1.1/32 src 10.1.0.2 scope link shifts\n"
#define HOST4 "host 10.1.0.2/32 src 192.0.2.1 scope link\n"
#define HOST6 "host fd00::2/128 src 2001:db8::1\n"

static void the_gateway_is_link_local_or_ipams(void **state)
{
	static const struct row rows[] = {
		{ "", IP4,
		  "address 10.1.0.2/24\nneighbour 169.254.1.1\n" TO_GATEWAY4
		  "pod 10.1.0.0/24 via 169.254.1.1 onlink src 10.1.0.2 shifts\n" HOST4
		  "v4 rp_filter 1\n" },
		{ "\"gateway\":\"linklocal\"", IP6,
		  "address fd00::2/64\nneighbour fe80::1\n"
		  "pod fd00::/64 via fe80::1 onlink src fd00::2 shifts\n" HOST6
		  "v6 rp_filter -1\n" },
		{ IPAM_GATEWAY, IP4,
		  "address 10.1.0.2/24\nneighbour 10.1.0.1\n"
		  "pod 10.1.0.1/32 src 10.1.0.2 scope link shifts\n"
		  "pod 10.1.0.0/24 via 10.1.0.1 onlink src 10.1.0.2 shifts\n" HOST4
		  "v4 rp_filter 1\n" },
		{ IPAM_GATEWAY, IP6,
		  "address fd00::2/64\nneighbour fd00::1\n"
		  "pod fd00::1/128 src fd00::2 shifts\n"
		  "pod fd00::/64 via fd00::1 onlink src fd00::2 shifts\n" HOST6
		  "v6 rp_filter -1\n" },
		{ IPAM_GATEWAY, "\"ips\":[{\"address\":\"fd00::2/64\",\"gateway\":\"fe80::9\"}]",
		  "address fd00::2/64\nneighbour fe80::9\n"
		  "pod fd00::/64 via fe80::9 onlink src fd00::2 shifts\n" HOST6
		  "v6 rp_filter -1\n" },
	};

	(void)state;
	assert_plans(rows, TEST_COUNT(rows));
}

static void an_address_of_its_own_has_no_subnet(void **state)
{
	static const struct row rows[] = {
		{ "", "\"ips\":[{\"address\":\"10.1.0.2/32\"}]",
		  "address 10.1.0.2/32\nneighbour 169.254.1.1\n" TO_GATEWAY4 HOST4
		  "v4 rp_filter 1\n" },
		{ "", "\"ips\":[{\"address\":\"fd00::2/128\"}]",
		  "address fd00::2/128\nneighbour fe80::1\n" HOST6 "v6 rp_filter -1\n" },
		{ "", "\"ips\":[{\"address\":\"10.1.0.2/31\"}]",
		  "address 10.1.0.2/31\nneighbour 169.254.1.1\n" TO_GATEWAY4
		  "pod 10.1.0.2/31 via 169.254.1.1 onlink src 10.1.0.2 shifts\n" HOST4
		  "v4 rp_filter 1\n" },
	};

	(void)state;
	assert_plans(rows, TEST_COUNT(rows));
}

static void a_pod_may_have_no_address(void **state)
{
	static const struct row rows[] = {
		{ "", "", "rp_filter -1\n" },
		{ "\"ipMasq\":true", "", "rp_filter -1\n" },
		{ "", "\"routes\":[{\"dst\":\"0.0.0.0/0\"}]", "rp_filter -1\n" },
	};

	(void)state;
	assert_plans(rows, TEST_COUNT(rows));
}

static void several_addresses_share_gateways_and_subnets(void **state)
{
	static const struct row rows[] = {
		{ "", BOTH,
		  "address 10.1.0.2/24\naddress fd00::2/64\nneighbour 169.254.1.1\nneighbour "
		  "fe80::1\n" TO_GATEWAY4
		  "pod 10.1.0.0/24 via 169.254.1.1 onlink src 10.1.0.2 shifts\n"
		  "pod fd00::/64 via fe80::1 onlink src fd00::2 shifts\n" HOST4 HOST6
		  "v4 v6 rp_filter 1\n" },
		{ "",
		  "\"ips\":[{\"address\":\"10.1.0.2/24\"},{\"address\":\"10.1.0.3/24\"},"
		  "{\"address\":\"10.2.0.2/24\"}]",
		  "address 10.1.0.2/24\naddress 10.1.0.3/24\naddress 10.2.0.2/24\n"
		  "neighbour 169.254.1.1\n" TO_GATEWAY4
		  "pod 10.1.0.0/24 via 169.254.1.1 onlink src 10.1.0.2 shifts\n"
		  "pod 10.2.0.0/24 via 169.254.1.1 onlink src 10.2.0.2 shifts\n" HOST4
		  "host 10.1.0.3/32 src 192.0.2.1 scope link\n"
		  "host 10.2.0.2/32 src 192.0.2.1 scope link\nv4 rp_filter 1\n" },
	};

	(void)state;
	assert_plans(rows, TEST_COUNT(rows));
}

static void ipams_routes_go_through_the_gateway(void **state)
{
#define SUBNET4                                                    \
	"address 10.1.0.2/24\nneighbour 169.254.1.1\n" TO_GATEWAY4 \
	"pod 10.1.0.0/24 via 169.254.1.1 onlink src 10.1.0.2 shifts\n"
	static const struct row rows[] = {
		/* whatever gateway IPAM names with them */
		{ "",
		  IP4 ",\"routes\":[{\"dst\":\"0.0.0.0/0\"},{\"dst\":\"10.9.0.0/16\","
		      "\"gw\":\"10.1.0.7\"}]",
		  SUBNET4 "pod 0.0.0.0/0 via 169.254.1.1 onlink src 10.1.0.2\n"
			  "pod 10.9.0.0/16 via 169.254.1.1 onlink src 10.1.0.2\n" HOST4
			  "v4 rp_filter 1\n" },
		/* in mode "ipam" the one that it names, or else the address's */
		{ IPAM_GATEWAY,
		  IP4 ",\"routes\":[{\"dst\":\"0.0.0.0/0\"},{\"dst\":\"10.9.0.0/16\","
		      "\"gw\":\"10.1.0.7\"}]",
		  "address 10.1.0.2/24\nneighbour 10.1.0.1\nneighbour 10.1.0.7\n"
		  "pod 10.1.0.1/32 src 10.1.0.2 scope link shifts\n"
		  "pod 10.1.0.0/24 via 10.1.0.1 onlink src 10.1.0.2 shifts\n"
		  "pod 0.0.0.0/0 via 10.1.0.1 onlink src 10.1.0.2\n"
		  "pod 10.1.0.7/32 src 10.1.0.2 scope link shifts\n"
		  "pod 10.9.0.0/16 via 10.1.0.7 onlink src 10.1.0.2\n" HOST4 "v4 rp_filter 1\n" },
		/* a route of a family that the pod hasn't is nothing to it */
		{ "", IP4 ",\"routes\":[{\"dst\":\"::/0\"}]", SUBNET4 HOST4 "v4 rp_filter 1\n" },
		{ IPAM_GATEWAY, IP6 ",\"routes\":[{\"dst\":\"0.0.0.0/0\"}]",
		  "address fd00::2/64\nneighbour fd00::1\npod fd00::1/128 src fd00::2 shifts\n"
		  "pod fd00::/64 via fd00::1 onlink src fd00::2 shifts\n" HOST6
		  "v6 rp_filter -1\n" },
		/* the numbers of 1.1.0; scope is the kernel's to derive */
		{ "",
		  IP4 ",\"routes\":[{\"dst\":\"10.9.0.0/16\",\"mtu\":1300,\"advmss\":1200,"
		      "\"priority\":7,\"table\":100,\"scope\":253}]",
		  SUBNET4 "pod 10.9.0.0/16 via 169.254.1.1 onlink src 10.1.0.2 metric 7 table 100 "
			  "mtu 1300 advmss 1200\n" HOST4 "v4 rp_filter 1\n" },
		/* the same twice is once, another table or metric is another */
		{ "",
		  IP4 ",\"routes\":[{\"dst\":\"10.1.0.0/24\"},{\"dst\":\"0.0.0.0/0\"},"
		      "{\"dst\":\"0.0.0.0/0\"},{\"dst\":\"0.0.0.0/0\",\"priority\":5},"
		      "{\"dst\":\"0.0.0.0/0\",\"table\":5}]",
		  SUBNET4 "pod 0.0.0.0/0 via 169.254.1.1 onlink src 10.1.0.2\n"
			  "pod 0.0.0.0/0 via 169.254.1.1 onlink src 10.1.0.2 metric 5\n"
			  "pod 0.0.0.0/0 via 169.254.1.1 onlink src 10.1.0.2 table 5\n" HOST4
			  "v4 rp_filter 1\n" },
	};

	(void)state;
	assert_plans(rows, TEST_COUNT(rows));
}

static void a_route_metric_is_of_all_routes_without_one(void **state)
{
	static const struct row rows[] = {
		{ "\"routeMetric\":50",
		  IP4 ",\"routes\":[{\"dst\":\"0.0.0.0/0\"},{\"dst\":\"10.9.0.0/16\","
		      "\"priority\":0}]",
		  "address 10.1.0.2/24\nneighbour 169.254.1.1\n" TO_GATEWAY4
		  "pod 10.1.0.0/24 via 169.254.1.1 onlink src 10.1.0.2 metric 50 shifts\n"
		  "pod 0.0.0.0/0 via 169.254.1.1 onlink src 10.1.0.2 metric 50\n"
		  "pod 10.9.0.0/16 via 169.254.1.1 onlink src 10.1.0.2\n" HOST4
		  "v4 rp_filter 1\n" },
		{ "\"routeMetric\":0", IP4 ",\"routes\":[{\"dst\":\"0.0.0.0/0\"}]",
		  "address 10.1.0.2/24\nneighbour 169.254.1.1\n" TO_GATEWAY4
		  "pod 10.1.0.0/24 via 169.254.1.1 onlink src 10.1.0.2 shifts\n"
		  "pod 0.0.0.0/0 via 169.254.1.1 onlink src 10.1.0.2\n" HOST4 "v4 rp_filter 1\n" },
	};

	(void)state;
	assert_plans(rows, TEST_COUNT(rows));
}

static void masquerading_spares_own_subnets_and_multicast(void **state)
{
#define PLAIN "address 10.1.0.2/32\nneighbour 169.254.1.1\n" TO_GATEWAY4 HOST4
	static const struct row rows[] = {
		{ "\"ipMasq\":true", "\"ips\":[{\"address\":\"10.1.0.2/32\"}]",
		  PLAIN "keep 224.0.0.0/4\nkeep ff00::/8\nv4 rp_filter 1\n" },
		{ "\"ipMasq\":true,\"masqExclude\":[\"10.0.0.0/8\",\"fd00::/8\"]",
		  "\"ips\":[{\"address\":\"10.1.0.2/32\"}]",
		  PLAIN "keep 10.0.0.0/8\nkeep fd00::/8\nkeep 224.0.0.0/4\n"
			"keep ff00::/8\nv4 rp_filter 1\n" },
		{ "\"ipMasq\":true", BOTH,
		  "address 10.1.0.2/24\naddress fd00::2/64\nneighbour 169.254.1.1\nneighbour "
		  "fe80::1\n" TO_GATEWAY4
		  "pod 10.1.0.0/24 via 169.254.1.1 onlink src 10.1.0.2 shifts\n"
		  "pod fd00::/64 via fe80::1 onlink src fd00::2 shifts\n" HOST4 HOST6
		  "keep 10.1.0.0/24\nkeep fd00::/64\nkeep 224.0.0.0/4\nkeep ff00::/8\n"
		  "v4 v6 rp_filter 1\n" },
		{ "\"masqExclude\":[\"10.0.0.0/8\"]", "\"ips\":[{\"address\":\"10.1.0.2/32\"}]",
		  PLAIN "v4 rp_filter 1\n" },
	};

	(void)state;
	assert_plans(rows, TEST_COUNT(rows));
}

static void rp_filter_stands_in_for_the_source_check(void **state)
{
	static const struct row rows[] = {
		{ "\"sourceCheck\":true", "\"ips\":[{\"address\":\"10.1.0.2/32\"}]",
		  PLAIN "v4 rp_filter 1\n" },
		{ "\"sourceCheck\":false", "\"ips\":[{\"address\":\"10.1.0.2/32\"}]",
		  PLAIN "v4 rp_filter 0\n" },
		{ "\"allowedSources\":[\"10.9.0.0/16\"]", "\"ips\":[{\"address\":\"10.1.0.2/32\"}]",
		  PLAIN "v4 rp_filter 0\n" },
		{ "\"allowedSources\":[]", "\"ips\":[{\"address\":\"10.1.0.2/32\"}]",
		  PLAIN "v4 rp_filter 1\n" },
	};

	(void)state;
	assert_plans(rows, TEST_COUNT(rows));
}

/* A node of one family, or without a route at all. */
static void without_an_own_address_the_node_sends_from_what_it_likes(void **state)
{
	char text[1000] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");
	struct world w;

	(void)state;
	open_world(&w, "", "\"ips\":[{\"address\":\"10.1.0.2/32\"}]");
	w.facts.source[0] = (struct ipaddr){};
	assert_int_equal(plan_network(&w.conf, &w.facts, &w.given, &w.plan, NULL), 0);
	print_plan(f, &w.plan);
	(void)fclose(f);
	assert_non_null(strstr(text, "host 10.1.0.2/32 scope link\n"));
	close_world(&w);
}

static void what_cannot_be_is_refused(void **state)
{
	static const struct {
		const char *config, *given, *msg;
		enum pw_code code;
		uint32_t mtu;
	} cases[] = {
		{ "", "\"ips\":[{\"address\":\"0.0.0.0/0\"}]",
		  "IPAM gave 0.0.0.0/0, which no pod can have", PW_E_IPAM, 1500 },
		{ "", "\"ips\":[{\"address\":\"::/64\"}]", "IPAM gave ::/64, which no pod can have",
		  PW_E_IPAM, 1500 },
		{ "", "\"ips\":[{\"address\":\"224.0.0.1/24\"}]",
		  "IPAM gave 224.0.0.1/24, which no pod can have", PW_E_IPAM, 1500 },
		{ "", "\"ips\":[{\"address\":\"10.0.0.1/8\"},{\"address\":\"ff02::1/128\"}]",
		  "IPAM gave ff02::1/128, which no pod can have", PW_E_IPAM, 1500 },
		{ "", IP6, "mtu: 1279 is too small for IPv6, which needs 1280", PW_E_CONFIG, 1279 },
		{ "", BOTH, "mtu: 68 is too small for IPv6, which needs 1280", PW_E_CONFIG, 68 },
		{ IPAM_GATEWAY, "\"ips\":[{\"address\":\"10.1.0.2/24\"}]",
		  "IPAM gave no gateway for 10.1.0.2/24, and the network says gateway: ipam",
		  PW_E_IPAM, 1500 },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct pw_error err = {};
		struct world w;

		open_world(&w, cases[i].config, cases[i].given);
		w.plan.mtu = cases[i].mtu;
		assert_int_equal(plan_network(&w.conf, &w.facts, &w.given, &w.plan, &err), -EINVAL);
		assert_string_equal(err.msg, cases[i].msg);
		assert_int_equal(err.code, cases[i].code);
		close_world(&w);
	}
}

static void a_small_mtu_is_enough_where_it_can_be(void **state)
{
	static const struct {
		const char *given;
		uint32_t mtu;
	} cases[] = { { IP4, 68 }, { IP4, 1279 }, { IP6, 1280 }, { BOTH, 1280 }, { "", 68 } };

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct world w;

		open_world(&w, "", cases[i].given);
		w.plan.mtu = cases[i].mtu;
		assert_int_equal(plan_network(&w.conf, &w.facts, &w.given, &w.plan, NULL), 0);
		close_world(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_gateway_is_link_local_or_ipams),
		cmocka_unit_test(an_address_of_its_own_has_no_subnet),
		cmocka_unit_test(a_pod_may_have_no_address),
		cmocka_unit_test(several_addresses_share_gateways_and_subnets),
		cmocka_unit_test(ipams_routes_go_through_the_gateway),
		cmocka_unit_test(a_route_metric_is_of_all_routes_without_one),
		cmocka_unit_test(masquerading_spares_own_subnets_and_multicast),
		cmocka_unit_test(rp_filter_stands_in_for_the_source_check),
		cmocka_unit_test(without_an_own_address_the_node_sends_from_what_it_likes),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(a_small_mtu_is_enough_where_it_can_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
