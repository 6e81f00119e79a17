/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ports come and go in every order. */
#include "test.h"

#include <string.h>

#include "agent_model_lab.h"
#include "base/cleanup.h"

static void record_then_link(void **state)
{
	struct model *m = *state;

	see_record(m, "adding");
	assert_port(m, POD, "pending/ changed");
	settle(m);
	see_link(m, POD, 7);
	assert_port(m, POD, "pending/ changed");
	settle(m);
	assert_int_equal(model_find(m, POD)->source_check, SOURCE_CHECK_KERNEL);
	see_record(m, "ready");
	assert_port(m, POD, "pending/ slot dirty changed");
	settle(m);
	assert_port(m, POD, "ready/learning slot");
	assert_ptr_equal(model_find(m, POD), model_find_index(m, 7));
	assert_int_equal(model_find(m, POD)->kind, PW_PORT_POD);
	assert_string_equal(model_find(m, POD)->kind_name, "veth");
	assert_pod_mac(m, RECORD_MAC);
}

static void link_then_record(void **state)
{
	struct model *m = *state;

	see_link(m, POD, 7);
	assert_port(m, POD, "no-record/record changed");
	assert_int_equal(model_find(m, POD)->source_check, SOURCE_CHECK_NONE);
	settle(m);
	see_record(m, "ready");
	assert_port(m, POD,
		    "no-record/record slot dirty changed"); /* until the sinks are through */
	settle(m);
	assert_port(m, POD, "ready/learning slot");
}

static void link_goes_first(void **state)
{
	struct model *m = *state;
	const struct model_freed *freed;
	size_t n;

	see_record(m, "ready");
	see_link(m, POD, 7);
	settle(m);
	model_link_gone(m, 7);
	assert_port(m, POD, "pending/ changed");
	assert_null(model_find_index(m, 7));
	assert_false(model_find(m, POD)->up);
	assert_int_equal(model_find(m, POD)->path, PORT_PATH_KERNEL);
	freed = model_freed(m, &n);
	assert_int_equal(n, 1);
	assert_int_equal(freed->ifindex, 7);
	assert_int_equal(freed->generation, 2);
	settle(m);
	model_record_gone(m, POD);
	assert_port(m, POD, "pending/ changed gone");
	settle(m);
	assert_port(m, POD, "none");
	assert_int_equal(model_ports(m), 0);
}

static void record_goes_first(void **state)
{
	struct model *m = *state;

	see_record(m, "ready");
	see_link(m, POD, 7);
	settle(m);
	model_record_gone(m, POD);
	assert_port(m, POD, "no-record/record changed");
	assert_int_equal(model_find(m, POD)->source_check, SOURCE_CHECK_NONE);
	assert_null(model_find(m, POD)->record.root);
	assert_freed(m, 1);
	settle(m);
	model_link_gone(m, 7);
	assert_port(m, POD, "pending/ changed gone");
	settle(m);
	assert_port(m, POD, "none");
}

/* What has been seen of POD, by the plainest means. */
struct seen {
	int ifindex;
	enum {
		NO_RECORD,
		ADDING,
		READY,
		UNREADABLE
	} record;
};

/* 0, 1: its link is seen, of either index; 2, 3: is gone; then the record as in the enum above. */
#define STEPS 8u

static void take_step(struct model *m, unsigned int step, struct seen *seen)
{
	int ifindex = step % 2 ? 8 : 7;

	if (step < 2) {
		see_link(m, POD, ifindex);
		seen->ifindex = ifindex;
		return;
	}
	if (step < 4) {
		model_link_gone(m, ifindex);
		seen->ifindex = seen->ifindex == ifindex ? 0 : seen->ifindex;
		return;
	}
	seen->record = step - 4;
	switch (seen->record) {
	case NO_RECORD:
		model_record_gone(m, POD);
		break;
	case ADDING:
		see_record(m, "adding");
		break;
	case READY:
		see_record(m, "ready");
		break;
	case UNREADABLE:
		see_bad_record(m, "bad");
		break;
	}
}

static const char *expected(const struct seen *seen)
{
	if (!seen->ifindex)
		return seen->record == NO_RECORD ? "none" : "pending/";
	if (seen->record == NO_RECORD || seen->record == UNREADABLE)
		return "no-record/record";
	return seen->record == ADDING ? "pending/" : "ready/learning slot";
}

