/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading routes: lookups and dumps. */
#include "test.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "ns.h"
#include "rtnl/route.h"
#include "rtnl_lab.h"

static int lookup(struct rtnl_lab *lab, const char *dst, struct route_lookup *ret)
{
	struct ipaddr a;

	assert_int_equal(ipaddr_parse(dst, &a), 0);
	lab->err = (struct pw_error){};
	*ret = (struct route_lookup){ .ifindex = 42 };
	return route_lookup(lab->pod, &a, ret, &lab->err);
}

static void a_lookup_goes_as_traffic_does(void **state)
{
	struct rtnl_lab *lab = *state;
	static const struct {
		const char *dst, *src;
		bool eth0; /* or eth1 */
	} cases[] = {
		{ "10.1.0.9", "10.1.0.2", true },  { "192.0.2.1", "10.1.0.2", true },
		{ "10.9.0.1", "10.2.0.2", false }, { "10.8.0.1", "10.2.0.2", false },
		{ "fd00::9", "fd00::2", true },    { "2001:db8::1", "fd00::2", true },
		{ "fd09::1", "fd02::2", false },
	};

	ns_run(lab->pod_fd,
	       "ip link add eth1 type bridge; ip link set eth1 up; "
	       "ip addr add 10.1.0.2/24 dev eth0; ip addr add 10.2.0.2/24 dev eth1; "
	       "ip addr add fd00::2/64 dev eth0 nodad; ip addr add fd02::2/64 dev eth1 nodad; "
	       "ip route add default via 10.1.0.1; ip route add 10.9.0.0/16 via 10.2.0.1; "
	       "ip -6 route add default via fd00::1; ip -6 route add fd09::/64 via fd02::1; "
	       "ip rule add to 10.8.0.0/16 table 77; ip route add default via 10.2.0.1 table 77");
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct route_lookup found;

		if (lookup(lab, cases[i].dst, &found) != 1)
			fail_msg("%s: %s", cases[i].dst, lab->err.msg);
		assert_int_equal(found.ifindex == lab->pod_link.ifindex, cases[i].eth0);
		assert_string_equal(IPADDR_STR(&found.src), cases[i].src);
	}
}

static void where_there_is_no_way_there_is_none(void **state)
{
	static const char *const cases[] = {
		"10.50.0.1", "10.51.0.1", "10.52.0.1",   "10.1.0.2",  "192.0.2.1", "fd50::1",
		"fd51::1",   "fd52::1",   "2001:db8::1", "127.0.0.1", "::1",
	};
	struct rtnl_lab *lab = *state;

	ns_run(lab->pod_fd,
	       "ip addr add 10.1.0.2/32 dev eth0; "
	       "ip route add unreachable 10.50.0.0/16; ip route add prohibit 10.51.0.0/16; "
	       "ip route add blackhole 10.52.0.0/16; ip route add unreachable fd50::/16; "
	       "ip route add prohibit fd51::/16; ip route add blackhole fd52::/16");
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct route_lookup found;

		if (lookup(lab, cases[i], &found) != 0)
			fail_msg("%s has a route, or: %s", cases[i], lab->err.msg);
	}
}

/* A node that was booted with ipv6.disable=1 has no routes of that family, and answers so. */
static void a_family_that_the_kernel_lacks_has_no_routes(void **state)
{
	const struct ipaddr nowhere = { .family = AF_X25, .b = { 1 } };
	struct rtnl_lab *lab = *state;
	struct route_lookup found = { .ifindex = 42 };

	if (route_lookup(lab->pod, &nowhere, &found, &lab->err) != 0)
		fail_msg("%s", lab->err.msg);
	assert_int_equal(found.ifindex, 42);
}

/* What a dump has shown, a line each. */
struct listing {
	char text[8192];
	size_t n;
};

static int take(const struct route_info *r, void *arg)
{
	struct listing *l = arg;
	size_t len = strlen(l->text);

	if (!r) {
		*l = (struct listing){};
		return 0;
	}
	l->n++;
	if (r->type == RTN_UNICAST && r->protocol != RTPROT_KERNEL)
		snprintf(l->text + len, sizeof(l->text) - len,
			 "%s%s%s dev %d table %u metric %u proto %u\n", CIDR_STR(&r->dst),
			 r->gateway.family ? " via " : "",
			 r->gateway.family ? IPADDR_STR(&r->gateway) : "", r->ifindex, r->table,
			 r->metric, r->protocol);
	return 0;
}

