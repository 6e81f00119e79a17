/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages as the kernel makes them, cut at every byte, and nonsense. */
#include "test.h"

#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "netlink/auto.h"
#include "source/message.h"

static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 7 };
static const uint8_t ip4[4] = { 10, 1, 0, 2 };
static const uint8_t ip6[16] = { 0xfd, [15] = 2 };

/* Begins one; put() and the like fail the test where there's no room. */
static struct nl_msg *begin(int type, const void *header, size_t len)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, 0);

	assert_non_null(msg);
	assert_int_equal(nlmsg_append(msg, (void *)header, len, NLMSG_ALIGNTO), 0);
	return msg;
}

static void put(struct nl_msg *msg, int type, const void *value, size_t len)
{
	assert_int_equal(nla_put(msg, type, (int)len, value), 0);
}

static void put_u32(struct nl_msg *msg, int type, uint32_t value)
{
	put(msg, type, &value, sizeof(value));
}

static void put_text(struct nl_msg *msg, int type, const char *text)
{
	put(msg, type, text, strlen(text) + 1);
}

/* Its first @len bytes, and none behind them that could be read. */
static struct nlmsghdr *cut(struct nl_msg *msg, size_t len)
{
	struct nlmsghdr *nlh = malloc(len);

	assert_non_null(nlh);
	memcpy(nlh, nlmsg_hdr(msg), len);
	nlh->nlmsg_len = (uint32_t)len;
	return nlh;
}

static size_t length(struct nl_msg *msg)
{
	return nlmsg_hdr(msg)->nlmsg_len;
}

static struct nl_msg *veth_message(void)
{
	const struct ifinfomsg ifi = { .ifi_index = 7, .ifi_flags = IFF_UP };
	struct nl_msg *msg = begin(RTM_NEWLINK, &ifi, sizeof(ifi));
	struct nlattr *nest;

	put_text(msg, IFLA_IFNAME, "vethpw1737b53a8");
	put_u32(msg, IFLA_MTU, 1400);
	put(msg, IFLA_ADDRESS, mac, sizeof(mac));
	nest = nla_nest_start(msg, IFLA_XDP);
	put(msg, IFLA_XDP_ATTACHED, "\1", 1);
	put_u32(msg, IFLA_XDP_PROG_ID, 42);
	nla_nest_end(msg, nest);
	nest = nla_nest_start(msg, IFLA_LINKINFO);
	put_text(msg, IFLA_INFO_KIND, "veth");
	nla_nest_end(msg, nest);
	return msg;
}

static void link_is_read(void **state)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = veth_message();
	struct link_seen link;
	struct link_more more;

	(void)state;
	assert_true(message_link(nlmsg_hdr(msg), &link, &more));
	assert_int_equal(link.ifindex, 7);
	assert_string_equal(link.name, "vethpw1737b53a8");
	assert_string_equal(link.kind, "veth");
	assert_memory_equal(link.mac.b, mac, sizeof(mac));
	assert_int_equal(link.mtu, 1400);
	assert_true(link.up);
	assert_int_equal(more.xdp_prog_id, 42);
	assert_true(message_link(nlmsg_hdr(msg), &link, NULL));
}

static void link_says_only_what_it_has(void **state)
{
	const struct ifinfomsg ifi = { .ifi_index = 2 };
	_cleanup_(nlmsg_freep) struct nl_msg *msg = begin(RTM_NEWLINK, &ifi, sizeof(ifi));
	struct link_seen link;
	struct link_more more;

	(void)state;
	put_text(msg, IFLA_IFNAME, "tun0");
	put(msg, IFLA_ADDRESS, ip6, sizeof(ip6)); /* not Ethernet */
	put(msg, IFLA_MTU, mac, 2);
	put(msg, IFLA_XDP, NULL, 0);
	put(msg, IFLA_LINKINFO, NULL, 0);
	memset(&link, 0xff, sizeof(link));
	memset(&more, 0xff, sizeof(more));
	assert_true(message_link(nlmsg_hdr(msg), &link, &more));
	assert_string_equal(link.name, "tun0");
	assert_string_equal(link.kind, "");
	assert_memory_equal(link.mac.b, ((uint8_t[6]){ 0 }), 6);
	assert_int_equal(link.mtu, 0);
	assert_false(link.up);
	assert_int_equal(more.xdp_prog_id, 0);
}