/* Whoever had a slot, nobody else is ever taken for them. */
static void assert_owner_is_new(struct model *m, uint64_t had[], size_t *n)
{
	const struct port *p = model_find(m, POD);
	uint64_t owner = p ? (uint64_t)p->slot << 32 | p->generation : 0;

	if (owner == 0)
		return;
	for (size_t i = 0; i < *n; i++)
		assert_true(had[i] != owner);
	had[(*n)++] = owner;
}

static void take_steps(unsigned int sequence, size_t n, bool settled)
{
	_cleanup_(model_freep) struct model *m = NULL;
	struct seen seen = {};
	uint64_t had[8];
	size_t n_had = 0;

	assert_int_equal(model_new(8, &m, NULL), 0);
	for (size_t i = 0; i < n; i++, sequence /= STEPS) {
		struct seen before = seen;
		bool is_news;

		take_step(m, sequence % STEPS, &seen);
		if (!settled)
			continue;
		is_news = seen.ifindex != before.ifindex || seen.record != before.record;
		for (size_t k = 0; k < model_ports(m); k++) {
			const struct port *p = model_port(m, k);

			assert_int_equal(p->changed, is_news);
			assert_int_equal(p->dirty, is_news && seen.ifindex && seen.record == READY);
			assert_int_equal(p->gone, !seen.ifindex && seen.record == NO_RECORD);
		}
		if (is_news)
			assert_owner_is_new(m, had, &n_had);
		settle(m);
		assert_port(m, POD, expected(&seen));
	}
	settle(m);
	assert_port(m, POD, expected(&seen));
	assert_freed(m, 0);
	assert_int_equal(model_free_slots(m), seen.ifindex && seen.record == READY ? 6 : 7);
}

static void every_order_ends_in_what_was_seen_last(void **state)
{
	unsigned int sequences = STEPS * STEPS * STEPS * STEPS;

	(void)state;
	for (unsigned int i = 0; i < sequences; i++) {
		take_steps(i, 4, true);
		take_steps(i, 4, false);
	}
}

static void uplinks_are_those_that_were_set_last(void **state)
{
	const unsigned int kinds = 9, sequences = 9 * 9 * 9 * 9;

	(void)state;
	for (unsigned int i = 0; i < sequences; i++) {
		_cleanup_(model_freep) struct model *m = NULL;
		int now = 0;

		assert_int_equal(model_new(8, &m, NULL), 0);
		for (unsigned int k = 0, rest = i; k < 4; k++, rest /= kinds) {
			int ifindex = rest % kinds % 2 ? 3 : 2, before = now;
			bool none = rest % kinds == 8;

			switch (rest % kinds / 2) {
			case 0:
				set_uplink(m, "eth0", ifindex);
				now = ifindex;
				break;
			case 1: /* it is one by its name; others are none */
				see_link(m, "eth0", ifindex);
				now = now ? ifindex : 0;
				break;
			case 2:
				model_link_gone(m, ifindex);
				now = now == ifindex ? 0 : now;
				break;
			default:
				model_keep_uplinks(m, &ifindex, none ? 0 : 1);
				now = none || now != ifindex ? 0 : now;
				break;
			}
			if (model_ports(m)) {
				assert_int_equal(model_port(m, 0)->gone, now == 0);
				assert_int_equal(model_port(m, 0)->dirty, now && now != before);
				assert_int_equal(model_port(m, 0)->changed, now != before);
			}
			if (i % 2)
				settle(m);
			else if (model_ports(m))
				model_port(m, 0)->dirty = model_port(m, 0)->changed = false;
		}
		settle(m);
		assert_int_equal(model_find_index(m, 2) != NULL, now == 2);
		assert_int_equal(model_find_index(m, 3) != NULL, now == 3);
		assert_int_equal(model_ports(m), now != 0);
		assert_int_equal(model_free_slots(m), now ? 6 : 7);
	}
}

static void uplinks_are_kept_one_by_one(void **state)
{
	struct model *m = *state;
	const int kept[] = { 4, 2, 99 };

	set_uplink(m, "eth0", 2);
	set_uplink(m, "eth1", 3);
	set_uplink(m, "eth2", 4);
	see_link(m, POD, 7);
	see_record(m, "ready");
	settle(m);
	model_keep_uplinks(m, kept, TEST_COUNT(kept));
	assert_port(m, "eth1", "pending/ changed gone");
	settle(m);
	assert_port(m, "eth0", "ready/learning slot");
	assert_port(m, "eth1", "none");
	assert_port(m, "eth2", "ready/learning slot");
	assert_port(m, POD, "ready/learning slot"); /* pods are none of its business */
	assert_int_equal(model_find(m, "eth0")->kind, PW_PORT_UPLINK);
}