static void a_dump_shows_all_of_a_route(void **state)
{
	struct rtnl_lab *lab = *state;
	int dev = lab->pod_link.ifindex;
	struct listing l = {};
	char want[1000];

	ns_run(lab->pod_fd,
	       "ip addr add 10.1.0.2/24 dev eth0; ip addr add fd00::2/64 dev eth0 nodad; "
	       "ip route add default via 10.1.0.1 metric 5 proto static; "
	       "ip route add 10.9.0.0/16 dev eth0 proto 77; "
	       "ip route add 10.8.0.0/16 via 10.1.0.1 table 1000 proto static; "
	       "ip route add 10.7.0.0/16 proto static nexthop via 10.1.0.7 nexthop via 10.1.0.8; "
	       "ip -6 route add default via fd00::1 proto ra; "
	       "ip -6 route add fd07::/64 proto static nexthop via fd00::7 nexthop via fd00::8");
	rtnl_lab_ok(lab, route_dump(lab->pod, AF_INET, 0, take, &l, &lab->err));
	snprintf(want, sizeof(want),
		 "10.8.0.0/16 via 10.1.0.1 dev %d table 1000 metric 0 proto 4\n"
		 "0.0.0.0/0 via 10.1.0.1 dev %d table 254 metric 5 proto 4\n"
		 "10.7.0.0/16 via 10.1.0.7 dev %d table 254 metric 0 proto 4\n"
		 "10.9.0.0/16 dev %d table 254 metric 0 proto 77\n",
		 dev, dev, dev, dev);
	assert_string_equal(l.text, want);

	l = (struct listing){};
	rtnl_lab_ok(lab, route_dump(lab->pod, AF_INET6, RT_TABLE_MAIN, take, &l, &lab->err));
	snprintf(want, sizeof(want),
		 "fd07::/64 via fd00::7 dev %d table 254 metric 1024 proto 4\n"
		 "::/0 via fd00::1 dev %d table 254 metric 1024 proto 9\n",
		 dev, dev);
	assert_string_equal(l.text, want);
}

static void a_dump_is_of_a_table_or_of_all(void **state)
{
	static const struct {
		uint32_t table;
		const char *has;
	} cases[] = {
		{ RT_TABLE_MAIN, "10.9.0.0/16" },
		{ 100, "10.8.0.0/16" },
		{ 70000, "10.7.0.0/16" },
		{ 4711, "" },
	};
	struct rtnl_lab *lab = *state;
	struct listing l = {};

	ns_run(lab->pod_fd, "ip route add 10.9.0.0/16 dev eth0; "
			    "ip route add 10.8.0.0/16 dev eth0 table 100; "
			    "ip route add 10.7.0.0/16 dev eth0 table 70000");
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		l = (struct listing){};
		rtnl_lab_ok(lab,
			    route_dump(lab->pod, AF_INET, cases[i].table, take, &l, &lab->err));
		assert_int_equal(strncmp(l.text, cases[i].has, strlen(cases[i].has)), 0);
		assert_int_equal(l.n, *cases[i].has != '\0');
	}
	l = (struct listing){};
	rtnl_lab_ok(lab, route_dump(lab->pod, AF_INET, 0, take, &l, &lab->err));
	for (size_t i = 0; i < 3; i++)
		assert_non_null(strstr(l.text, cases[i].has));
	l = (struct listing){};
	rtnl_lab_ok(lab, route_dump(lab->pod, AF_INET6, 4711, take, &l, &lab->err));
	assert_int_equal(l.n, 0);
}

/* More than one datagram of them. */
static void a_dump_of_many_is_whole(void **state)
{
	struct rtnl_lab *lab = *state;
	struct listing l = {};

	ns_run(lab->pod_fd, "for i in $(seq 0 9); do for j in $(seq 0 199); do "
			    "echo route add 10.$i.$j.0/24 dev eth0 table 50; done; done | "
			    "ip -batch -");
	rtnl_lab_ok(lab, route_dump(lab->pod, AF_INET, 50, take, &l, &lab->err));
	assert_int_equal(l.n, 2000);
}

static int give_up(const struct route_info *r, void *arg)
{
	(void)r;
	++*(int *)arg;
	return -EPIPE;
}

static void a_reader_can_end_a_dump(void **state)
{
	struct rtnl_lab *lab = *state;
	int calls = 0;

	assert_int_equal(route_dump(lab->pod, AF_INET, 0, give_up, &calls, &lab->err), -EPIPE);
	assert_int_equal(calls, 1);
	assert_string_equal(lab->err.msg, "cannot list routes: Broken pipe");
}

int main(void)
{
#define WITH_LAB(test) cmocka_unit_test_setup_teardown(test, rtnl_lab_setup, rtnl_lab_teardown)
	const struct CMUnitTest tests[] = {
		WITH_LAB(a_lookup_goes_as_traffic_does),
		WITH_LAB(where_there_is_no_way_there_is_none),
		WITH_LAB(a_family_that_the_kernel_lacks_has_no_routes),
		WITH_LAB(a_dump_shows_all_of_a_route),
		WITH_LAB(a_dump_is_of_a_table_or_of_all),
		WITH_LAB(a_dump_of_many_is_whole),
		WITH_LAB(a_reader_can_end_a_dump),
	};
	int r = ns_isolate();

	return r ? r : cmocka_run_group_tests(tests, NULL, NULL);
}
