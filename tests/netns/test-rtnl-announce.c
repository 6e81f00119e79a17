/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an announcement is on the wire, byte for byte, as a packet socket at the other end sees it.
 */
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "netlink/netns.h"
#include "ns.h"
#include "rtnl/announce.h"
#include "rtnl_lab.h"

static const struct mac announced = { { 0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee } };

struct capture {
	int ifindex;
	uint16_t protocol;
	int sock;
};

static int open_capture(void *arg, struct pw_error *err)
{
	const struct timeval patience = { .tv_sec = 5 };
	struct capture *c = arg;
	struct sockaddr_ll at = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(c->protocol),
		.sll_ifindex = c->ifindex,
	};

	(void)err;
	c->sock = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (c->sock < 0 || bind(c->sock, (struct sockaddr *)&at, sizeof(at)) < 0)
		return -errno;
	return setsockopt(c->sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
}

/* Announces @text on host0 and returns the frame that comes out of eth0. */
static size_t announce_and_capture(struct rtnl_lab *lab, const char *text, uint8_t frame[200])
{
	struct capture c = { .ifindex = lab->pod_link.ifindex };
	struct ipaddr ip;
	ssize_t n;

	assert_int_equal(ipaddr_parse(text, &ip), 0);
	c.protocol = ip.family == AF_INET ? ETH_P_ARP : ETH_P_IPV6;
	assert_int_equal(netns_call(lab->pod_fd, open_capture, &c, &lab->err), 0);
	rtnl_lab_ok(lab, announce(lab->host_link.ifindex, "host0", &announced, &ip, &lab->err));
	do {
		n = recv(c.sock, frame, 200, 0);
		if (n < 0)
			fail_msg("nothing came: %s", strerror(errno));
		/* the kernel itself talks IPv6 on a new link: ours is the advertisement, ICMPv6 136
		 */
	} while (ip.family == AF_INET6 && (n < 55 || frame[20] != 58 || frame[54] != 136));
	close(c.sock);
	return (size_t)n;
}

static void ipv4_is_a_gratuitous_arp_request(void **state)
{
	static const uint8_t want[] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* to everybody */
		0x02, 0x00, 0x00, 0x00, 0x00, 0x01, /* from the link */
		0x08, 0x06,                         /* ARP */
		0x00, 0x01, 0x08, 0x00, 0x06, 0x04, /* Ethernet, IPv4, their lengths */
		0x00, 0x01,                         /* a request */
		0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, /* the address is at this MAC, */
		0x0a, 0x01, 0x00, 0x02,             /* 10.1.0.2 */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* and whose is */
		0x0a, 0x01, 0x00, 0x02,             /* 10.1.0.2? */
	};
	uint8_t frame[200];
	size_t n = announce_and_capture(*state, "10.1.0.2", frame);

	assert_int_equal(n, sizeof(want));
	assert_memory_equal(frame, want, sizeof(want));
}

static void ipv6_is_an_unsolicited_advertisement(void **state)
{
	static const uint8_t want[] = {
		0x33, 0x33, 0x00, 0x00, 0x00, 0x01, /* to all nodes */
		0x02, 0x00, 0x00, 0x00, 0x00, 0x01, /* from the link */
		0x86, 0xdd,                         /* IPv6 */
		0x60, 0x00, 0x00, 0x00, 0x00, 0x20, /* version, length 32 */
		0x3a, 0xff,                         /* ICMPv6, hop limit 255 */
		0xfd, 0x00, 0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, /* fd00::2 */
		0xff, 0x02, 0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, /* ff02::1 */
		0x88, 0x00,             /* a neighbour advertisement */
		0x00, 0x00,             /* the checksum; see below */
		0xa0, 0x00, 0x00, 0x00, /* of a router, unsolicited, to override */
		0xfd, 0x00, 0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02,
		0x02, 0x01, /* at this MAC: */
		0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee,
	};
	uint8_t frame[200];
	size_t n = announce_and_capture(*state, "fd00::2", frame);

	assert_int_equal(n, sizeof(want));
	frame[56] = frame[57] = 0;
	assert_memory_equal(frame, want, sizeof(want));
}

/* Over the pseudo-header and the message, all words with the checksum among them sum up to zero. */
static void the_checksum_is_right(void **state)
{
	static const char *const addresses[] = { "fd00::2", "fd00::ffff:ffff:ffff:ffff", "::1:0:1",
						 "2001:db8:ffff:ffff:ffff:ffff:ffff:fffe" };
	uint8_t frame[200];

	for (size_t i = 0; i < TEST_COUNT(addresses); i++) {
		size_t n = announce_and_capture(*state, addresses[i], frame);
		uint32_t sum = (uint32_t)(n - 54) + IPPROTO_ICMPV6;

		for (size_t at = 22; at < n; at += 2)
			sum += (uint32_t)frame[at] << 8 | frame[at + 1];
		while (sum >> 16)
			sum = (sum & 0xffff) + (sum >> 16);
		assert_int_equal(sum, 0xffff);
	}
}

/* The point of it: a neighbour's old entry is overwritten at once. */
static void a_stale_neighbour_is_put_right(void **state)
{
	static const struct {
		const char *ip, *own;
	} cases[] = { { "10.1.0.2", "10.1.0.9/24" }, { "fd00::2", "fd00::9/64" } };
	struct rtnl_lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		uint8_t frame[200];

		ns_run(lab->pod_fd,
		       "ip addr add %s dev eth0 %s; "
		       "ip neigh replace %s lladdr 02:00:00:00:09:09 dev eth0 nud stale",
		       cases[i].own, i ? "nodad" : "", cases[i].ip);
		announce_and_capture(lab, cases[i].ip, frame);
		assert_non_null(strstr(rtnl_lab_text(lab->pod_fd, "ip neigh show %s", cases[i].ip),
				       "lladdr 02:aa:bb:cc:dd:ee"));
	}
}

static void a_link_that_is_gone_is_an_error(void **state)
{
	struct rtnl_lab *lab = *state;
	struct ipaddr ip;

	assert_int_equal(ipaddr_parse("10.1.0.2", &ip), 0);
	assert_int_equal(announce(4711, "host7", &announced, &ip, &lab->err), -ENXIO);
	assert_string_equal(lab->err.msg,
			    "cannot announce 10.1.0.2 on host7: No such device or address");
	assert_int_equal(lab->err.code, PW_E_NETLINK);
}

int main(void)
{
#define WITH_LAB(test) cmocka_unit_test_setup_teardown(test, rtnl_lab_setup, rtnl_lab_teardown)
	const struct CMUnitTest tests[] = {
		WITH_LAB(ipv4_is_a_gratuitous_arp_request),
		WITH_LAB(ipv6_is_an_unsolicited_advertisement),
		WITH_LAB(the_checksum_is_right),
		WITH_LAB(a_stale_neighbour_is_put_right),
		WITH_LAB(a_link_that_is_gone_is_an_error),
	};
	int r = ns_isolate();

	return r ? r : cmocka_run_group_tests(tests, NULL, NULL);
}