static void links_of_others_are_nothing(void **state)
{
	struct model *m = *state;
	struct link_seen link = link_of(POD, 7);
	struct pw_error why = {};

	see_link(m, "eth0", 2);
	see_link(m, "vethpx", 3);
	model_link_gone(m, 2);
	model_link_gone(m, 0);
	model_link_gone(m, -1);
	assert_int_equal(model_set_uplink(m, &link, NULL), 0); /* a pod's is no uplink */
	assert_int_equal(model_record_seen(m, "eth0", NULL, &why, NULL), 0);
	model_record_gone(m, "eth0");
	model_record_gone(m, POD);
	pod_says(m, 7, "10.1.0.2", TOLD_MAC);
	model_can_take_frames(m, 7, true);
	model_foreign(m, 7, "qdisc tbf");
	assert_int_equal(model_ports(m), 0);
	assert_null(model_find_index(m, 0));
	assert_null(model_find_index(m, -1));
}

static void renamed_link_leaves_its_name_behind(void **state)
{
	struct model *m = *state;

	see_record(m, "ready");
	see_link(m, POD, 7);
	settle(m);
	see_link(m, "eth9", 7);
	assert_port(m, POD, "pending/ changed");
	assert_null(model_find_index(m, 7));
	assert_freed(m, 1);
	settle(m);
	see_link(m, POD, 7); /* and back */
	settle(m);
	assert_port(m, POD, "ready/learning slot");
	see_link(m, OTHER, 7);
	settle(m);
	assert_port(m, POD, "pending/");
	assert_port(m, OTHER, "no-record/record");
	assert_string_equal(model_find_index(m, 7)->ifname, OTHER);
}

static void renamed_uplink_is_one_only_once_it_is_named(void **state)
{
	struct model *m = *state;

	set_uplink(m, "eth0", 2);
	settle(m);
	see_link(m, "wan0", 2);
	assert_port(m, "eth0", "pending/ changed gone");
	assert_int_equal(model_ports(m), 1);
	set_uplink(m, "wan0", 2);
	settle(m);
	assert_port(m, "eth0", "none");
	assert_port(m, "wan0", "ready/learning slot");
	/* the old name's next device isn't, forgotten or not */
	see_link(m, "eth0", 3);
	assert_port(m, "eth0", "none");
}

static void names_may_be_swapped(void **state)
{
	struct model *m = *state;
	uint32_t slot;

	see_record(m, "ready");
	see_link(m, POD, 7);
	see_link(m, OTHER, 8);
	settle(m);
	slot = model_find(m, POD)->slot;
	see_link(m, OTHER, 7);
	see_link(m, POD, 8);
	assert_int_equal(model_ports(m), 2);
	assert_ptr_equal(model_find_index(m, 7), model_find(m, OTHER));
	assert_ptr_equal(model_find_index(m, 8), model_find(m, POD));
	assert_true(model_find(m, POD)->slot != slot);
	settle(m);
	assert_port(m, POD, "ready/learning slot");
	assert_port(m, OTHER, "no-record/record");
}

static void other_device_of_the_name_starts_afresh(void **state)
{
	struct model *m = *state;
	const struct port *p;
	uint32_t slot;

	see_record(m, "ready");
	see_link(m, POD, 7);
	model_foreign(m, 7, "qdisc tbf");
	model_can_take_frames(m, 7, true);
	pod_says(m, 7, "10.1.0.2", TOLD_MAC);
	model_find(m, POD)->times_detached = 2;
	settle(m);
	slot = model_find(m, POD)->slot;
	see_link(m, POD, 8);
	assert_port(m, POD, "ready/learning slot dirty changed");
	p = model_find(m, POD);
	assert_true(p->slot != slot);
	assert_string_equal(p->foreign, "");
	assert_false(p->can_take_frames);
	assert_int_equal(p->times_detached, 0);
	assert_pod_mac(m, RECORD_MAC);
	assert_null(model_find_index(m, 7));
	assert_freed(m, 1);
}

