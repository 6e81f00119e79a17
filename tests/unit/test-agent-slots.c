/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/slots.h"

DEFINE_CLEANUP(struct slots *, slots_free);

static const struct mac mac_a = { { 2, 0, 0, 0, 0, 0xa } }, mac_b = { { 2, 0, 0, 0, 0, 0xb } };

static struct slots *open_slots(uint32_t n)
{
	struct slots *s = NULL;

	assert_int_equal(slots_new(n, &s, NULL), 0);
	return s;
}

static uint32_t take(struct slots *s, int ifindex)
{
	return slots_take(s, ifindex, PW_PORT_POD, &mac_a);
}

static struct pw_port former(uint32_t generation, uint32_t ifindex, const struct mac *mac)
{
	struct pw_port was = { .generation = generation, .ifindex = ifindex, .kind = PW_PORT_POD };

	memcpy(was.mac, mac->b, sizeof(was.mac));
	return was;
}

/* The one that was left, and nothing else. */
static void assert_freed(const struct slots *s, uint32_t slot, uint32_t generation, int ifindex)
{
	size_t n;
	const struct model_freed *freed = slots_freed(s, &n);

	assert_int_equal(n, 1);
	assert_int_equal(freed->slot, slot);
	assert_int_equal(freed->generation, generation);
	assert_int_equal(freed->ifindex, ifindex);
}

static void slot_zero_is_nobodys(void **state)
{
	_cleanup_(slots_freep) struct slots *s = open_slots(4), *none = open_slots(1);
	bool seen[4] = {};

	(void)state;
	assert_int_equal(slots_count_free(s), 3);
	for (int i = 1; i <= 3; i++)
		seen[take(s, i)] = true;
	assert_false(seen[0]);
	assert_true(seen[1] && seen[2] && seen[3]);
	assert_int_equal(slots_count_free(s), 0);
	assert_int_equal(take(s, 4), 0);
	assert_int_equal(slots_count_free(s), 0);

	assert_int_equal(slots_count_free(none), 0);
	assert_int_equal(take(none, 1), 0);
}

static void generation_rises_once_on_leaving(void **state)
{
	_cleanup_(slots_freep) struct slots *s = open_slots(2);

	(void)state;
	for (uint32_t generation = 1; generation < 100; generation++) {
		assert_int_equal(take(s, 7), 1);
		assert_int_equal(slots_generation(s, 1), generation);
		slots_leave(s, 1);
		assert_int_equal(slots_generation(s, 1), generation + 1);
		assert_freed(s, 1, generation + 1, 7);
		slots_freed_clear(s);
		assert_int_equal(slots_generation(s, 1), generation + 1);
	}
}

static void slot_is_not_reused_before_it_was_cleared(void **state)
{
	_cleanup_(slots_freep) struct slots *s = open_slots(3);
	uint32_t first, second;
	size_t n;

	(void)state;
	first = take(s, 7);
	second = take(s, 8);
	slots_leave(s, first);
	assert_int_equal(slots_count_free(s), 0);
	assert_int_equal(take(s, 9), 0);
	slots_freed_clear(s);
	slots_freed(s, &n);
	assert_int_equal(n, 0);
	assert_int_equal(slots_count_free(s), 1);
	assert_int_equal(take(s, 9), first);
	slots_leave(s, second);
	assert_freed(s, second, 2, 8);
}

/* So that what still names one means nobody for as long as can be. */
static void slot_that_was_free_for_longest_comes_first(void **state)
{
	_cleanup_(slots_freep) struct slots *s = open_slots(4);

	(void)state;
	assert_int_equal(take(s, 7), 1);
	slots_leave(s, 1);
	slots_freed_clear(s);
	assert_int_equal(take(s, 8), 2);
	assert_int_equal(take(s, 9), 3);
	assert_int_equal(take(s, 10), 1);
}

