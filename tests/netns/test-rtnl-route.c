/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "ns.h"
#include "rtnl/route.h"
#include "rtnl_lab.h"

static struct ipaddr ip(const char *text)
{
	struct ipaddr a = {};

	if (text)
		assert_int_equal(ipaddr_parse(text, &a), 0);
	return a;
}

static struct route route(const struct rtnl_lab *lab, const char *dst, const char *gateway)
{
	struct route r = {
		.gateway = ip(gateway),
		.ifindex = lab->pod_link.ifindex,
		.onlink = gateway != NULL,
	};

	assert_int_equal(cidr_parse(dst, &r.dst), 0);
	return r;
}

/* eth0 has an address of each family. */
static int setup(void **state)
{
	struct rtnl_lab *lab;

	assert_int_equal(rtnl_lab_setup(state), 0);
	lab = *state;
	ns_run(lab->pod_fd, "ip addr add 10.1.0.2/24 dev eth0 noprefixroute; "
			    "ip addr add fd00::2/64 dev eth0 nodad noprefixroute");
	return 0;
}

static const char *shown(struct rtnl_lab *lab, const char *what)
{
	return rtnl_lab_text(lab->pod_fd, "ip %s route show %s", strchr(what, ':') ? "-6" : "-4",
			     what);
}

static void a_route_is_made_as_described(void **state)
{
	static const struct {
		const char *dst, *gateway, *src;
		uint32_t metric, mtu, advmss, table;
		uint8_t scope;
		const char *where, *shown;
	} cases[] = {
		{ "0.0.0.0/0", "169.254.1.1", NULL, 0, 0, 0, 0, 0, "0.0.0.0/0",
		  "default via 169.254.1.1 dev eth0 proto static onlink" },
		{ "10.9.0.0/16", "169.254.1.1", "10.1.0.2", 7, 1300, 1200, 0, 0, "10.9.0.0/16",
		  "10.9.0.0/16 via 169.254.1.1 dev eth0 proto static src 10.1.0.2 metric 7 onlink "
		  "mtu 1300 advmss 1200" },
		{ "10.8.0.1/32", NULL, "10.1.0.2", 0, 0, 0, 0, RT_SCOPE_LINK, "10.8.0.1",
		  "10.8.0.1 dev eth0 proto static scope link src 10.1.0.2" },
		{ "10.7.0.0/16", "169.254.1.1", NULL, 0, 0, 0, 100, 0, "10.7.0.0/16 table 100",
		  "10.7.0.0/16 via 169.254.1.1 dev eth0 proto static onlink" },
		{ "10.6.0.0/16", "169.254.1.1", NULL, 0, 0, 0, 100000, 0,
		  "10.6.0.0/16 table 100000",
		  "10.6.0.0/16 via 169.254.1.1 dev eth0 proto static onlink" },
		{ "::/0", "fe80::1", NULL, 0, 0, 0, 0, 0, "::/0",
		  "default via fe80::1 dev eth0 proto static metric 1024 onlink pref medium" },
		{ "fd09::/64", "fe80::1", "fd00::2", 7, 1300, 0, 0, 0, "fd09::/64",
		  "fd09::/64 via fe80::1 dev eth0 proto static src fd00::2 metric 7 onlink "
		  "mtu 1300 pref medium" },
		{ "fd08::1/128", NULL, NULL, 0, 0, 0, 0, 0, "fd08::1",
		  "fd08::1 dev eth0 proto static metric 1024 pref medium" },
		{ "fd07::/64", "fd00::99", NULL, 0, 0, 0, 0, 0, "fd07::/64",
		  "fd07::/64 via fd00::99 dev eth0 proto static metric 1024 onlink pref medium" },
	};
	struct rtnl_lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct route r = route(lab, cases[i].dst, cases[i].gateway);

		r.src = ip(cases[i].src);
		r.metric = cases[i].metric;
		r.mtu = cases[i].mtu;
		r.advmss = cases[i].advmss;
		r.table = cases[i].table;
		r.scope = cases[i].scope;
		rtnl_lab_ok(lab, route_set(lab->pod, &r, ROUTE_ADD, "eth0", &lab->err));
		assert_string_equal(shown(lab, cases[i].where), cases[i].shown);
	}
}

