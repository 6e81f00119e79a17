/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/if_ether.h>
#include <stdio.h>

#include "bpf_lab.h"
#include "cases.h"

static struct packet packet;

static void a_cut_packet_is_let_through_until_its_source_shows(void **state)
{
	struct bpf_lab *lab = *state;

	for (size_t i = 0; i < n_packet_cases; i++) {
		const struct packet_case *c = &packet_cases[i];

		packet_build(&packet, c->layers);
		for (; packet.len >= lab_least_len(&packet); packet.len--)
			lab_expect(lab, &packet, case_verdict(c, packet.len), c->name);
	}
}

static void every_protocol_number_leads_somewhere(void **state)
{
	static const struct layer v4[] = { ETH(OWN, ETH_P_IP), IP4("0.0.0.0", 0), UDP(68, 67), {} };
	static const struct layer v6[] = { ETH(OWN, ETH_P_IPV6), IP6("::", 0), DATA(64), {} };
	struct bpf_lab *lab = *state;

	for (unsigned int protocol = 0; protocol < 256; protocol++) {
		packet_build(&packet, v4);
		packet.b[14 + 9] = (uint8_t)protocol;
		lab_expect(lab, &packet, oracle_verdict(&packet), "IPv4");
		packet_build(&packet, v6);
		packet.b[14 + 6] = (uint8_t)protocol;
		lab_expect(lab, &packet, oracle_verdict(&packet), "IPv6");
	}
}

static void every_ethertype_leads_somewhere(void **state)
{
	static const struct layer v4[] = { ETH(OWN, 0), IP4("10.1.0.3", 6), TCP, {} };
	struct bpf_lab *lab = *state;

	packet_build(&packet, v4);
	for (unsigned int type = 0; type < 0x10000; type += 1 + (type & 7)) {
		packet.b[12] = (uint8_t)(type >> 8);
		packet.b[13] = (uint8_t)type;
		lab_expect(lab, &packet, oracle_verdict(&packet), "an ethertype");
	}
}

/* Some cuts fall on what the lab can't run. */
static void expect_oracle(struct bpf_lab *lab, const char *name)
{
	if (packet.len < lab_least_len(&packet))
		packet.len = lab_least_len(&packet);
	lab_expect(lab, &packet, oracle_verdict(&packet), name);
}

static void a_packet_with_some_other_bytes_is_judged_by_them(void **state)
{
	struct bpf_lab *lab = *state;
	struct dice dice = { 20240229 };
	char name[128];

	for (unsigned int i = 0; i < 20000; i++) {
		const struct packet_case *c =
			&packet_cases[dice_below(&dice, (uint32_t)n_packet_cases)];
		uint32_t len;

		packet_build(&packet, c->layers);
		len = (uint32_t)packet.len;
		for (uint32_t n = 1 + dice_below(&dice, 4); n > 0; n--)
			packet.b[dice_below(&dice, len)] = (uint8_t)dice_below(&dice, 256);
		if (dice_below(&dice, 4) == 0)
			packet.len = ETH_HLEN + dice_below(&dice, len - ETH_HLEN + 1);
		snprintf(name, sizeof(name), "variation %u of \"%s\"", i, c->name);
		expect_oracle(lab, name);
	}
}

static void random_bytes_never_confuse_it(void **state)
{
	static const uint16_t types[] = { ETH_P_IP, ETH_P_IPV6, ETH_P_ARP, ETH_P_8021Q,
					  ETH_P_8021AD };
	struct bpf_lab *lab = *state;
	struct dice dice = { 4711 };
	char name[32];

	for (unsigned int i = 0; i < 10000; i++) {
		uint16_t type = types[dice_below(&dice, TEST_COUNT(types))];
		const struct layer head[] = { ETH(dice_below(&dice, 3) ? OWN : OTHER, type), {} };

		packet_build(&packet, head);
		for (uint32_t n = dice_below(&dice, 1500); n > 0; n--)
			packet.b[packet.len++] = (uint8_t)dice_below(&dice, 256);
		snprintf(name, sizeof(name), "packet %u", i);
		expect_oracle(lab, name);
	}
}

int main(void)
{
#define WITH_LAB(test) cmocka_unit_test_setup(test, bpf_lab_setup)
	const struct CMUnitTest tests[] = {
		WITH_LAB(a_cut_packet_is_let_through_until_its_source_shows),
		WITH_LAB(every_protocol_number_leads_somewhere),
		WITH_LAB(every_ethertype_leads_somewhere),
		WITH_LAB(a_packet_with_some_other_bytes_is_judged_by_them),
		WITH_LAB(random_bytes_never_confuse_it),
	};

	return bpf_lab_run(tests);
}