static void same_device_and_mac_keeps_slot_and_generation(void **state)
{
	_cleanup_(slots_freep) struct slots *s = open_slots(8);
	struct pw_port was = former(41, 7, &mac_a);
	size_t n;

	(void)state;
	slots_adopt(s, 5, &was);
	assert_int_equal(slots_count_free(s), 6);
	assert_int_equal(take(s, 8), 1); /* somebody else doesn't get it */
	assert_int_equal(take(s, 7), 5);
	assert_int_equal(slots_generation(s, 5), 41);
	assert_int_equal(slots_count_free(s), 5);
	slots_leave_unclaimed(s);
	slots_freed(s, &n);
	assert_int_equal(n, 0);
	slots_leave(s, 5);
	assert_freed(s, 5, 42, 7);
}

static void another_mac_or_kind_raises_the_generation(void **state)
{
	static const struct {
		const struct mac *mac;
		enum pw_port_kind kind;
	} cases[] = { { &mac_b, PW_PORT_POD }, { &mac_a, PW_PORT_UPLINK } };

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		_cleanup_(slots_freep) struct slots *s = open_slots(8);
		struct pw_port was = former(41, 7, &mac_a);

		slots_adopt(s, 5, &was);
		assert_int_equal(slots_take(s, 7, cases[i].kind, cases[i].mac), 5);
		assert_int_equal(slots_generation(s, 5), 42);
	}
}

static void what_nobody_claims_leaves(void **state)
{
	_cleanup_(slots_freep) struct slots *s = open_slots(3);
	struct pw_port was = former(41, 7, &mac_a);

	(void)state;
	slots_adopt(s, 1, &was);
	assert_int_equal(take(s, 8), 2);
	assert_int_equal(take(s, 9), 0);
	slots_leave_unclaimed(s);
	assert_freed(s, 1, 42, 7);
	slots_leave_unclaimed(s); /* once more is nothing */
	assert_freed(s, 1, 42, 7);
	assert_int_equal(take(s, 7), 0);
	slots_freed_clear(s);
	assert_int_equal(take(s, 9), 1);
	assert_int_equal(slots_generation(s, 1), 42);
}

static void empty_slot_keeps_its_generation(void **state)
{
	_cleanup_(slots_freep) struct slots *s = open_slots(2);
	struct pw_port nobody = { .generation = 41 };
	size_t n;

	(void)state;
	slots_adopt(s, 1, &nobody);
	assert_int_equal(slots_count_free(s), 1);
	slots_leave_unclaimed(s);
	slots_freed(s, &n);
	assert_int_equal(n, 0);
	assert_int_equal(take(s, 7), 1);
	assert_int_equal(slots_generation(s, 1), 41);
}

static void what_cannot_be_adopted_is_not(void **state)
{
	_cleanup_(slots_freep) struct slots *s = open_slots(4);
	struct pw_port was = former(41, 7, &mac_a), other = former(51, 8, &mac_a);

	(void)state;
	slots_adopt(s, 0, &was);
	slots_adopt(s, 4, &was);
	slots_adopt(s, UINT32_MAX, &was);
	assert_int_equal(slots_count_free(s), 3);
	slots_adopt(s, 2, &was);
	slots_adopt(s, 2, &other); /* it's taken */
	assert_int_equal(slots_count_free(s), 2);
	assert_int_equal(slots_generation(s, 2), 41);
	/* a device has one slot: of two, the other leaves */
	slots_adopt(s, 3, &was);
	assert_int_equal(take(s, 7), 2);
	slots_leave_unclaimed(s);
	assert_freed(s, 3, 42, 7);
}

/* 0 is no generation that somebody has. */
static void generation_wraps_past_zero(void **state)
{
	_cleanup_(slots_freep) struct slots *s = open_slots(2);
	struct pw_port was = former(UINT32_MAX, 7, &mac_a);

	(void)state;
	slots_adopt(s, 1, &was);
	assert_int_equal(slots_take(s, 7, PW_PORT_POD, &mac_b), 1);
	assert_int_equal(slots_generation(s, 1), 1);
}

static void see_uplink(struct model *m, int ifindex)
{
	struct link_seen link = { .ifindex = ifindex, .mtu = 1500, .up = true };

	(void)snprintf(link.name, sizeof(link.name), "eth%d", ifindex);
	assert_int_equal(model_set_uplink(m, &link, NULL), 0);
}

