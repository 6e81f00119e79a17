/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <string.h>

#include "bpf_lab.h"
#include "cases.h"

static const struct layer from_own4[] = {
	ETH(OWN, ETH_P_IP), IP4("10.1.0.2", IPPROTO_TCP), TCP, {}
};
static const struct layer from_own6[] = {
	ETH(OWN, ETH_P_IPV6), IP6("fd00::2", IPPROTO_TCP), TCP, {}
};
static const struct layer from_allowed4[] = {
	ETH(OWN, ETH_P_IP), IP4("10.7.9.9", IPPROTO_TCP), TCP, {}
};
static const struct layer from_allowed6[] = {
	ETH(OWN, ETH_P_IPV6), IP6("2001:db8:7::9", IPPROTO_TCP), TCP, {}
};
static const struct layer of_other_mac[] = {
	ETH(OTHER, ETH_P_IP), IP4("10.1.0.2", IPPROTO_TCP), TCP, {}
};

static struct packet packet;

static void expect(struct bpf_lab *lab, const struct layer *layers, enum verdict verdict,
		   const char *name)
{
	packet_build(&packet, layers);
	lab_expect(lab, &packet, verdict, name);
}

static void each_packet_gets_its_verdict(void **state)
{
	struct bpf_lab *lab = *state;

	for (size_t i = 0; i < n_packet_cases; i++)
		expect(lab, packet_cases[i].layers, packet_cases[i].verdict, packet_cases[i].name);
}

static void each_verdict_counts_by_the_segment(void **state)
{
	struct bpf_lab *lab = *state;

	lab->skb.gso_segs = 44;
	lab->skb.gso_size = 100;
	for (size_t i = 0; i < n_packet_cases; i++)
		expect(lab, packet_cases[i].layers, packet_cases[i].verdict, packet_cases[i].name);
}

