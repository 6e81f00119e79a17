/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <string.h>
#include <sys/socket.h>

#include "ns.h"
#include "rtnl/addr.h"
#include "rtnl_lab.h"

#define LIST_MAX 16

/* What a dump has shown, in order. */
struct listing {
	struct addr_info addr[LIST_MAX];
	size_t n, restarts, fail_at;
};

static int take(const struct addr_info *addr, void *arg)
{
	struct listing *l = arg;

	if (!addr) {
		l->n = 0;
		l->restarts++;
		return 0;
	}
	assert_true(l->n < LIST_MAX);
	l->addr[l->n++] = *addr;
	return l->fail_at && l->n == l->fail_at ? -EPIPE : 0;
}

static struct cidr cidr(const char *text)
{
	struct cidr c;

	assert_int_equal(cidr_parse(text, &c), 0);
	return c;
}

static void add(struct rtnl_lab *lab, const char *text, bool no_prefix_route)
{
	struct cidr c = cidr(text);

	rtnl_lab_ok(lab, addr_add(lab->pod, lab->pod_link.ifindex, "eth0", &c, no_prefix_route,
				  &lab->err));
}

/* The flags of @text on eth0; fails where it isn't there. */
static uint32_t flags_of(struct rtnl_lab *lab, const char *text)
{
	struct cidr want = cidr(text);
	struct listing l = {};

	rtnl_lab_ok(lab, addr_dump(lab->pod, want.ip.family, lab->pod_link.ifindex, take, &l,
				   &lab->err));
	for (size_t i = 0; i < l.n; i++) {
		if (cidr_equal(&l.addr[i].address, &want))
			return l.addr[i].flags;
	}
	fail_msg("%s is not there", text);
	return 0;
}

/* Duplicate address detection would keep a pod silent for its first second. */
static void an_address_works_at_once(void **state)
{
	struct rtnl_lab *lab = *state;
	uint32_t flags;

	add(lab, "fd00::2/64", true);
	flags = flags_of(lab, "fd00::2/64");
	assert_true(flags & IFA_F_NODAD);
	assert_false(flags & (IFA_F_TENTATIVE | IFA_F_DADFAILED));
	assert_true(flags & IFA_F_PERMANENT);
	add(lab, "10.1.0.2/24", true);
	assert_true(flags_of(lab, "10.1.0.2/24") & IFA_F_PERMANENT);
}

static void it_comes_with_its_subnets_route_or_without(void **state)
{
	static const struct {
		const char *address, *subnet;
	} cases[] = { { "10.1.0.2/24", "10.1.0.0/24" }, { "fd00::2/64", "fd00::/64" } };
	struct rtnl_lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		const char *family = i ? "-6" : "-4";

		add(lab, cases[i].address, true);
		assert_true(flags_of(lab, cases[i].address) & IFA_F_NOPREFIXROUTE);
		assert_string_equal(
			rtnl_lab_text(lab->pod_fd, "ip %s route show %s", family, cases[i].subnet),
			"");
		ns_run(lab->pod_fd, "ip addr del %s dev eth0", cases[i].address);
		add(lab, cases[i].address, false);
		assert_false(flags_of(lab, cases[i].address) & IFA_F_NOPREFIXROUTE);
		assert_non_null(strstr(
			rtnl_lab_text(lab->pod_fd, "ip %s route show %s", family, cases[i].subnet),
			"dev eth0 proto kernel"));
	}
}

static void the_same_once_more_is_no_error(void **state)
{
	struct rtnl_lab *lab = *state;

	for (int twice = 0; twice < 2; twice++) {
		add(lab, "10.1.0.2/24", true);
		add(lab, "fd00::2/64", true);
	}
	assert_string_equal(rtnl_lab_text(lab->pod_fd, "ip -4 addr show dev eth0 | grep -c inet"),
			    "1");
}

static void no_broadcast_address_is_invented(void **state)
{
	struct rtnl_lab *lab = *state;

	add(lab, "10.1.0.2/24", true);
	assert_string_equal(rtnl_lab_text(lab->pod_fd, "ip -4 -o addr show dev eth0 | "
						       "grep -o 'inet .* scope'"),
			    "inet 10.1.0.2/24 scope");
}

static void what_cannot_be_is_told(void **state)
{
	struct rtnl_lab *lab = *state;
	struct cidr v4 = cidr("10.1.0.2/24"), multicast = cidr("ff02::7/64");

	assert_int_equal(addr_add(lab->pod, 4711, "eth7", &v4, true, &lab->err), -ENODEV);
	assert_non_null(strstr(lab->err.msg, "cannot add address 10.1.0.2/24 to eth7: No such "));
	assert_true(addr_add(lab->pod, lab->pod_link.ifindex, "eth0", &multicast, true, &lab->err) <
		    0);
}

