/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is news to sinks and bus, and what is none. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "agent_model_lab.h"

static void what_a_link_says_is_news_once(void **state)
{
	struct model *m = *state;
	struct link_seen link = link_of(POD, 7);

	see_record(m, "ready");
	see_link(m, POD, 7);
	settle(m);
	for (int what = 0; what < 3; what++) {
		link.mtu -= what == 0;
		link.up ^= what == 1;
		link.mac.b[4] ^= what == 2;
		assert_int_equal(model_link_seen(m, &link, NULL), 0);
		assert_port(m, POD, "ready/learning slot dirty changed");
		settle(m);
		assert_int_equal(model_link_seen(m, &link, NULL), 0);
		assert_port(m, POD, "ready/learning slot");
		assert_int_equal(model_find(m, POD)->generation, 1);
	}
	assert_int_equal(model_find(m, POD)->mtu, 1499);
	assert_false(model_find(m, POD)->up);
	assert_true(mac_equal(&model_find(m, POD)->mac, &link.mac));
}

static void record_is_news_once(void **state)
{
	static const char *const more[] = {
		"",
		",\"addresses\":[]",
		",\"addresses\":[\"10.1.0.3/24\"]",
		",\"addresses\":[\"10.1.0.3/24\"],\"options\":{\"sourceCheck\":false}",
		",\"addresses\":[\"10.1.0.3/24\"],\"options\":{\"sourceCheck\":true}",
	};
	struct model *m = *state;

	see_record(m, "ready");
	see_link(m, POD, 7);
	settle(m);
	for (size_t i = 0; i < TEST_COUNT(more); i++) {
		see_record_of(m, "ready", RECORD_MAC, more[i]);
		assert_port(m, POD, "ready/learning slot dirty changed");
		settle(m);
		see_record_of(m, "ready", RECORD_MAC, more[i]);
		assert_port(m, POD, "ready/learning slot");
	}
	assert_int_equal(model_find(m, POD)->generation, 1);
	assert_int_equal(model_find(m, POD)->record.addresses.n, 1);
}

static void what_the_sinks_say_outlives_news(void **state)
{
	struct model *m = *state;

	see_record(m, "ready");
	see_link(m, POD, 7);
	settle(m);
	(void)snprintf(model_find(m, POD)->detail, 16, "qdisc tbf");
	see_record_of(m, "ready", RECORD_MAC, "");
	see_link(m, POD, 7);
	assert_string_equal(model_find(m, POD)->detail, "qdisc tbf");
	model_record_gone(m, POD);
	assert_string_equal(model_find(m, POD)->detail, "");
}

static void unreadable_record_says_why(void **state)
{
	struct model *m = *state;
	char why[400];

	see_link(m, POD, 7);
	see_bad_record(m, "record is of version 2, newer than 1");
	assert_port(m, POD, "no-record/record changed");
	for (int order = 0; order < 2; order++) {
		assert_string_equal(model_find(m, POD)->detail,
				    "record is of version 2, newer than 1");
		settle(m);
		see_bad_record(m, "record is of version 2, newer than 1");
		see_link(m, POD, 7);
		assert_port(m, POD, "no-record/record");
		model_link_gone(m, 7); /* and now the record is there first */
		see_link(m, POD, 7);
	}
	settle(m);
	memset(why, 'x', sizeof(why) - 1);
	why[sizeof(why) - 1] = '\0';
	why[3] = '\xff';
	see_bad_record(m, why);
	assert_port(m, POD, "no-record/record changed");
	assert_int_equal(strlen(model_find(m, POD)->detail),
			 sizeof(model_find(m, POD)->detail) - 1);
	assert_memory_equal(model_find(m, POD)->detail, "xxx?x", 5);
	settle(m);
	see_bad_record(m, why); /* even though it was cut */
	assert_port(m, POD, "no-record/record");
	see_record(m, "adding");
	assert_port(m, POD, "pending/ changed");
	assert_string_equal(model_find(m, POD)->detail, "");
}

static void record_that_turns_bad_ends_the_service(void **state)
{
	struct model *m = *state;

	see_record(m, "ready");
	see_link(m, POD, 7);
	settle(m);
	see_bad_record(m, "bad");
	assert_port(m, POD, "no-record/record changed");
	assert_null(model_find(m, POD)->record.root);
	assert_freed(m, 1);
	model_link_gone(m, 7);
	assert_false(model_find(m, POD)->gone); /* there's a record still */
	see_link(m, POD, 8);
	see_record(m, "ready");
	settle(m);
	assert_port(m, POD, "ready/learning slot");
}

static void pod_tells_its_mac(void **state)
{
	struct model *m = *state;

	see_record(m, "ready");
	see_link(m, POD, 7);
	settle(m);
	pod_says(m, 7, "10.1.0.2", RECORD_MAC);
	pod_says(m, 8, "10.1.0.2", TOLD_MAC);
	pod_says(m, 7, "10.1.0.3", TOLD_MAC); /* not the pod's address */
	pod_says(m, 7, "fe80::1", TOLD_MAC);
	pod_says(m, 7, "10.1.0.2", "00:00:00:00:00:00");
	pod_says(m, 7, "10.1.0.2", "ff:ff:ff:ff:ff:ff");
	assert_port(m, POD, "ready/learning slot");
	assert_pod_mac(m, RECORD_MAC);
	pod_says(m, 7, "10.1.0.2", TOLD_MAC);
	assert_port(m, POD, "ready/learning slot dirty changed");
	assert_int_equal(model_find(m, POD)->generation, 1);
	settle(m);
	pod_says(m, 7, "10.1.0.2", TOLD_MAC);
	assert_port(m, POD, "ready/learning slot");
	assert_pod_mac(m, TOLD_MAC);
}