static void look_around_forgets_what_it_has_not_seen(void **state)
{
	const int uplink = 2;
	struct model *m = *state;

	see_record(m, "ready");
	see_link(m, POD, 7);
	see_link(m, OTHER, 8);
	set_uplink(m, "eth0", 2);
	set_uplink(m, "eth1", 3);
	settle(m);
	model_resync_begin(m);
	see_record(m, "ready");
	set_uplink(m, "eth0", 2);
	model_keep_uplinks(m, &uplink, 1);
	assert_port(m, POD, "ready/learning slot"); /* not before its end */
	model_resync_end(m);
	assert_port(m, POD, "pending/ changed");
	assert_port(m, OTHER, "pending/ changed gone");
	assert_port(m, "eth0", "ready/learning slot");
	assert_port(m, "eth1", "pending/ changed gone");
	settle(m);
	model_resync_begin(m);
	model_resync_end(m);
	assert_port(m, POD, "pending/ changed gone");
	settle(m);
	assert_int_equal(model_ports(m), 0);
	assert_int_equal(model_free_slots(m), 7);
}

static void look_around_that_sees_the_same_changes_nothing(void **state)
{
	const int uplink = 2;
	struct model *m = *state;

	for (int round = 0; round < 3; round++) {
		model_resync_begin(m);
		if (round < 2)
			see_record(m, "ready");
		else
			see_bad_record(m, "bad");
		see_link(m, POD, 7);
		see_link(m, OTHER, 8);
		see_link(m, "lo", 1);
		set_uplink(m, "eth0", 2);
		model_keep_uplinks(m, &uplink, 1);
		pod_says(m, 7, "10.1.0.2", TOLD_MAC);
		model_resync_end(m);
		model_can_take_frames(m, 2, true);
		model_foreign(m, 7, "qdisc tbf");
		if (round == 1) {
			assert_port(m, POD, "ready/learning slot");
			assert_port(m, OTHER, "no-record/record");
			assert_port(m, "eth0", "ready/learning slot");
			assert_int_equal(model_find(m, POD)->generation, 1);
			assert_freed(m, 0);
			assert_int_equal(model_ports(m), 3);
		}
		settle(m);
	}
	model_resync_begin(m);
	see_bad_record(m, "bad");
	see_link(m, POD, 7);
	model_resync_end(m);
	assert_port(m, POD, "no-record/record");
}

static void former_agents_slots_are_claimed_in_the_first_look(void **state)
{
	struct model *m = *state;
	struct pw_port pod = {
		.generation = 41, .ifindex = 7, .kind = PW_PORT_POD, .mac = { 2, 0, 0, 0, 0, 1 }
	};
	struct pw_port uplink = {
		.generation = 51, .ifindex = 2, .kind = PW_PORT_UPLINK, .mac = { 2, 0, 0, 0, 0, 9 }
	};
	struct pw_port gone = { .generation = 61, .ifindex = 9, .kind = PW_PORT_POD };

	model_adopt_slot(m, 3, &pod);
	model_adopt_slot(m, 5, &uplink);
	model_adopt_slot(m, 7, &gone);
	model_resync_begin(m);
	see_record(m, "ready");
	see_link(m, POD, 7);
	set_uplink(m, "eth0", 2); /* of another MAC */
	model_resync_end(m);
	assert_int_equal(model_find(m, POD)->slot, 3);
	assert_int_equal(model_find(m, POD)->generation, 41);
	assert_true(model_find(m, "eth0")->slot != 5 || model_find(m, "eth0")->generation == 52);
	assert_freed(m, 1);
	settle(m);
	assert_int_equal(model_free_slots(m), 5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_model, close_model)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(record_then_link),
		TEST(link_then_record),
		TEST(link_goes_first),
		TEST(record_goes_first),
		TEST(every_order_ends_in_what_was_seen_last),
		TEST(uplinks_are_those_that_were_set_last),
		TEST(uplinks_are_kept_one_by_one),
		TEST(links_of_others_are_nothing),
		TEST(renamed_link_leaves_its_name_behind),
		TEST(renamed_uplink_is_one_only_once_it_is_named),
		TEST(names_may_be_swapped),
		TEST(other_device_of_the_name_starts_afresh),
		TEST(look_around_forgets_what_it_has_not_seen),
		TEST(look_around_that_sees_the_same_changes_nothing),
		TEST(former_agents_slots_are_claimed_in_the_first_look),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