static void long_texts_are_cut(void **state)
{
	const struct ifinfomsg ifi = { .ifi_index = 2 };
	const struct tcmsg tcm = { .tcm_ifindex = 2 };
	_cleanup_(nlmsg_freep) struct nl_msg *msg = begin(RTM_NEWLINK, &ifi, sizeof(ifi));
	_cleanup_(nlmsg_freep) struct nl_msg *tc_msg = begin(RTM_NEWQDISC, &tcm, sizeof(tcm));
	struct link_seen link;
	struct nlattr *nest;
	struct tc_seen tc;

	(void)state;
	put(msg, IFLA_IFNAME, "0123456789abcdef", 16); /* no NUL */
	nest = nla_nest_start(msg, IFLA_LINKINFO);
	put_text(msg, IFLA_INFO_KIND, "a_kind_with_a_long_name");
	nla_nest_end(msg, nest);
	assert_true(message_link(nlmsg_hdr(msg), &link, NULL));
	assert_string_equal(link.name, "0123456789abcde");
	assert_string_equal(link.kind, "a_kind_with_a_l");
	put_text(tc_msg, TCA_KIND, "a_kind_with_a_long_name");
	assert_true(message_tc(nlmsg_hdr(tc_msg), &tc));
	assert_string_equal(tc.kind, "a_kind_with_a_l");
}

static void what_is_not_about_a_link_itself_is_not_taken(void **state)
{
	static const struct ifinfomsg cases[] = {
		{ .ifi_family = AF_BRIDGE, .ifi_index = 7 },
		{ .ifi_index = 0 },
		{ .ifi_index = -1 },
	};
	const struct ifinfomsg good = { .ifi_index = 7 };
	struct link_seen link;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		_cleanup_(nlmsg_freep) struct nl_msg *msg =
			begin(RTM_NEWLINK, &cases[i], sizeof(cases[i]));

		put_text(msg, IFLA_IFNAME, "eth0");
		assert_false(message_link(nlmsg_hdr(msg), &link, NULL));
	}
	_cleanup_(nlmsg_freep) struct nl_msg *nameless = begin(RTM_NEWLINK, &good, sizeof(good));
	assert_false(message_link(nlmsg_hdr(nameless), &link, NULL));
}

/* Each thing as it was, or not at all. */
static void cut_link_has_no_wrong_value(void **state)
{
	static const struct mac none;
	_cleanup_(nlmsg_freep) struct nl_msg *msg = veth_message();
	size_t taken = 0;

	(void)state;
	for (size_t len = NLMSG_HDRLEN; len < length(msg); len++) {
		_cleanup_(freep) struct nlmsghdr *nlh = cut(msg, len);
		struct link_more more = {};
		struct link_seen link;

		if (!message_link(nlh, &link, &more))
			continue;
		taken++;
		assert_string_equal(link.name, "vethpw1737b53a8");
		assert_true(link.mtu == 1400 || link.mtu == 0);
		assert_true(memcmp(link.mac.b, mac, 6) == 0 || mac_equal(&link.mac, &none));
		assert_true(more.xdp_prog_id == 42 || more.xdp_prog_id == 0);
		assert_true(strcmp(link.kind, "veth") == 0 || !*link.kind);
	}
	assert_true(taken > 0);
}

static struct nl_msg *neighbour_message(const struct ndmsg *ndm, const void *ip, size_t len)
{
	struct nl_msg *msg = begin(RTM_NEWNEIGH, ndm, sizeof(*ndm));

	put(msg, NDA_LLADDR, mac, sizeof(mac));
	put(msg, NDA_DST, ip, len);
	return msg;
}

