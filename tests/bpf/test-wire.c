/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "bpf_lab.h"
#include "cases.h"
#include "ns.h"

/*
 * The programs where they belong, on a pair of veths: what the lab can't run (cut IP headers, tags
 * that the kernel has taken off, packets whose headers aren't in the linear part).
 */

#define PATIENCE_S 10

static struct packet packet;
static int host, pod, sock = -EBADF;

static void start_wire(struct bpf_lab *lab)
{
	ns_run(-1, "echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6;"
		   "ip link add host0 mtu 9000 type veth peer name pod0 mtu 9000;"
		   "ip link set host0 up; ip link set pod0 up;"
		   "timeout 10 sh -c 'until ip link show dev host0 | grep -q \"state UP\" &&"
		   " ip link show dev pod0 | grep -q \"state UP\"; do :; done'");
	host = (int)if_nametoindex("host0");
	pod = (int)if_nametoindex("pod0");
	lab->port.ifindex = (uint32_t)host;
	lab_put_port(lab);
	lab_put_slot(lab, (uint32_t)host, LAB_SLOT);
}

static void make_hooks(void)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = host, .attach_point = BPF_TC_INGRESS);

	assert_int_equal(bpf_tc_hook_create(&hook), 0);
}

static void attach(const struct bpf_program *program, enum bpf_tc_attach_point point,
		   uint32_t priority)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = host, .attach_point = point);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = bpf_program__fd(program), .priority = priority,
		    .handle = 1);

	assert_int_equal(bpf_tc_attach(&hook, &opts), 0);
}

/* One for all packets: closing it waits for the kernel's RCU. */
static void open_sock(void)
{
	sock = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	assert_true(sock >= 0);
	assert_int_equal(setsockopt(sock, SOL_PACKET, PACKET_VNET_HDR, &(int){ 1 }, sizeof(int)),
			 0);
}

static int setup(void **state)
{
	struct bpf_lab *lab;

	bpf_lab_setup(state);
	lab = *state;
	start_wire(lab);
	open_sock();
	make_hooks();
	attach(lab->skel->progs.from_pod, BPF_TC_INGRESS, 1);
	attach(lab->skel->progs.to_pod, BPF_TC_EGRESS, 1);
	return 0;
}

static int teardown(void **state)
{
	struct bpf_lab *lab = *state;

	close(sock);
	lab_remove_slot(lab, (uint32_t)host);
	ns_run(-1, "ip link del host0");
	return 0;
}

/* Sends @packet with @linear bytes (0: all) of it in the skb's linear part. */
static void send_from(int ifindex, uint16_t linear)
{
	struct virtio_net_hdr head = { .hdr_len = linear };
	struct iovec iov[] = { { &head, sizeof(head) }, { packet.b, packet.len } };
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_ifindex = ifindex };
	struct msghdr message = { &to, sizeof(to), iov, TEST_COUNT(iov), NULL, 0, 0 };

	assert_int_equal(sendmsg(sock, &message, 0), (ssize_t)(sizeof(head) + packet.len));
}

static uint64_t all(const struct lab_counts *n)
{
	return n->packets + n->spoofed + n->no_slot;
}

