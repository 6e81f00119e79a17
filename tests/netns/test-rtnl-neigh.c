/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "ns.h"
#include "rtnl/neigh.h"
#include "rtnl_lab.h"

static const char *const addresses[] = { "10.1.0.1", "fd00::1" };

static struct ipaddr ip(const char *text)
{
	struct ipaddr a;

	assert_int_equal(ipaddr_parse(text, &a), 0);
	return a;
}

static void set(struct rtnl_lab *lab, const char *text, uint8_t last, enum neigh_kind kind)
{
	const struct mac mac = { { 2, 0, 0, 0, 7, last } };
	struct ipaddr a = ip(text);

	rtnl_lab_ok(lab, neigh_set(lab->pod, lab->pod_link.ifindex, "eth0", &a,
				   kind == NEIGH_PROXY ? NULL : &mac, kind, &lab->err));
}

static const char *shown(struct rtnl_lab *lab, const char *text, const char *what)
{
	return rtnl_lab_text(lab->pod_fd, "ip neigh show %s %s dev eth0", what, text);
}

static void a_permanent_entry_stays_as_it_is(void **state)
{
	struct rtnl_lab *lab = *state;
	char want[80];

	for (size_t i = 0; i < TEST_COUNT(addresses); i++) {
		set(lab, addresses[i], 1, NEIGH_PERMANENT);
		snprintf(want, sizeof(want), "%s lladdr 02:00:00:00:07:01 PERMANENT", addresses[i]);
		assert_string_equal(shown(lab, addresses[i], ""), want);
		ns_run(lab->pod_fd, "ip neigh flush all");
		assert_string_equal(shown(lab, addresses[i], ""), want);
	}
}

static void it_takes_the_place_of_what_is_there(void **state)
{
	static const char *const before[] = { "nud permanent", "nud stale", "nud reachable",
					      "nud failed" };
	struct rtnl_lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(addresses); i++) {
		for (size_t b = 0; b < TEST_COUNT(before); b++) {
			ns_run(lab->pod_fd,
			       "ip neigh replace %s lladdr 02:00:00:00:09:09 dev eth0 %s",
			       addresses[i], before[b]);
			set(lab, addresses[i], 2, NEIGH_PERMANENT);
			assert_non_null(strstr(shown(lab, addresses[i], ""),
					       "lladdr 02:00:00:00:07:02 PERMANENT"));
		}
	}
}

static void a_learned_entry_is_no_garbage_and_open_to_news(void **state)
{
	struct rtnl_lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(addresses); i++) {
		set(lab, addresses[i], 1, NEIGH_PERMANENT);
		set(lab, addresses[i], 3, NEIGH_LEARNED);
		assert_non_null(strstr(shown(lab, addresses[i], ""),
				       "lladdr 02:00:00:00:07:03 extern_learn"));
		assert_null(strstr(shown(lab, addresses[i], ""), "PERMANENT"));
	}
}

static void a_proxy_entry_is_answered_for(void **state)
{
	struct rtnl_lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(addresses); i++) {
		assert_string_equal(shown(lab, addresses[i], "proxy"), "");
		set(lab, addresses[i], 0, NEIGH_PROXY);
		assert_int_equal(strncmp(shown(lab, addresses[i], "proxy"), addresses[i],
					 strlen(addresses[i])),
				 0);
		set(lab, addresses[i], 0, NEIGH_PROXY); /* once more is no error */
	}
}

static void removing_is_idempotent(void **state)
{
	struct rtnl_lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(addresses); i++) {
		struct ipaddr a = ip(addresses[i]);
		int ifindex = lab->pod_link.ifindex;

		assert_int_equal(neigh_remove(lab->pod, ifindex, &a, &lab->err), 0);
		set(lab, addresses[i], 1, NEIGH_PERMANENT);
		assert_int_equal(neigh_remove(lab->pod, ifindex, &a, &lab->err), 1);
		assert_int_equal(neigh_remove(lab->pod, ifindex, &a, &lab->err), 0);
		assert_string_equal(rtnl_lab_text(lab->pod_fd,
						  "ip neigh show %s dev eth0 nud permanent",
						  addresses[i]),
				    "");
	}
}

static void a_link_that_is_gone_has_no_neighbours(void **state)
{
	const struct mac mac = { { 2, 0, 0, 0, 7, 1 } };
	struct rtnl_lab *lab = *state;
	struct ipaddr a = ip("10.1.0.1"), b = ip("fd00::1");

	assert_int_equal(neigh_set(lab->pod, 4711, "eth7", &a, &mac, NEIGH_PERMANENT, &lab->err),
			 -ENODEV);
	assert_string_equal(lab->err.msg, "cannot add neighbour 10.1.0.1 at 02:00:00:00:07:01 on "
					  "eth7: No such device");
	assert_int_equal(neigh_set(lab->pod, 4711, "eth7", &b, NULL, NEIGH_PROXY, &lab->err),
			 -ENODEV);
	assert_string_equal(lab->err.msg, "cannot add neighbour fd00::1 on eth7: No such device");
}

int main(void)
{
#define WITH_LAB(test) cmocka_unit_test_setup_teardown(test, rtnl_lab_setup, rtnl_lab_teardown)
	const struct CMUnitTest tests[] = {
		WITH_LAB(a_permanent_entry_stays_as_it_is),
		WITH_LAB(it_takes_the_place_of_what_is_there),
		WITH_LAB(a_learned_entry_is_no_garbage_and_open_to_news),
		WITH_LAB(a_proxy_entry_is_answered_for),
		WITH_LAB(removing_is_idempotent),
		WITH_LAB(a_link_that_is_gone_has_no_neighbours),
	};
	int r = ns_isolate();

	return r ? r : cmocka_run_group_tests(tests, NULL, NULL);
}