static void neighbour_is_read(void **state)
{
	static const uint16_t holds[] = { NUD_REACHABLE, NUD_STALE, NUD_DELAY, NUD_PROBE,
					  NUD_PERMANENT };

	(void)state;
	for (size_t i = 0; i < 2 * TEST_COUNT(holds); i++) {
		bool six = i % 2;
		const struct ndmsg ndm = { .ndm_family = six ? AF_INET6 : AF_INET,
					   .ndm_ifindex = 7,
					   .ndm_state = holds[i / 2] };
		_cleanup_(nlmsg_freep) struct nl_msg *msg =
			neighbour_message(&ndm, six ? ip6 : ip4, six ? 16 : 4);
		struct ipaddr ip;
		struct mac told;
		int ifindex;

		assert_true(message_neighbour(nlmsg_hdr(msg), &ifindex, &ip, &told));
		assert_int_equal(ifindex, 7);
		assert_string_equal(IPADDR_STR(&ip), six ? "fd00::2" : "10.1.0.2");
		assert_memory_equal(told.b, mac, sizeof(mac));
	}
}

static void neighbour_without_a_mac_that_holds_is_not_taken(void **state)
{
	static const struct ndmsg cases[] = {
		{ .ndm_family = AF_INET, .ndm_state = NUD_NONE },
		{ .ndm_family = AF_INET, .ndm_state = NUD_INCOMPLETE },
		{ .ndm_family = AF_INET, .ndm_state = NUD_FAILED },
		{ .ndm_family = AF_INET, .ndm_state = NUD_NOARP },
		{ .ndm_family = AF_INET, .ndm_state = NUD_REACHABLE, .ndm_flags = NTF_PROXY },
		{ .ndm_family = AF_BRIDGE, .ndm_state = NUD_REACHABLE },
		{ .ndm_family = AF_INET6, .ndm_state = NUD_REACHABLE }, /* with four bytes */
	};
	const struct ndmsg good = { .ndm_family = AF_INET, .ndm_state = NUD_REACHABLE };
	struct ipaddr ip;
	struct mac told;
	int ifindex;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		_cleanup_(nlmsg_freep) struct nl_msg *msg = neighbour_message(&cases[i], ip4, 4);

		assert_false(message_neighbour(nlmsg_hdr(msg), &ifindex, &ip, &told));
	}
	for (int without = 0; without < 3; without++) {
		_cleanup_(nlmsg_freep) struct nl_msg *msg =
			begin(RTM_NEWNEIGH, &good, sizeof(good));

		if (without != 0)
			put(msg, NDA_DST, ip4, 4);
		if (without != 1)
			put(msg, NDA_LLADDR, mac, without == 2 ? 4 : 6); /* a tunnel's is an IP */
		assert_false(message_neighbour(nlmsg_hdr(msg), &ifindex, &ip, &told));
	}
}

static void cut_neighbour_is_none(void **state)
{
	const struct ndmsg ndm = { .ndm_family = AF_INET6, .ndm_state = NUD_STALE };
	_cleanup_(nlmsg_freep) struct nl_msg *msg = neighbour_message(&ndm, ip6, 16);
	struct ipaddr ip;
	struct mac told;
	int ifindex;

	(void)state;
	for (size_t len = NLMSG_HDRLEN; len < length(msg); len++) {
		_cleanup_(freep) struct nlmsghdr *nlh = cut(msg, len);

		assert_false(message_neighbour(nlh, &ifindex, &ip, &told));
	}
}

static const struct rtmsg main_route = { .rtm_family = AF_INET,
					 .rtm_dst_len = 24,
					 .rtm_table = RT_TABLE_MAIN,
					 .rtm_type = RTN_UNICAST };