/* A packet is on its way for a moment, and the kernel tells nobody when it's there. */
static struct lab_counts wait_for_count(struct bpf_lab *lab, enum pw_direction direction,
					const struct lab_counts *before, const char *name)
{
	struct lab_counts now;
	struct timespec t;
	time_t deadline;

	clock_gettime(CLOCK_MONOTONIC, &t);
	deadline = t.tv_sec + PATIENCE_S;
	do {
		now = lab_counts(lab, LAB_SLOT, direction);
		if (all(&now) != all(before))
			return now;
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while (t.tv_sec < deadline);
	fail_msg("%s, %zu bytes: never came", name, packet.len);
	return now;
}

/* The outermost tag is no longer among the bytes. */
static size_t len_at_tc(void)
{
	uint16_t type = (uint16_t)(packet.b[12] << 8 | packet.b[13]);

	return type == ETH_P_8021Q || type == ETH_P_8021AD ? packet.len - 4 : packet.len;
}

static void expect(struct bpf_lab *lab, uint16_t linear, enum verdict verdict, const char *name)
{
	struct lab_counts before = lab_counts(lab, LAB_SLOT, PW_IN), after;
	enum verdict is;

	send_from(pod, linear);
	after = wait_for_count(lab, PW_IN, &before, name);
	is = lab_verdict(&before, &after, len_at_tc(), 1, name);
	if (is != verdict)
		fail_msg("%s, %zu bytes, %u linear: %s instead of %s", name, packet.len, linear,
			 verdict_name(is), verdict_name(verdict));
}

/* One under the tag in the skb is looked through. */
static enum verdict verdict_on_wire(void)
{
	struct packet inner = packet;

	if (len_at_tc() == packet.len || (packet.b[14] & 0x0f) != 0 || packet.b[15] != 0)
		return oracle_verdict(&packet);
	memmove(inner.b + 12, inner.b + 16, inner.len - 16);
	inner.len -= 4;
	return oracle_verdict(&inner);
}

static void each_packet_gets_its_verdict_on_the_wire(void **state)
{
	struct bpf_lab *lab = *state;

	for (size_t i = 0; i < n_packet_cases; i++) {
		packet_build(&packet, packet_cases[i].layers);
		expect(lab, 0, verdict_on_wire(), packet_cases[i].name);
	}
}

static void a_packet_that_is_cut_anywhere_is_let_through(void **state)
{
	struct bpf_lab *lab = *state;

	for (size_t i = 0; i < n_packet_cases; i++) {
		packet_build(&packet, packet_cases[i].layers);
		if (len_at_tc() != packet.len) /* the kernel itself drops a tag that is cut */
			continue;
		for (packet.len = lab_least_len(&packet) - 1; packet.len >= ETH_HLEN; packet.len--)
			expect(lab, 0, case_verdict(&packet_cases[i], packet.len),
			       packet_cases[i].name);
	}
}

/* Wherever the linear part ends, and so in the middle of every header. */
static void headers_in_fragments_are_checked_as_well(void **state)
{
	struct bpf_lab *lab = *state;

	for (size_t i = 0; i < n_packet_cases; i++) {
		const struct packet_case *c = &packet_cases[i];
		uint16_t headers;

		packet_build(&packet, c->layers);
		headers = (uint16_t)packet.len;
		memset(packet.b + headers, 0, 6000);
		packet.len += 6000;
		for (uint16_t linear = ETH_HLEN; linear < headers; linear += 3)
			expect(lab, linear, verdict_on_wire(), c->name);
	}
}

static void what_goes_to_the_pod_is_counted_there(void **state)
{
	struct bpf_lab *lab = *state;
	struct lab_counts before = lab_counts(lab, LAB_SLOT, PW_OUT), after;

	packet_build(&packet, packet_cases[0].layers);
	send_from(host, 0);
	after = wait_for_count(lab, PW_OUT, &before, "to the pod");
	assert_int_equal(lab_verdict(&before, &after, packet.len, 1, "to the pod"), PASSED);
	after = lab_counts(lab, LAB_SLOT, PW_IN);
	assert_int_equal(all(&after), 0);
}

/* The other one counts in the same place, so what passes counts twice. */
static void others_filters_see_what_is_let_through_and_nothing_else(void **state)
{
	struct bpf_lab *lab = *state;
	struct lab_counts n = {};

	attach(lab->skel->progs.from_uplink, BPF_TC_INGRESS, 2);
	packet_build(&packet, packet_cases[0].layers);
	send_from(pod, 0);
	while (n.packets < 2)
		n = wait_for_count(lab, PW_IN, &n, "own");
	packet.b[14 + 15]++;
	send_from(pod, 0);
	n = wait_for_count(lab, PW_IN, &n, "spoofed");
	assert_int_equal(n.packets, 2);
	assert_int_equal(n.spoofed, 1);
}

static void xdp_lets_tc_count_even_with_jumbo_frames(void **state)
{
	struct bpf_lab *lab = *state;
	int fd = bpf_program__fd(lab->skel->progs.uplink_xdp);

	assert_int_equal(bpf_xdp_attach(host, fd, XDP_FLAGS_DRV_MODE, NULL), 0);
	packet_build(&packet, packet_cases[0].layers);
	expect(lab, 0, PASSED, "own");
	memset(packet.b + packet.len, 0, 6000);
	packet.len += 6000;
	expect(lab, 0, PASSED, "own, long");
	expect(lab, ETH_HLEN, PASSED, "own, long, in fragments");
	packet.b[14 + 15]++;
	expect(lab, ETH_HLEN, SPOOFED, "spoofed, long, in fragments");
}

int main(void)
{
#define WITH_WIRE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		WITH_WIRE(each_packet_gets_its_verdict_on_the_wire),
		WITH_WIRE(a_packet_that_is_cut_anywhere_is_let_through),
		WITH_WIRE(headers_in_fragments_are_checked_as_well),
		WITH_WIRE(what_goes_to_the_pod_is_counted_there),
		WITH_WIRE(others_filters_see_what_is_let_through_and_nothing_else),
		WITH_WIRE(xdp_lets_tc_count_even_with_jumbo_frames),
	};

	return bpf_lab_run(tests);
}
