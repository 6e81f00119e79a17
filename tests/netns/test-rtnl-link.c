/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <linux/if.h>
#include <string.h>

#include "ns.h"
#include "rtnl_lab.h"

/* What /sys says of a link, which shows those of the namespace that mounted it. */
static const char *from_sys(int fd, const char *what)
{
	return rtnl_lab_text(fd,
			     "unshare --mount sh -c 'mount -t sysfs none /sys && "
			     "cd /sys/class/net && echo %s'",
			     what);
}

static void a_pair_is_born_at_its_two_places(void **state)
{
	struct rtnl_lab *lab = *state;

	assert_string_equal(lab->host_link.kind, "veth");
	assert_string_equal(lab->pod_link.kind, "veth");
	assert_string_equal(lab->host_link.name, "host0");
	assert_string_equal(lab->pod_link.name, "eth0");
	assert_string_equal(MAC_STR(&lab->host_link.mac), "02:00:00:00:00:01");
	assert_string_equal(MAC_STR(&lab->pod_link.mac), "02:00:00:00:00:02");
	assert_int_equal(lab->host_link.mtu, 1500);
	assert_int_equal(lab->pod_link.mtu, 1500);
	assert_int_equal(ns_try(-1, "ip link show eth0 2>/dev/null"), 1);
	assert_int_equal(ns_try(lab->pod_fd, "ip link show host0 2>/dev/null"), 1);
}

/* NET_ADDR_SET: udev's MACAddressPolicy leaves such an address alone. */
static void both_macs_count_as_set(void **state)
{
	struct rtnl_lab *lab = *state;

	assert_string_equal(from_sys(-1, "$(cat host0/addr_assign_type)"), "3");
	assert_string_equal(from_sys(lab->pod_fd, "$(cat eth0/addr_assign_type)"), "3");
}

static void mtu_and_queues_are_those_of_both_ends(void **state)
{
	struct rtnl_lab *lab = *state;
	const struct veth_spec spec = {
		.host_ifname = "host1",
		.pod_ifname = "eth1",
		.host_mac = { { 2, 0, 0, 0, 1, 1 } },
		.pod_mac = { { 2, 0, 0, 0, 1, 2 } },
		.mtu = 68,
		.queues = 5,
	};
	static const char queues[] = "$(cat %s/mtu) $(ls -d %s/queues/rx-* | wc -l) "
				     "$(ls -d %s/queues/tx-* | wc -l)";
	char text[200];

	rtnl_lab_ok(lab, veth_create(lab->host, &spec, lab->pod_fd, &lab->err));
	snprintf(text, sizeof(text), queues, "host1", "host1", "host1");
	assert_string_equal(from_sys(-1, text), "68 5 5");
	snprintf(text, sizeof(text), queues, "eth1", "eth1", "eth1");
	assert_string_equal(from_sys(lab->pod_fd, text), "68 5 5");
	assert_int_equal(link_remove(lab->host, "host1", &lab->err), 1);
}

static void a_name_that_is_taken_is_left_alone(void **state)
{
	static const struct {
		const char *host, *pod;
	} cases[] = { { "host0", "new" }, { "new", "eth0" }, { "host0", "eth0" } };
	struct rtnl_lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		const struct veth_spec spec = {
			.host_ifname = cases[i].host,
			.pod_ifname = cases[i].pod,
			.host_mac = { { 2, 0, 0, 0, 9, 1 } },
			.pod_mac = { { 2, 0, 0, 0, 9, 2 } },
			.mtu = 1400,
		};
		struct link_info link;

		assert_int_equal(veth_create(lab->host, &spec, lab->pod_fd, &lab->err), -EEXIST);
		assert_int_equal(lab->err.code, PW_E_NETLINK);
		assert_non_null(strstr(lab->err.msg, "cannot create veth pair "));
		assert_int_equal(link_find(lab->host, "host0", &link, NULL), 1);
		assert_int_equal(link.ifindex, lab->host_link.ifindex);
		assert_int_equal(link_find(lab->pod, "eth0", &link, NULL), 1);
		assert_int_equal(link.ifindex, lab->pod_link.ifindex);
		assert_int_equal(link_find(lab->host, "new", &link, NULL), 0);
		assert_int_equal(link_find(lab->pod, "new", &link, NULL), 0);
	}
}