static void assert_served(struct model *m, int ifindex, bool served)
{
	const struct port *p = model_find_index(m, ifindex);

	assert_non_null(p);
	assert_int_equal(p->slot != 0, served);
	assert_int_equal(p->dirty, served);
	assert_true(p->changed);
	if (!served) {
		assert_int_equal(p->state, PORT_READY);
		assert_int_equal(p->reason, PORT_REASON_SLOTS);
		assert_int_equal(p->generation, 0);
	}
}

static void port_that_waits_gets_the_slot_that_comes_free(void **state)
{
	_cleanup_(model_freep) struct model *m = NULL;
	uint32_t slot;

	(void)state;
	assert_int_equal(model_new(3, &m, NULL), 0);
	for (int i = 1; i <= 4; i++)
		see_uplink(m, i);
	assert_int_equal(model_free_slots(m), 0);
	for (int i = 1; i <= 4; i++)
		assert_served(m, i, i <= 2);

	slot = model_find_index(m, 1)->slot;
	model_link_gone(m, 1);
	assert_served(m, 3, false);
	for (int i = 3; i <= 4; i++)
		model_find_index(m, i)->changed = false;
	model_freed_clear(m);
	assert_served(m, 3, true);
	assert_int_equal(model_find_index(m, 3)->slot, slot);
	assert_int_equal(model_find_index(m, 3)->generation, 2);
	/* for the last one nothing has changed */
	assert_int_equal(model_find_index(m, 4)->slot, 0);
	assert_false(model_find_index(m, 4)->changed);
}

/* The device behind a port that was served is another, and it has to wait for its own slot. */
static void port_that_loses_its_slot_has_nothing_for_the_sinks(void **state)
{
	_cleanup_(model_freep) struct model *m = NULL;
	struct link_seen link = { .ifindex = 9, .name = "eth1", .up = true };

	(void)state;
	assert_int_equal(model_new(2, &m, NULL), 0);
	see_uplink(m, 1);
	assert_int_equal(model_link_seen(m, &link, NULL), 0);
	assert_served(m, 9, false);
	model_freed_clear(m);
	assert_served(m, 9, true);
}

static void all_slots_can_be_had(void **state)
{
	_cleanup_(model_freep) struct model *m = NULL;

	(void)state;
	assert_int_equal(model_new(PW_SLOTS, &m, NULL), 0);
	assert_int_equal(model_free_slots(m), PW_SLOTS - 1);
	for (int i = 1; i <= PW_SLOTS; i++)
		see_uplink(m, i);
	assert_int_equal(model_free_slots(m), 0);
	assert_served(m, PW_SLOTS - 1, true);
	assert_served(m, PW_SLOTS, false);
	for (int i = 1; i < PW_SLOTS; i++)
		model_link_gone(m, i);
	model_forget_gone(m);
	assert_int_equal(model_ports(m), 1);
	model_freed_clear(m);
	assert_served(m, PW_SLOTS, true);
	assert_int_equal(model_free_slots(m), PW_SLOTS - 2);
}

/* What the slots have to be, by the plainest means. */
struct plain {
	enum {
		FREE,
		ADOPTED,
		TAKEN,
		LEAVING
	} state[PW_SLOTS];
	uint32_t generation[PW_SLOTS];
	int ifindex[PW_SLOTS];
	struct model_freed freed[PW_SLOTS];
	size_t n_freed, n_free;
	uint32_t seed;
};

static uint32_t dice(struct plain *p, uint32_t sides)
{
	p->seed = p->seed * 1664525 + 1013904223;
	return (p->seed >> 8) % sides;
}

static void plain_take(struct plain *p, struct slots *s, int ifindex)
{
	uint32_t wanted = 0, got;

	for (uint32_t i = 1; i < PW_SLOTS && !wanted; i++) {
		if (p->state[i] == ADOPTED && p->ifindex[i] == ifindex)
			wanted = i;
	}
	got = take(s, ifindex);
	if (!got) {
		assert_true(!wanted && p->n_free == 0);
		return;
	}
	if (wanted)
		assert_int_equal(got, wanted);
	else
		assert_int_equal(p->state[got], FREE);
	p->n_free -= !wanted;
	p->state[got] = TAKEN;
	p->ifindex[got] = ifindex;
	if (p->generation[got] == 0)
		p->generation[got] = 1;
	assert_int_equal(slots_generation(s, got), p->generation[got]);
}