static void route_is_read(void **state)
{
	static const struct rtmsg six = { .rtm_family = AF_INET6,
					  .rtm_table = RT_TABLE_MAIN,
					  .rtm_type = RTN_BLACKHOLE };
	_cleanup_(nlmsg_freep) struct nl_msg *msg = begin(RTM_NEWROUTE, &main_route, 12);
	_cleanup_(nlmsg_freep) struct nl_msg *msg6 = begin(RTM_NEWROUTE, &six, sizeof(six));
	struct route_seen route;

	(void)state;
	put(msg, RTA_DST, ip4, 4);
	put_u32(msg, RTA_OIF, 3);
	assert_true(message_route(nlmsg_hdr(msg), &route));
	assert_string_equal(CIDR_STR(&route.dst), "10.1.0.2/24");
	assert_int_equal(route.n, 1);
	assert_int_equal(route.ifindex[0], 3);
	assert_int_equal(route.table, RT_TABLE_MAIN);
	assert_int_equal(route.type, RTN_UNICAST);

	assert_true(message_route(nlmsg_hdr(msg6), &route));
	assert_string_equal(CIDR_STR(&route.dst), "::/0");
	assert_int_equal(route.n, 0);
	assert_int_equal(route.type, RTN_BLACKHOLE);
	put_u32(msg6, RTA_TABLE, 100000);
	assert_true(message_route(nlmsg_hdr(msg6), &route));
	assert_int_equal(route.table, 100000);
}

static void route_by_a_nexthop_object_is_read(void **state)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = begin(RTM_NEWROUTE, &main_route, 12);
	struct route_seen route;

	(void)state;
	put(msg, RTA_NH_ID, ip4, 3);
	assert_true(message_route(nlmsg_hdr(msg), &route));
	assert_int_equal(route.nexthop, 0);
	put_u32(msg, RTA_NH_ID, 4000000000);
	assert_true(message_route(nlmsg_hdr(msg), &route));
	assert_int_equal(route.nexthop, 4000000000);
	assert_int_equal(route.n, 0);
}

static void nexthop_is_read(void **state)
{
	static const struct nhmsg four = { .nh_family = AF_INET };
	_cleanup_(nlmsg_freep) struct nl_msg *msg = begin(RTM_NEWNEXTHOP, &four, sizeof(four));
	struct nexthop_seen hop;

	(void)state;
	assert_false(message_nexthop(nlmsg_hdr(msg), &hop)); /* without an id */
	put_u32(msg, NHA_ID, 7);
	assert_true(message_nexthop(nlmsg_hdr(msg), &hop));
	assert_int_equal(hop.id, 7);
	assert_int_equal(hop.ifindex, 0);
	put_u32(msg, NHA_OIF, 3);
	assert_true(message_nexthop(nlmsg_hdr(msg), &hop));
	assert_int_equal(hop.ifindex, 3);
	assert_int_equal(hop.n, 0);
}

static void members_of_a_nexthop_group_are_read(void **state)
{
	static const struct nhmsg any = {};
	static const struct {
		size_t bytes, n;
	} cases[] = {
		{ 0, 0 }, { 7, 0 }, { 8, 1 }, { 23, 2 }, { 256, 32 }, { 264, 32 }
	}; /* of 8 bytes each, 32 at most */

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		_cleanup_(nlmsg_freep) struct nl_msg *msg =
			begin(RTM_NEWNEXTHOP, &any, sizeof(any));
		struct nexthop_grp members[33] = {};
		struct nexthop_seen hop;

		for (size_t m = 0; m < TEST_COUNT(members); m++)
			members[m].id = (uint32_t)m + 100;
		put_u32(msg, NHA_ID, 7);
		put(msg, NHA_GROUP, members, cases[i].bytes);
		assert_true(message_nexthop(nlmsg_hdr(msg), &hop));
		assert_int_equal(hop.n, cases[i].n);
		for (size_t m = 0; m < hop.n; m++)
			assert_int_equal(hop.member[m], m + 100);
	}
}

static void route_of_another_family_is_not_taken(void **state)
{
	static const struct rtmsg mpls = { .rtm_family = 28 }, six = { .rtm_family = AF_INET6 };
	_cleanup_(nlmsg_freep) struct nl_msg *msg = begin(RTM_NEWROUTE, &mpls, sizeof(mpls));
	_cleanup_(nlmsg_freep) struct nl_msg *msg6 = begin(RTM_NEWROUTE, &six, sizeof(six));
	struct route_seen route;

	(void)state;
	assert_false(message_route(nlmsg_hdr(msg), &route));
	put(msg6, RTA_DST, ip4, 4);
	assert_false(message_route(nlmsg_hdr(msg6), &route));
}