static void a_dump_is_of_a_family_and_of_a_link_or_all(void **state)
{
	struct rtnl_lab *lab = *state;
	struct listing l = {};

	add(lab, "10.1.0.2/24", true);
	add(lab, "10.1.0.3/24", true);
	add(lab, "fd00::2/64", true);
	rtnl_lab_ok(lab, addr_dump(lab->pod, AF_INET, lab->pod_link.ifindex, take, &l, &lab->err));
	assert_int_equal(l.n, 2);
	assert_int_equal(l.addr[0].ifindex, lab->pod_link.ifindex);

	l = (struct listing){};
	rtnl_lab_ok(lab, addr_dump(lab->pod, AF_INET, 0, take, &l, &lab->err));
	assert_int_equal(l.n, 3); /* lo has one */
	l = (struct listing){};
	rtnl_lab_ok(lab, addr_dump(lab->pod, AF_INET6, 0, take, &l, &lab->err));
	assert_true(l.n >= 2);
	l = (struct listing){};
	assert_int_equal(addr_dump(lab->pod, AF_INET, 4711, take, &l, &lab->err), -ENODEV);
	assert_int_equal(l.n, 0);
}

/* Of a point-to-point link: its own address and not the peer's. */
static void an_address_with_a_peer_is_its_own(void **state)
{
	struct rtnl_lab *lab = *state;
	struct listing l = {};

	ns_run(lab->pod_fd, "ip addr add 10.9.0.1 peer 10.9.0.2/31 dev eth0");
	rtnl_lab_ok(lab, addr_dump(lab->pod, AF_INET, lab->pod_link.ifindex, take, &l, &lab->err));
	assert_int_equal(l.n, 1);
	assert_string_equal(IPADDR_STR(&l.addr[0].address.ip), "10.9.0.1");
}

static void a_reader_can_end_a_dump(void **state)
{
	struct rtnl_lab *lab = *state;
	struct listing l = { .fail_at = 1 };

	add(lab, "10.1.0.2/24", true);
	assert_int_equal(addr_dump(lab->pod, AF_INET, 0, take, &l, &lab->err), -EPIPE);
	assert_int_equal(l.n, 1);
	l = (struct listing){};
	rtnl_lab_ok(lab, addr_dump(lab->pod, AF_INET, 0, take, &l, &lab->err));
	assert_int_equal(l.n, 2);
}

/* Counts, and adds one more address early in its first try. */
struct spoiler {
	struct rtnl_lab *lab;
	size_t n, restarts;
};

static int spoil(const struct addr_info *addr, void *arg)
{
	struct spoiler *s = arg;

	if (!addr) {
		s->n = 0;
		s->restarts++;
	} else if (s->n++ == 5 && !s->restarts) {
		ns_run(s->lab->pod_fd, "ip addr add 10.99.0.1/32 dev eth0");
	}
	return 0;
}

static void a_dump_that_was_interrupted_starts_again(void **state)
{
	struct spoiler s = { .lab = *state };

	ns_run(s.lab->pod_fd, "for i in $(seq 0 9); do for j in $(seq 1 200); do "
			      "echo addr add 10.$i.$j.1/32 dev eth0; done; done | ip -batch -");
	/* of all links: in a dump of one the kernel doesn't look for changes */
	rtnl_lab_ok(s.lab, addr_dump(s.lab->pod, AF_INET, 0, spoil, &s, &s.lab->err));
	assert_int_equal(s.restarts, 1);
	assert_int_equal(s.n, 2002);
}

int main(void)
{
#define WITH_LAB(test) cmocka_unit_test_setup_teardown(test, rtnl_lab_setup, rtnl_lab_teardown)
	const struct CMUnitTest tests[] = {
		WITH_LAB(an_address_works_at_once),
		WITH_LAB(it_comes_with_its_subnets_route_or_without),
		WITH_LAB(the_same_once_more_is_no_error),
		WITH_LAB(no_broadcast_address_is_invented),
		WITH_LAB(what_cannot_be_is_told),
		WITH_LAB(a_dump_is_of_a_family_and_of_a_link_or_all),
		WITH_LAB(an_address_with_a_peer_is_its_own),
		WITH_LAB(a_reader_can_end_a_dump),
		WITH_LAB(a_dump_that_was_interrupted_starts_again),
	};
	int r = ns_isolate();

	return r ? r : cmocka_run_group_tests(tests, NULL, NULL);
}