static void plain_leave(struct plain *p, struct slots *s, uint32_t slot)
{
	if (p->state[slot] != TAKEN)
		return;
	slots_leave(s, slot);
	p->state[slot] = LEAVING;
	p->freed[p->n_freed++] =
		(struct model_freed){ slot, ++p->generation[slot], p->ifindex[slot] };
}

static void plain_leave_unclaimed(struct plain *p, struct slots *s)
{
	slots_leave_unclaimed(s);
	for (uint32_t i = 1; i < PW_SLOTS; i++) {
		if (p->state[i] != ADOPTED)
			continue;
		p->state[i] = LEAVING;
		p->freed[p->n_freed++] =
			(struct model_freed){ i, ++p->generation[i], p->ifindex[i] };
	}
}

static void plain_clear(struct plain *p, struct slots *s)
{
	slots_freed_clear(s);
	for (size_t i = 0; i < p->n_freed; i++)
		p->state[p->freed[i].slot] = FREE;
	p->n_free += p->n_freed;
	p->n_freed = 0;
}

static void assert_as_plain(const struct plain *p, const struct slots *s)
{
	size_t n;
	const struct model_freed *freed = slots_freed(s, &n);

	assert_int_equal(n, p->n_freed);
	assert_int_equal(slots_count_free(s), p->n_free);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(freed[i].slot, p->freed[i].slot);
		assert_int_equal(freed[i].generation, p->freed[i].generation);
		assert_int_equal(freed[i].ifindex, p->freed[i].ifindex);
	}
}

static void plain_adopt(struct plain *p, struct slots *s)
{
	for (uint32_t i = 1; i < PW_SLOTS; i++) {
		struct pw_port was = former(1 + dice(p, 100), dice(p, 2) ? i : 0, &mac_a);

		if (dice(p, 3) == 0)
			continue;
		slots_adopt(s, i, &was);
		p->generation[i] = was.generation;
		p->ifindex[i] = (int)was.ifindex;
		p->state[i] = was.ifindex ? ADOPTED : FREE;
		p->n_free -= was.ifindex != 0;
	}
}

/* Long stretches of more coming than going and the other way round: full, and empty, now and then.
 */
static void thousands_come_and_go(void **state)
{
	_cleanup_(slots_freep) struct slots *s = open_slots(PW_SLOTS);
	_cleanup_(freep) struct plain *p = calloc(1, sizeof(*p));
	bool was_full = false;

	(void)state;
	assert_non_null(p);
	p->n_free = PW_SLOTS - 1;
	p->seed = 1;
	plain_adopt(p, s);
	for (int round = 0; round < 40000; round++) {
		uint32_t coming = round / 8000 % 2 ? 30 : 80;

		if (dice(p, 100) < coming)
			plain_take(p, s, 1 + (int)dice(p, 2 * PW_SLOTS));
		else
			plain_leave(p, s, 1 + dice(p, PW_SLOTS - 1));
		if (round == 3000)
			plain_leave_unclaimed(p, s);
		was_full |= p->n_free == 0;
		if (dice(p, 50) == 0)
			plain_clear(p, s);
		if (round % 16 == 0)
			assert_as_plain(p, s);
	}
	assert_true(was_full);
	assert_as_plain(p, s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slot_zero_is_nobodys),
		cmocka_unit_test(generation_rises_once_on_leaving),
		cmocka_unit_test(slot_is_not_reused_before_it_was_cleared),
		cmocka_unit_test(slot_that_was_free_for_longest_comes_first),
		cmocka_unit_test(same_device_and_mac_keeps_slot_and_generation),
		cmocka_unit_test(another_mac_or_kind_raises_the_generation),
		cmocka_unit_test(what_nobody_claims_leaves),
		cmocka_unit_test(empty_slot_keeps_its_generation),
		cmocka_unit_test(what_cannot_be_adopted_is_not),
		cmocka_unit_test(generation_wraps_past_zero),
		cmocka_unit_test(port_that_waits_gets_the_slot_that_comes_free),
		cmocka_unit_test(port_that_loses_its_slot_has_nothing_for_the_sinks),
		cmocka_unit_test(all_slots_can_be_had),
		cmocka_unit_test(thousands_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
