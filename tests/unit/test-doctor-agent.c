/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What follows from an agent's answers; and what a finding does to a terminal: nothing. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "doctor/agent.h"
#include "doctor/doctor.h"

#define MANAGER                                                                           \
	{                                                                                 \
		.version = PW_VERSION, .kernel = "6.1", .slots = 4096, .free_slots = 4000 \
	}

static const struct finding *find(const struct doctor *d, const char *id)
{
	const struct finding *f = d->findings.v;

	for (size_t i = 0; i < d->findings.n; i++) {
		if (strcmp(f[i].id, id) == 0)
			return &f[i];
	}
	fail_msg("no finding %s", id);
	return NULL;
}

static void an_agent_that_fares_well(void **state)
{
	const struct agent_manager m = MANAGER;
	struct agent_device uplink = { .name = "eth0",
				       .driver = "",
				       .state = "ready",
				       .route = "tc",
				       .reason = "",
				       .detail = "" };
	struct agent_attachment pod = { .host_interface = "vethpw0", .state = "ready" };
	const struct agent_objects objects = { &pod, 1, &uplink, 1, NULL };
	struct doctor d = {};

	(void)state;
	agent_judge_manager(&d, &m);
	agent_judge_objects(&d, &objects);
	assert_int_equal(doctor_result(&d), SEVERITY_OK);
	assert_non_null(strstr(find(&d, "uplink-path")->message, "eth0 (unknown driver): path tc"));
	assert_string_equal(find(&d, "agent-lost-events")->remedy, "");
	array_done(&d.findings);
}

static void an_agent_of_another_version_without_slots(void **state)
{
	struct agent_manager m = MANAGER;
	struct doctor d = {};

	(void)state;
	m.version = "9.9.9";
	m.without_slot = 3;
	m.lost_events = 7;
	agent_judge_manager(&d, &m);
	assert_int_equal(doctor_result(&d), SEVERITY_WARNING);
	assert_int_equal(find(&d, "agent-version-differs")->severity, SEVERITY_WARNING);
	assert_non_null(strstr(find(&d, "agent-version-differs")->message, "9.9.9"));
	assert_int_equal(find(&d, "agent-no-slots")->severity, SEVERITY_WARNING);
	assert_non_null(strstr(find(&d, "agent-no-slots")->message, "3 pods"));
	assert_non_null(strstr(find(&d, "agent-lost-events")->message, "7 times"));
	array_done(&d.findings);
}

static void pods_and_uplinks_that_fare_ill(void **state)
{
	struct agent_device uplinks[] = {
		{ .name = "eth0",
		  .driver = "x",
		  .state = "failed",
		  .route = "kernel",
		  .reason = "kernel",
		  .detail = "Operation not supported" },
		{ .name = "eth1",
		  .driver = "x",
		  .state = "ready",
		  .route = "kernel",
		  .reason = "foreign",
		  .detail = "xdp program 17" },
	};
	struct agent_attachment pods[] = {
		{ .host_interface = "vethpw0",
		  .state = "failed",
		  .reason = "kernel",
		  .detail = "out of memory" },
		{ .host_interface = "vethpw1",
		  .state = "no-record",
		  .reason = "record",
		  .detail = "" },
		{ .host_interface = "vethpw2", .state = "pending", .reason = "", .detail = "" },
	};
	const struct agent_objects objects = { pods, 3, uplinks, 2, NULL };
	struct doctor d = {};

	(void)state;
	agent_judge_objects(&d, &objects);
	assert_non_null(strstr(find(&d, "pod-failed")->message, "vethpw0 (kernel: out of memory)"));
	assert_non_null(strstr(find(&d, "pod-no-record")->message, "vethpw1 (record)"));
	assert_non_null(strstr(find(&d, "uplink-failed")->message, "eth0"));
	assert_non_null(strstr(find(&d, "uplink-foreign")->message, "eth1"));
	assert_non_null(strstr(find(&d, "uplink-foreign")->message, "xdp program 17"));
	assert_int_equal(doctor_result(&d), SEVERITY_WARNING);
	array_done(&d.findings);
}

static void many_pods_are_cut_and_counted(void **state)
{
	struct agent_attachment pods[500];
	const struct agent_objects objects = { pods, 500, NULL, 0, NULL };
	struct doctor d = {};

	(void)state;
	for (size_t i = 0; i < 500; i++)
		pods[i] = (struct agent_attachment){ .host_interface = "vethpw012345678",
						     .state = "failed",
						     .reason = "kernel",
						     .detail = "why" };
	agent_judge_objects(&d, &objects);
	assert_memory_equal(find(&d, "pod-failed")->message, "500 pods ", 9);
	array_done(&d.findings);
}

static void texts_do_nothing_to_a_terminal(void **state)
{
	struct doctor d = {};
	const struct finding *f;

	(void)state;
	doctor_say(&d, SEVERITY_UNKNOWN, "x", "%s",
		   "a\033[31m\n\x80\xff"
		   "b");
	doctor_remedy(&d, "%s", "\r\xc2\x9b");
	f = find(&d, "x");
	assert_string_equal(f->message, "a?[31m???b");
	assert_string_equal(f->remedy, "??");
	assert_int_equal(doctor_result(&d), SEVERITY_UNKNOWN);
	array_done(&d.findings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_agent_that_fares_well),
		cmocka_unit_test(an_agent_of_another_version_without_slots),
		cmocka_unit_test(pods_and_uplinks_that_fare_ill),
		cmocka_unit_test(many_pods_are_cut_and_counted),
		cmocka_unit_test(texts_do_nothing_to_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