/* A next hop each: its length as said, then what it says, and its device. */
static struct nl_msg *multipath(size_t n, uint16_t said)
{
	struct nl_msg *msg = begin(RTM_NEWROUTE, &main_route, sizeof(main_route));
	struct rtnexthop hops[40] = {};

	for (size_t i = 0; i < n; i++)
		hops[i] = (struct rtnexthop){ .rtnh_len = said, .rtnh_ifindex = (int)i + 1 };
	put(msg, RTA_MULTIPATH, hops, n * sizeof(*hops));
	return msg;
}

static void devices_of_all_next_hops_are_read(void **state)
{
	static const struct {
		size_t n;
		uint16_t said;
		size_t taken;
	} cases[] = {
		{ 0, 8, 0 },  { 1, 8, 1 },  { 16, 8, 16 }, { 17, 8, 16 },        { 40, 8, 16 },
		{ 4, 16, 2 }, { 3, 16, 1 }, { 3, 7, 0 },   { 3, 0, 0 },          { 3, 25, 0 },
		{ 3, 24, 1 }, { 3, 23, 1 }, { 3, 13, 1 },  { 3, UINT16_MAX, 0 },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		_cleanup_(nlmsg_freep) struct nl_msg *msg = multipath(cases[i].n, cases[i].said);
		_cleanup_(freep) struct nlmsghdr *nlh = cut(msg, length(msg));
		struct route_seen route;
		int step = (cases[i].said + 3) / 4 * 4 / 8;

		assert_true(message_route(nlh, &route));
		assert_int_equal(route.n, cases[i].taken);
		for (size_t k = 0; k < route.n; k++)
			assert_int_equal(route.ifindex[k], (int)k * step + 1);
	}
}

static void cut_route_has_no_wrong_value(void **state)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = multipath(3, 8);

	(void)state;
	put(msg, RTA_DST, ip4, 4);
	put_u32(msg, RTA_TABLE, 100);
	for (size_t len = NLMSG_HDRLEN; len < length(msg); len++) {
		_cleanup_(freep) struct nlmsghdr *nlh = cut(msg, len);
		struct route_seen route;
		bool whole = len >= NLMSG_HDRLEN + sizeof(struct rtmsg);

		assert_int_equal(message_route(nlh, &route), whole);
		if (!whole)
			continue;
		assert_true(route.n == 0 || route.n == 3);
		assert_int_equal(route.dst.len, 24);
		assert_true(route.table == RT_TABLE_MAIN);
	}
}

static void qdisc_and_filter_are_read(void **state)
{
	const struct tcmsg tcm = { .tcm_ifindex = 7,
				   .tcm_handle = 0x10000,
				   .tcm_parent = TC_H_ROOT,
				   .tcm_info = 0x30003 };
	_cleanup_(nlmsg_freep) struct nl_msg *msg = begin(RTM_NEWQDISC, &tcm, sizeof(tcm));
	struct tc_seen tc;

	(void)state;
	put_text(msg, TCA_KIND, "tbf");
	for (size_t len = NLMSG_HDRLEN; len <= length(msg); len++) {
		_cleanup_(freep) struct nlmsghdr *nlh = cut(msg, len);
		bool whole = len >= NLMSG_HDRLEN + sizeof(tcm);

		memset(&tc, 0xff, sizeof(tc));
		assert_int_equal(message_tc(nlh, &tc), whole);
		if (!whole)
			continue;
		assert_int_equal(tc.ifindex, 7);
		assert_int_equal(tc.handle, 0x10000);
		assert_int_equal(tc.parent, TC_H_ROOT);
		assert_int_equal(tc.info, 0x30003);
		assert_string_equal(tc.kind, len == length(msg) ? "tbf" : "");
	}
}

