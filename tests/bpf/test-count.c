/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <bpf/bpf.h>
#include <linux/if_ether.h>
#include <string.h>

#include "bpf_lab.h"
#include "cases.h"

static struct packet packet;

struct hook {
	const struct bpf_program *program;
	enum pw_direction direction;
};

static size_t all_hooks(struct bpf_lab *lab, struct hook *hooks)
{
	hooks[0] = (struct hook){ lab->skel->progs.from_pod, PW_IN };
	hooks[1] = (struct hook){ lab->skel->progs.to_pod, PW_OUT };
	hooks[2] = (struct hook){ lab->skel->progs.from_uplink, PW_IN };
	hooks[3] = (struct hook){ lab->skel->progs.to_uplink, PW_OUT };
	return 4;
}

/* Of all slots and directions. */
static struct lab_counts total(struct bpf_lab *lab)
{
	struct lab_counts sum = {};

	for (uint32_t i = 0; i < PW_SLOTS * PW_DIRECTIONS; i++) {
		struct lab_counts n = lab_counts(lab, i / PW_DIRECTIONS, i % PW_DIRECTIONS);

		sum.packets += n.packets;
		sum.bytes += n.bytes;
		sum.spoofed += n.spoofed;
		sum.unparsed += n.unparsed;
		sum.no_slot = n.no_slot;
	}
	return sum;
}

/* lab_run() sees to what is counted: here it is that nothing else is. */
static void each_program_counts_in_its_direction_alone(void **state)
{
	struct bpf_lab *lab = *state;
	struct lab_counts sum, in, out;
	struct hook hooks[4];
	size_t bytes = 0;

	packet_build(&packet, packet_cases[0].layers);
	for (size_t i = 0; i < all_hooks(lab, hooks); i++) {
		for (size_t n = 0; n <= i; n++) {
			assert_int_equal(
				lab_run(lab, hooks[i].program, hooks[i].direction, &packet, "own"),
				PASSED);
			bytes += packet.len;
		}
	}
	sum = total(lab);
	in = lab_counts(lab, LAB_SLOT, PW_IN);
	out = lab_counts(lab, LAB_SLOT, PW_OUT);
	assert_int_equal(in.packets, 1 + 3);
	assert_int_equal(out.packets, 2 + 4);
	assert_int_equal(sum.packets, in.packets + out.packets);
	assert_int_equal(sum.bytes, bytes);
	assert_int_equal(sum.spoofed + sum.unparsed + sum.no_slot, 0);
}

static void what_goes_to_a_pod_or_an_uplink_is_not_checked(void **state)
{
	struct bpf_lab *lab = *state;
	struct hook hooks[4];

	for (size_t h = 1; h < all_hooks(lab, hooks); h++) {
		for (size_t i = 0; i < n_packet_cases; i++) {
			packet_build(&packet, packet_cases[i].layers);
			for (; packet.len >= lab_least_len(&packet); packet.len -= 5)
				assert_int_equal(lab_run(lab, hooks[h].program, hooks[h].direction,
							 &packet, packet_cases[i].name),
						 PASSED);
		}
	}
}

static void expect_no_slot(struct bpf_lab *lab, const char *why)
{
	struct hook hooks[4];
	struct lab_counts sum;

	packet_build(&packet, packet_cases[0].layers);
	packet.b[14 + 15]++; /* spoofed, if anybody looked */
	for (size_t i = 0; i < all_hooks(lab, hooks); i++)
		assert_int_equal(lab_run(lab, hooks[i].program, hooks[i].direction, &packet, why),
				 NO_SLOT);
	sum = total(lab);
	assert_int_equal(sum.packets + sum.bytes + sum.spoofed + sum.unparsed, 0);
}

static void without_a_slot_a_packet_is_let_through_and_counted(void **state)
{
	struct bpf_lab *lab = *state;

	lab_remove_slot(lab, LAB_IFINDEX);
	expect_no_slot(lab, "no slot");
	lab_put_slot(lab, LAB_IFINDEX, PW_SLOTS);
	expect_no_slot(lab, "one after the last slot");
	lab_put_slot(lab, LAB_IFINDEX, UINT32_MAX);
	expect_no_slot(lab, "no number of a slot");
	lab_put_slot(lab, LAB_IFINDEX, 0);
	expect_no_slot(lab, "nobody's slot");
	lab_put_slot(lab, LAB_IFINDEX, LAB_SLOT + 1);
	expect_no_slot(lab, "a free slot");
}

static void a_slot_that_has_another_owner_now_is_no_slot(void **state)
{
	struct bpf_lab *lab = *state;

	lab->port.ifindex = LAB_IFINDEX + 1;
	lab_put_port(lab);
	expect_no_slot(lab, "another's slot");
	lab->port.ifindex = 0;
	lab_put_port(lab);
	expect_no_slot(lab, "a slot that was freed");
	lab->skb.gso_segs = 3;
	lab->skb.gso_size = 1;
	expect_no_slot(lab, "segments");
}

static void the_first_and_the_last_slot_count_as_well(void **state)
{
	static const uint32_t ends[] = { 1, PW_SLOTS - 1 };
	struct bpf_lab *lab = *state;

	packet_build(&packet, packet_cases[0].layers);
	for (size_t i = 0; i < TEST_COUNT(ends); i++) {
		LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet.b,
			    .data_size_in = (uint32_t)packet.len, .repeat = 3);
		struct lab_counts n;

		assert_int_equal(bpf_map_update_elem(bpf_map__fd(lab->skel->maps.ports), &ends[i],
						     &lab->port, BPF_ANY),
				 0);
		lab_put_slot(lab, LAB_IFINDEX, ends[i]);
		assert_int_equal(
			bpf_prog_test_run_opts(bpf_program__fd(lab->skel->progs.to_pod), &run), 0);
		n = lab_counts(lab, ends[i], PW_OUT);
		assert_int_equal(n.packets, 3);
		assert_int_equal(n.bytes, 3 * packet.len);
	}
}

static void the_uplinks_xdp_program_passes_all_and_counts_nothing(void **state)
{
	struct bpf_lab *lab = *state;
	static struct packet out;
	struct lab_counts sum;

	for (size_t i = 0; i < n_packet_cases; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet.b, .data_out = out.b,
			    .data_size_out = sizeof(out.b));

		packet_build(&packet, packet_cases[i].layers);
		run.data_size_in = (uint32_t)packet.len;
		assert_int_equal(
			bpf_prog_test_run_opts(bpf_program__fd(lab->skel->progs.uplink_xdp), &run),
			0);
		assert_int_equal(run.retval, XDP_PASS);
		assert_int_equal(run.data_size_out, packet.len);
		assert_memory_equal(out.b, packet.b, packet.len);
	}
	sum = total(lab);
	assert_int_equal(sum.packets + sum.bytes + sum.spoofed + sum.unparsed + sum.no_slot, 0);
}

int main(void)
{
#define WITH_LAB(test) cmocka_unit_test_setup(test, bpf_lab_setup)
	const struct CMUnitTest tests[] = {
		WITH_LAB(each_program_counts_in_its_direction_alone),
		WITH_LAB(what_goes_to_a_pod_or_an_uplink_is_not_checked),
		WITH_LAB(without_a_slot_a_packet_is_let_through_and_counted),
		WITH_LAB(a_slot_that_has_another_owner_now_is_no_slot),
		WITH_LAB(the_first_and_the_last_slot_count_as_well),
		WITH_LAB(the_uplinks_xdp_program_passes_all_and_counts_nothing),
	};

	return bpf_lab_run(tests);
}