static void what_the_kernel_refuses_is_told(void **state)
{
	struct rtnl_lab *lab = *state;
	struct veth_spec spec = {
		.host_ifname = "host1",
		.pod_ifname = "eth1",
		.host_mac = { { 2, 0, 0, 0, 9, 1 } },
		.pod_mac = { { 1, 0, 0x5e, 0, 9, 2 } },
		.mtu = 1400,
	};

	assert_int_equal(veth_create(lab->host, &spec, lab->pod_fd, &lab->err), -EADDRNOTAVAIL);
	spec.pod_mac.b[0] = 2;
	spec.mtu = 100000;
	assert_int_equal(veth_create(lab->host, &spec, lab->pod_fd, &lab->err), -EINVAL);
	assert_string_equal(lab->err.msg, "cannot create veth pair host1 and eth1 in pod: Invalid "
					  "argument");
	spec.mtu = 1400;
	assert_int_equal(veth_create(lab->host, &spec, -EBADF, &lab->err), -EBADF);
}

static void a_link_is_found_by_name_and_by_index(void **state)
{
	struct rtnl_lab *lab = *state;
	struct link_info link = { .mtu = 42 };

	assert_int_equal(link_find_index(lab->host, lab->host_link.ifindex, &link, &lab->err), 1);
	assert_string_equal(link.name, "host0");
	assert_int_equal(link_find(lab->host, "lo", &link, &lab->err), 1);
	assert_string_equal(link.kind, "");
	assert_true(link.flags & IFF_LOOPBACK);
	assert_int_equal(link.mtu, 65536);
	assert_int_equal(link_find(lab->host, "absent", &link, &lab->err), 0);
	assert_int_equal(link_find_index(lab->host, 4711, &link, &lab->err), 0);
	assert_int_equal(link.mtu, 65536); /* untouched */
}

static void a_link_is_removed_once(void **state)
{
	struct rtnl_lab *lab = *state;
	struct link_info link;

	assert_int_equal(link_remove(lab->host, "host0", &lab->err), 1);
	assert_int_equal(link_remove(lab->host, "host0", &lab->err), 0);
	assert_int_equal(link_find(lab->pod, "eth0", &link, &lab->err), 0);
	nlsock_set_place(lab->host, " in pod");
	assert_int_equal(link_remove(lab->host, "lo", &lab->err), -EOPNOTSUPP);
	assert_string_equal(lab->err.msg, "cannot remove link lo in pod: Operation not supported");
}

static void what_is_not_asked_for_stays(void **state)
{
	static const struct link_change nothing = { .rp_filter = -1 };
	struct rtnl_lab *lab = *state;
	struct link_info link;

	ns_run(-1, "ip link set host0 alias before; "
		   "for k in rp_filter forwarding proxy_arp; do "
		   "echo 1 >/proc/sys/net/ipv4/conf/host0/$k; done");
	rtnl_lab_ok(lab, link_change(lab->host, &lab->host_link, &nothing, &lab->err));
	assert_int_equal(link_find(lab->host, "host0", &link, NULL), 1);
	assert_true(link.flags & IFF_UP);
	assert_int_equal(rtnl_lab_sysctl(-1, "ipv4/conf/host0/rp_filter"), 1);
	assert_int_equal(rtnl_lab_sysctl(-1, "ipv4/conf/host0/forwarding"), 1);
	assert_int_equal(rtnl_lab_sysctl(-1, "ipv4/conf/host0/proxy_arp"), 1);
	assert_string_equal(rtnl_lab_text(-1, "ip link show host0 | grep alias"),
			    "    alias before");
}