static void read_all(const struct nlmsghdr *nlh)
{
	struct link_more more;
	struct nexthop_seen nexthop;
	struct route_seen route;
	struct link_seen link;
	struct tc_seen tc;
	struct ipaddr ip;
	struct mac told;
	int ifindex;

	if (message_link(nlh, &link, &more)) {
		assert_true(link.ifindex > 0);
		assert_true(memchr(link.name, 0, sizeof(link.name)) != NULL);
		assert_true(memchr(link.kind, 0, sizeof(link.kind)) != NULL);
	}
	if (message_neighbour(nlh, &ifindex, &ip, &told))
		assert_true(ip.family == AF_INET || ip.family == AF_INET6);
	if (message_nexthop(nlh, &nexthop))
		assert_in_range(nexthop.n, 0, TEST_COUNT(nexthop.member));
	if (message_route(nlh, &route))
		assert_in_range(route.n, 0, TEST_COUNT(route.ifindex));
	if (message_tc(nlh, &tc))
		assert_true(memchr(tc.kind, 0, sizeof(tc.kind)) != NULL);
}

static uint8_t dice(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return (uint8_t)(*seed >> 24);
}

/* Attributes of likely types and lengths, and what is in them by chance. */
static void nonsense_harms_nobody(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 50000; round++) {
		size_t len = NLMSG_HDRLEN + dice(&seed) % 120;
		_cleanup_(freep) struct nlmsghdr *nlh = calloc(1, len);
		uint8_t *b = (uint8_t *)nlh;

		assert_non_null(nlh);
		for (size_t i = NLMSG_HDRLEN; i < len; i++)
			b[i] = dice(&seed) < 100 ? 0 : dice(&seed) % (round % 2 ? 64 : 255);
		nlh->nlmsg_len = (uint32_t)len;
		if (len > NLMSG_HDRLEN && round % 3) /* a family that somebody reads on for */
			b[NLMSG_HDRLEN] = round % 3 == 1 ? 0 : dice(&seed) % 2 ? AF_INET : AF_INET6;
		read_all(nlh);
	}
}

static void bytes_that_are_wrong_harm_nobody(void **state)
{
	static const struct ndmsg ndm = { .ndm_family = AF_INET, .ndm_state = NUD_STALE };
	_cleanup_(nlmsg_freep) struct nl_msg *link = veth_message(), *route = multipath(3, 8),
					     *neighbour = neighbour_message(&ndm, ip4, 4);
	struct nl_msg *const messages[] = { link, route, neighbour };

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(messages); i++) {
		_cleanup_(freep) struct nlmsghdr *nlh = cut(messages[i], length(messages[i]));

		for (size_t at = NLMSG_HDRLEN; at < length(messages[i]); at++) {
			uint8_t *b = (uint8_t *)nlh + at, was = *b;

			for (unsigned int value = 0; value <= UINT8_MAX; value++) {
				*b = (uint8_t)value;
				read_all(nlh);
			}
			*b = was;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(link_is_read),
		cmocka_unit_test(link_says_only_what_it_has),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(what_is_not_about_a_link_itself_is_not_taken),
		cmocka_unit_test(cut_link_has_no_wrong_value),
		cmocka_unit_test(neighbour_is_read),
		cmocka_unit_test(neighbour_without_a_mac_that_holds_is_not_taken),
		cmocka_unit_test(cut_neighbour_is_none),
		cmocka_unit_test(route_is_read),
		cmocka_unit_test(route_by_a_nexthop_object_is_read),
		cmocka_unit_test(nexthop_is_read),
		cmocka_unit_test(members_of_a_nexthop_group_are_read),
		cmocka_unit_test(route_of_another_family_is_not_taken),
		cmocka_unit_test(devices_of_all_next_hops_are_read),
		cmocka_unit_test(cut_route_has_no_wrong_value),
		cmocka_unit_test(qdisc_and_filter_are_read),
		cmocka_unit_test(nonsense_harms_nobody),
		cmocka_unit_test(bytes_that_are_wrong_harm_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