static void told_mac_lasts_until_the_pod_is_another(void **state)
{
	struct model *m = *state;

	see_record(m, "ready");
	see_link(m, POD, 7);
	pod_says(m, 7, "10.1.0.2", TOLD_MAC);
	see_record(m, "adding");
	see_record(m, "ready");
	see_link(m, POD, 7);
	assert_pod_mac(m, TOLD_MAC);
	see_record_of(m, "ready", "02:00:00:00:00:99", ",\"addresses\":[\"10.1.0.2/24\"]");
	assert_pod_mac(m, "02:00:00:00:00:99");
	pod_says(m, 7, "10.1.0.2", TOLD_MAC);
	model_link_gone(m, 7);
	see_link(m, POD, 7);
	assert_pod_mac(m, "02:00:00:00:00:99");
	pod_says(m, 7, "10.1.0.2", TOLD_MAC);
	see_bad_record(m, "bad");
	see_record(m, "ready");
	assert_pod_mac(m, TOLD_MAC); /* it's the same pod */
	see_bad_record(m, "bad");
	see_link(m, POD, 8);
	see_record(m, "ready");
	assert_pod_mac(m, RECORD_MAC);
	pod_says(m, 8, "10.1.0.2", TOLD_MAC);
	model_record_gone(m, POD);
	assert_pod_mac(m, "00:00:00:00:00:00");
	see_record(m, "ready");
	assert_pod_mac(m, RECORD_MAC);
}

static void uplinks_have_no_pod_to_tell(void **state)
{
	struct model *m = *state;

	set_uplink(m, "eth0", 2);
	settle(m);
	pod_says(m, 2, "10.1.0.2", TOLD_MAC);
	assert_port(m, "eth0", "ready/learning slot");
}

static void foreign_is_news_once(void **state)
{
	static const char *const what[] = {
		"qdisc tbf",
		"qdisc",
		"qdisc tbf, filter",
		NULL,
		"name \xff",
		"0123456789012345678901234567890123456789012345678901234567890123456789",
		/* a character that no longer fits in whole */
		"01234567890123456789012345678901234567890123456789012345678901\xc3\xa4",
	};
	struct model *m = *state;

	see_record(m, "ready");
	see_link(m, POD, 7);
	settle(m);
	model_foreign(m, 7, NULL);
	model_foreign(m, 7, "");
	assert_port(m, POD, "ready/learning slot");
	for (size_t i = 0; i < TEST_COUNT(what); i++) {
		model_foreign(m, 7, what[i]);
		assert_port(m, POD, "ready/learning slot dirty changed");
		settle(m);
		model_foreign(m, 7, what[i]);
		assert_port(m, POD, "ready/learning slot");
		if (i < 3)
			assert_string_equal(model_find(m, POD)->foreign, what[i]);
	}
}

static void features_are_news_once(void **state)
{
	struct model *m = *state;

	set_uplink(m, "eth0", 2);
	settle(m);
	for (int can = 1; can >= 0; can--) {
		model_can_take_frames(m, 2, can);
		assert_port(m, "eth0", "ready/learning slot dirty changed");
		assert_int_equal(model_find(m, "eth0")->can_take_frames, can);
		settle(m);
		model_can_take_frames(m, 2, can);
		assert_port(m, "eth0", "ready/learning slot");
	}
}

static void upper_devices_are_for_tc_only(void **state)
{
	static const struct {
		const char *kind;
		bool tc_only;
	} cases[] = { { "", false },    { "veth", false }, { "vlan", true },
		      { "bond", true }, { "vxlan", true }, { "wireguard", true } };
	struct model *m = *state;

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct link_seen link = { .ifindex = 2 + (int)i };

		(void)snprintf(link.name, sizeof(link.name), "eth%zu", i);
		(void)snprintf(link.kind, sizeof(link.kind), "%s", cases[i].kind);
		assert_int_equal(model_set_uplink(m, &link, NULL), 0);
		assert_int_equal(model_find(m, link.name)->tc_only, cases[i].tc_only);
		assert_string_equal(model_find(m, link.name)->kind_name, cases[i].kind);
	}
}

static void names_are_those_of_the_bus(void **state)
{
	(void)state;
	assert_string_equal(port_state_name(PORT_PENDING), "pending");
	assert_string_equal(port_state_name(PORT_FAILED), "failed");
	assert_string_equal(port_path_name(PORT_PATH_KERNEL), "kernel");
	for (int i = 0; i < _PORT_STATE_MAX; i++)
		assert_non_null(port_state_name(i));
	for (int i = 0; i < _PORT_PATH_MAX; i++)
		assert_non_null(port_path_name(i));
	for (int i = 0; i < _PORT_REASON_MAX; i++)
		assert_non_null(port_reason_name(i));
	for (int i = 0; i < _SOURCE_CHECK_MAX; i++)
		assert_non_null(source_check_name(i));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_model, close_model)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_a_link_says_is_news_once),
		TEST(record_is_news_once),
		TEST(what_the_sinks_say_outlives_news),
		TEST(unreadable_record_says_why),
		TEST(record_that_turns_bad_ends_the_service),
		TEST(pod_tells_its_mac),
		TEST(told_mac_lasts_until_the_pod_is_another),
		TEST(uplinks_have_no_pod_to_tell),
		TEST(foreign_is_news_once),
		TEST(features_are_news_once),
		TEST(upper_devices_are_for_tc_only),
		TEST(names_are_those_of_the_bus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