static void what_is_asked_for_is_set(void **state)
{
	static const struct link_change change = {
		.up = true,
		.alias = "podwire default/web-0",
		.ipv4_forwarding = true,
		.proxy_arp = true,
		.no_linklocal = true,
	};
	struct rtnl_lab *lab = *state;

	for (int rp_filter = 2; rp_filter >= 0; rp_filter--) {
		struct link_change c = change;

		ns_run(-1, "ip link set host0 down");
		c.rp_filter = rp_filter;
		rtnl_lab_ok(lab, link_change(lab->host, &lab->host_link, &c, &lab->err));
		assert_int_equal(rtnl_lab_sysctl(-1, "ipv4/conf/host0/rp_filter"), rp_filter);
		assert_int_equal(rtnl_lab_sysctl(-1, "ipv4/conf/host0/forwarding"), 1);
		assert_int_equal(rtnl_lab_sysctl(-1, "ipv4/conf/host0/proxy_arp"), 1);
		assert_int_equal(rtnl_lab_sysctl(-1, "ipv6/conf/host0/addr_gen_mode"), 1);
		assert_int_equal(ns_try(-1, "ip link show up host0 | grep -q host0"), 0);
	}
	assert_string_equal(rtnl_lab_text(-1, "ip link show host0 | grep alias"),
			    "    alias podwire default/web-0");
	/* and of this device alone */
	assert_int_equal(rtnl_lab_sysctl(-1, "ipv4/conf/all/rp_filter"), 0);
	assert_int_equal(rtnl_lab_sysctl(-1, "ipv4/ip_forward"), 0);
}

/* The kernel makes its own as the link comes up, and it stays tentative for a second. */
static void without_a_link_local_address_there_is_none(void **state)
{
	static const struct link_change none = { .no_linklocal = true, .rp_filter = -1 };
	static const struct link_change up = { .up = true, .rp_filter = -1 };
	struct rtnl_lab *lab = *state;

	ns_run(-1, "ip link set host0 down");
	rtnl_lab_ok(lab, link_change(lab->host, &lab->host_link, &none, &lab->err));
	rtnl_lab_ok(lab, link_change(lab->host, &lab->host_link, &up, &lab->err));
	assert_string_equal(rtnl_lab_text(-1, "ip -6 addr show dev host0"), "");
}

static void an_alias_is_cut_to_what_the_kernel_takes(void **state)
{
	struct rtnl_lab *lab = *state;
	char alias[400];

	for (size_t len = 253; len <= 300; len += len < 257 ? 1 : 43) {
		struct link_change change = { .alias = alias, .rp_filter = -1 };
		const char *text;

		memset(alias, 'a', len);
		alias[len] = '\0';
		rtnl_lab_ok(lab, link_change(lab->host, &lab->host_link, &change, &lab->err));
		text = rtnl_lab_text(-1, "ip link show host0 | sed -n 's/^ *alias //p'");
		assert_int_equal(strlen(text), len < 254 ? len : 254);
	}
}

static void a_link_that_is_gone_cannot_be_set_up(void **state)
{
	static const struct link_change up = { .up = true, .rp_filter = -1 };
	struct rtnl_lab *lab = *state;

	assert_int_equal(link_remove(lab->host, "host0", &lab->err), 1);
	assert_int_equal(link_change(lab->host, &lab->host_link, &up, &lab->err), -ENODEV);
	assert_string_equal(lab->err.msg, "cannot set up link host0: No such device");
}

int main(void)
{
#define WITH_LAB(test) cmocka_unit_test_setup_teardown(test, rtnl_lab_setup, rtnl_lab_teardown)
	const struct CMUnitTest tests[] = {
		WITH_LAB(a_pair_is_born_at_its_two_places),
		WITH_LAB(both_macs_count_as_set),
		WITH_LAB(mtu_and_queues_are_those_of_both_ends),
		WITH_LAB(a_name_that_is_taken_is_left_alone),
		WITH_LAB(what_the_kernel_refuses_is_told),
		WITH_LAB(a_link_is_found_by_name_and_by_index),
		WITH_LAB(a_link_is_removed_once),
		WITH_LAB(what_is_not_asked_for_stays),
		WITH_LAB(what_is_asked_for_is_set),
		WITH_LAB(without_a_link_local_address_there_is_none),
		WITH_LAB(an_alias_is_cut_to_what_the_kernel_takes),
		WITH_LAB(a_link_that_is_gone_cannot_be_set_up),
	};
	int r = ns_isolate();

	return r ? r : cmocka_run_group_tests(tests, NULL, NULL);
}