/* One other bit makes another sender. */
static void every_bit_of_a_source_counts(void **state)
{
	static const struct {
		const struct layer *layers;
		size_t from, to;
	} sources[] = {
		{ from_own4, 26, 30 }, { from_own6, 22, 38 }, { from_own4, 6, 12 }, /* the MAC */
	};
	struct bpf_lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(sources); i++) {
		packet_build(&packet, sources[i].layers);
		for (size_t bit = sources[i].from * 8; bit < sources[i].to * 8; bit++) {
			packet.b[bit / 8] ^= (uint8_t)(1 << bit % 8);
			lab_expect(lab, &packet, SPOOFED, "one other bit");
			packet.b[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		lab_expect(lab, &packet, PASSED, "all bits");
	}
}

static void all_passes_unlooked_at_with_the_check_off(void **state)
{
	struct bpf_lab *lab = *state;

	lab->port.flags &= ~(uint32_t)PW_PORT_SOURCE_CHECK;
	lab_put_port(lab);
	for (size_t i = 0; i < n_packet_cases; i++)
		expect(lab, packet_cases[i].layers, PASSED, packet_cases[i].name);
}

static void any_mac_will_do_without_its_check(void **state)
{
	struct bpf_lab *lab = *state;

	lab->port.flags &= ~(uint32_t)PW_PORT_CHECK_MAC;
	lab_put_port(lab);
	expect(lab, of_other_mac, PASSED, "other MAC");
	for (size_t i = 0; i < n_packet_cases; i++) {
		if (packet_cases[i].layers[0].a == OWN)
			expect(lab, packet_cases[i].layers, packet_cases[i].verdict,
			       packet_cases[i].name);
	}
}

static void more_sources_are_looked_for_only_where_there_are_some(void **state)
{
	struct bpf_lab *lab = *state;

	lab->port.flags &= ~(uint32_t)PW_PORT_MORE_SOURCES;
	lab_put_port(lab);
	expect(lab, from_own4, PASSED, "own IPv4");
	expect(lab, from_own6, PASSED, "own IPv6");
	expect(lab, from_allowed4, SPOOFED, "allowed IPv4");
	expect(lab, from_allowed6, SPOOFED, "allowed IPv6");
}

static void what_another_slot_may_send_this_one_may_not(void **state)
{
	static const struct layer theirs[] = {
		ETH(OWN, ETH_P_IP), IP4("10.9.0.1", IPPROTO_TCP), TCP, {}
	};
	struct bpf_lab *lab = *state;

	lab_put_source(lab, LAB_SLOT + 1, "10.9.0.0", 96 + 16);
	lab_put_source(lab, LAB_SLOT - 1, "10.9.0.0", 96 + 16);
	expect(lab, theirs, SPOOFED, "theirs");
	lab_put_source(lab, LAB_SLOT, "10.9.0.1", 128);
	expect(lab, theirs, PASSED, "a single address");
}

static void all_of_ipv6_is_not_all_of_ipv4(void **state)
{
	static const struct layer any[] = {
		ETH(OWN, ETH_P_IP), IP4("203.0.113.77", IPPROTO_TCP), TCP, {}
	};
	static const struct layer six[] = {
		ETH(OWN, ETH_P_IPV6), IP6("2001:db8:77::1", IPPROTO_TCP), TCP, {}
	};
	struct bpf_lab *lab = *state;

	lab_put_source(lab, LAB_SLOT, "::", 0);
	expect(lab, six, PASSED, "IPv6");
	expect(lab, any, SPOOFED, "IPv4");
	lab_put_source(lab, LAB_SLOT, "203.0.113.0", 96 + 24);
	expect(lab, any, PASSED, "IPv4 that is allowed as well");
}

static void all_of_ipv4_may_be_allowed(void **state)
{
	static const struct layer any[] = {
		ETH(OWN, ETH_P_IP), IP4("203.0.113.77", IPPROTO_TCP), TCP, {}
	};
	static const struct layer nobody[] = {
		ETH(OWN, ETH_P_IP), IP4("0.0.0.0", IPPROTO_TCP), TCP, {}
	};
	struct bpf_lab *lab = *state;

	lab_put_source(lab, LAB_SLOT, "0.0.0.0", 96);
	expect(lab, any, PASSED, "any IPv4");
	expect(lab, nobody, SPOOFED, "nobody's");
}

static void each_of_its_own_addresses_is_compared(void **state)
{
	struct bpf_lab *lab = *state;

	for (uint8_t n = 0; n <= PW_OWN_MAX; n++) {
		memset(lab->port.own, 0, sizeof(lab->port.own));
		lab->port.own[PW_OWN_MAX - 1] = lab_address("10.1.0.2");
		if (n > 0)
			lab->port.own[n - 1] = lab_address("fd00::2");
		lab->port.n_own = n;
		lab_put_port(lab);
		expect(lab, from_own6, n > 0 ? PASSED : SPOOFED, "the last of them");
		expect(lab, from_own4, SPOOFED, "one that isn't counted");
	}
}

/* Garbage in the map must not let the program out of it; the verifier holds that too. */
static void more_addresses_than_there_is_room_for_are_not_read(void **state)
{
	struct bpf_lab *lab = *state;

	lab->port.n_own = 255;
	lab_put_port(lab);
	expect(lab, from_own4, PASSED, "own");
	expect(lab, of_other_mac, SPOOFED, "other MAC");
}

int main(void)
{
#define WITH_LAB(test) cmocka_unit_test_setup(test, bpf_lab_setup)
	const struct CMUnitTest tests[] = {
		WITH_LAB(each_packet_gets_its_verdict),
		WITH_LAB(each_verdict_counts_by_the_segment),
		WITH_LAB(every_bit_of_a_source_counts),
		WITH_LAB(all_passes_unlooked_at_with_the_check_off),
		WITH_LAB(any_mac_will_do_without_its_check),
		WITH_LAB(more_sources_are_looked_for_only_where_there_are_some),
		WITH_LAB(what_another_slot_may_send_this_one_may_not),
		WITH_LAB(all_of_ipv6_is_not_all_of_ipv4),
		WITH_LAB(all_of_ipv4_may_be_allowed),
		WITH_LAB(each_of_its_own_addresses_is_compared),
		WITH_LAB(more_addresses_than_there_is_room_for_are_not_read),
	};

	return bpf_lab_run(tests);
}