static void adding_what_is_there_is_an_error(void **state)
{
	static const char *const cases[][2] = { { "10.9.0.0/16", "169.254.1.1" },
						{ "fd09::/64", "fe80::1" } };
	struct rtnl_lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct route r = route(lab, cases[i][0], cases[i][1]);

		rtnl_lab_ok(lab, route_set(lab->pod, &r, ROUTE_ADD, "eth0", &lab->err));
		assert_int_equal(route_set(lab->pod, &r, ROUTE_ADD, "eth0", &lab->err), -EEXIST);
		assert_int_equal(lab->err.code, PW_E_NETLINK);
		assert_non_null(strstr(lab->err.msg, "cannot add route "));
		assert_non_null(strstr(lab->err.msg, " dev eth0: File exists"));
		/* another metric is another route */
		r.metric = 100;
		rtnl_lab_ok(lab, route_set(lab->pod, &r, ROUTE_ADD, "eth0", &lab->err));
		assert_string_equal(rtnl_lab_text(lab->pod_fd, "ip %s route show %s | wc -l",
						  i ? "-6" : "-4", cases[i][0]),
				    "2");
	}
}

/* A fixed address moves to a new pod while the old one's route is still there. */
static void replacing_leaves_one(void **state)
{
	static const struct {
		const char *dst, *gateway, *shown;
	} cases[] = {
		{ "10.9.0.1/32", NULL, "10.9.0.1 dev eth1 proto static scope link" },
		{ "fd09::1/128", NULL, "fd09::1 dev eth1 proto static metric 1024 pref medium" },
	};
	struct rtnl_lab *lab = *state;
	struct link_info other;

	ns_run(lab->pod_fd, "ip link add eth1 type bridge; ip link set eth1 up");
	assert_int_equal(link_find(lab->pod, "eth1", &other, &lab->err), 1);
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct route r = route(lab, cases[i].dst, cases[i].gateway);

		r.scope = i ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK;
		for (int twice = 0; twice < 2; twice++)
			rtnl_lab_ok(lab, route_set(lab->pod, &r, ROUTE_REPLACE, "eth0", &lab->err));
		r.ifindex = other.ifindex;
		rtnl_lab_ok(lab, route_set(lab->pod, &r, ROUTE_REPLACE, "eth1", &lab->err));
		assert_int_equal(
			strncmp(shown(lab, cases[i].dst), cases[i].shown, strlen(cases[i].shown)),
			0);
		assert_null(strchr(shown(lab, cases[i].dst), '\n'));
	}
}

static void what_cannot_be_is_told_with_all_of_it(void **state)
{
	struct rtnl_lab *lab = *state;
	struct route r = route(lab, "10.9.0.0/16", "169.254.1.1");

	r.src = ip("10.99.99.99");
	assert_int_equal(route_set(lab->pod, &r, ROUTE_ADD, "eth0", &lab->err), -EINVAL);
	assert_string_equal(lab->err.msg, "cannot add route 10.9.0.0/16 via 169.254.1.1 dev eth0 "
					  "src 10.99.99.99: Invalid argument (Invalid prefsrc "
					  "address)");
	r = route(lab, "10.9.0.0/16", "169.254.1.1");
	r.onlink = false;
	assert_int_equal(route_set(lab->pod, &r, ROUTE_ADD, "eth0", &lab->err), -ENETUNREACH);
	assert_string_equal(lab->err.msg, "cannot add route 10.9.0.0/16 via 169.254.1.1 dev eth0: "
					  "Network is unreachable (Nexthop has invalid gateway)");
	r.ifindex = 4711;
	r.gateway = (struct ipaddr){};
	nlsock_set_place(lab->pod, " in pod");
	assert_int_equal(route_set(lab->pod, &r, ROUTE_ADD, "eth7", &lab->err), -ENODEV);
	assert_non_null(strstr(lab->err.msg, "cannot add route 10.9.0.0/16 dev eth7 in pod: No "));
}

int main(void)
{
#define WITH_LAB(test) cmocka_unit_test_setup_teardown(test, setup, rtnl_lab_teardown)
	const struct CMUnitTest tests[] = {
		WITH_LAB(a_route_is_made_as_described),
		WITH_LAB(adding_what_is_there_is_an_error),
		WITH_LAB(replacing_leaves_one),
		WITH_LAB(what_cannot_be_is_told_with_all_of_it),
	};
	int r = ns_isolate();

	return r ? r : cmocka_run_group_tests(tests, NULL, NULL);
}
