/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers of the agent, good and bad, as podwirectl reads them and shows them as JSON. */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

#include "client/agent.h"
#include "view/json.h"

static int other_end = -EBADF;

/* A connection on which nobody ever answers: messages belong to one. */
static int setup(void **state)
{
	sd_bus *bus = NULL;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	other_end = fds[1];
	assert_true(sd_bus_new(&bus) >= 0);
	assert_true(sd_bus_set_fd(bus, fds[0], fds[0]) >= 0);
	assert_true(sd_bus_start(bus) >= 0);
	*state = bus;
	return 0;
}

static int teardown(void **state)
{
	sd_bus_close_unref(*state);
	close(other_end);
	return 0;
}

static sd_bus_message *new_message(sd_bus *bus)
{
	sd_bus_message *m = NULL;

	assert_true(sd_bus_message_new_signal(bus, &m, "/a", "a.b", "c") >= 0);
	return m;
}

static sd_bus_message *sealed(sd_bus_message *m)
{
	assert_true(sd_bus_message_seal(m, 1, 0) >= 0);
	assert_true(sd_bus_message_rewind(m, 1) >= 0);
	return m;
}

static sd_bus_message *message(sd_bus *bus, const char *types, ...)
{
	sd_bus_message *m = new_message(bus);
	va_list ap;

	va_start(ap, types);
	assert_true(sd_bus_message_appendv(m, types, ap) >= 0);
	va_end(ap);
	return sealed(m);
}

static void assert_json(struct json_object *v, const char *want)
{
	_cleanup_(freep) char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(json_print(v, f, NULL), 0);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text, want);
}

static void all_of_the_manager_is_read_and_shown(void **state)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *m = message(
		*state, "a{sv}", 10, "Version", "s", "1.2", "Kernel", "s", "6.1", "Features", "as",
		2, "tcx", "xdp", "Resyncs", "t", UINT64_MAX, "LostEvents", "t", (uint64_t)0,
		"Slots", "u", UINT32_MAX, "FreeSlots", "u", 2, "WithoutSlot", "u", 3, "Cpus", "au",
		2, 0, 4, "Generation", "t", (uint64_t)9);
	_cleanup_(agent_manager_done) struct agent_manager manager = {};

	assert_int_equal(agent_manager_read(m, &manager, NULL), 0);
	assert_json(json_of_properties(agent_manager_properties, &manager),
		    "{\"version\":\"1.2\",\"kernel\":\"6.1\",\"features\":[\"tcx\",\"xdp\"],"
		    "\"resyncs\":18446744073709551615,\"lostEvents\":0,\"slots\":4294967295,"
		    "\"freeSlots\":2,\"withoutSlot\":3,\"cpus\":[0,4]}\n");
}

static void what_an_older_agent_does_not_tell_is_empty(void **state)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *m = message(*state, "a{sv}", 0);
	_cleanup_(agent_manager_done) struct agent_manager manager = {};

	assert_int_equal(agent_manager_read(m, &manager, NULL), 0);
	assert_string_equal(manager.version, "");
	assert_json(json_of_properties(agent_manager_properties, &manager),
		    "{\"version\":\"\",\"kernel\":\"\",\"features\":[],\"resyncs\":0,"
		    "\"lostEvents\":0,\"slots\":0,\"freeSlots\":0,\"withoutSlot\":0,\"cpus\":[]}"
		    "\n");
}

static void a_property_of_another_type_is_no_answer(void **state)
{
	static const struct {
		const char *name, *type;
	} cases[] = { { "Version", "u" }, { "Resyncs", "u" }, { "Slots", "t" }, { "Cpus", "u" } };

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		_cleanup_(sd_bus_message_unrefp) sd_bus_message *m =
			message(*state, "a{sv}", 1, cases[i].name, cases[i].type, (uint64_t)1);
		struct agent_manager manager = {};
		struct pw_error err = {};

		assert_int_equal(agent_manager_read(m, &manager, &err), -EBADMSG);
		assert_non_null(strstr(err.msg, cases[i].name));
	}
}

/* Whoever sends the same twice must not make us leak the first. */
static void the_last_of_equal_properties_counts(void **state)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *m =
		message(*state, "a{sv}", 4, "Features", "as", 2, "a", "b", "Features", "as", 1, "c",
			"Version", "s", "1", "Version", "s", "2");
	_cleanup_(agent_manager_done) struct agent_manager manager = {};

	assert_int_equal(agent_manager_read(m, &manager, NULL), 0);
	assert_string_equal(manager.version, "2");
	assert_int_equal(manager.features.n, 1);
}

static void objects_are_sorted_and_others_interfaces_passed_over(void **state)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *m =
		message(*state, "a{oa{sa{sv}}}", 5, //
			"/b", 2, "org.example", 1, "Name", "u", 7, AGENT_ATTACHMENT, 2, "Namespace",
			"s", "b",                                                               //
			"Name", "s", "x",                                                       //
			"/c", 1, AGENT_ATTACHMENT, 2, "Namespace", "s", "a", "Name", "s", "y",  //
			"/d", 1, AGENT_DEVICE, 2, "Name", "s", "eth1", "CanTakeFrames", "b", 1, //
			"/e", 1, AGENT_DEVICE, 1, "Name", "s", "eth0",                          //
			"/f", 0);
	_cleanup_(agent_objects_done) struct agent_objects objects = {};

	assert_int_equal(agent_objects_read(m, 9, &objects, NULL), 0);
	assert_int_equal(objects.n_attachments, 2);
	assert_string_equal(objects.attachments[0].path, "/c");
	assert_string_equal(objects.attachments[1].name, "x");
	assert_string_equal(objects.attachments[1].state, "");
	assert_int_equal(objects.n_devices, 2);
	assert_string_equal(objects.devices[0].name, "eth0");
	assert_true(objects.devices[1].can_take_frames);
	assert_json(json_of_properties(agent_device_properties, &objects.devices[1]),
		    "{\"name\":\"eth1\",\"ifIndex\":0,\"kind\":\"\",\"driver\":\"\",\"state\":\"\","
		    "\"path\":\"\",\"pathReason\":\"\",\"pathDetail\":\"\",\"canTakeFrames\":true}"
		    "\n");
}

static void a_fault_in_one_object_is_no_answer(void **state)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *m =
		message(*state, "a{oa{sa{sv}}}", 2, "/b", 1, AGENT_ATTACHMENT, 1, "Addresses", "as",
			1, "10.0.0.1/24", "/c", 1, AGENT_ATTACHMENT, 1, "IfIndex", "s", "7");
	struct agent_objects objects = {};
	struct pw_error err = {};

	assert_int_equal(agent_objects_read(m, 9, &objects, &err), -EBADMSG);
	assert_string_equal(err.msg, "/c: IfIndex is of the type \"s\", not \"i\"");
}

static void an_answer_of_another_kind_is_none(void **state)
{
	static const char *const types[] = { "s", "as", "a{ss}", "" };

	for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
		_cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL;
		struct agent_manager manager = {};
		struct agent_objects objects = {};
		struct agent_statistics statistics = {};
		struct pw_error err = {};

		if (types[i][0] == 'a')
			m = message(*state, types[i], 0);
		else
			m = message(*state, types[i], "x");
		assert_int_equal(agent_manager_read(m, &manager, NULL), -EBADMSG);
		assert_true(sd_bus_message_rewind(m, 1) >= 0);
		assert_int_equal(agent_objects_read(m, 9, &objects, &err), -EBADMSG);
		assert_true(sd_bus_message_rewind(m, 1) >= 0);
		assert_int_equal(agent_statistics_read(m, &statistics, NULL), -EBADMSG);
	}
}

static void more_objects_than_a_node_has_are_refused(void **state)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *m =
		message(*state, "a{oa{sa{sv}}}", 3, "/a", 1, AGENT_DEVICE, 0, "/b", 2,
			AGENT_ATTACHMENT, 0, "org.example", 0, "/c", 1, AGENT_ATTACHMENT, 0);
	_cleanup_(agent_objects_done) struct agent_objects three = {}, two = {};
	struct pw_error err = {};

	assert_int_equal(agent_objects_read(m, 3, &three, NULL), 0);
	assert_int_equal(three.n_attachments, 2);
	assert_true(sd_bus_message_rewind(m, 1) >= 0);
	assert_int_equal(agent_objects_read(m, 2, &two, &err), -E2BIG);
	assert_int_equal(two.n_attachments, 0);
}

static void counters_are_sorted_and_none_is_too_large(void **state)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *m = message(
		*state, "a{st}", 3, "out", UINT64_MAX, "in", (uint64_t)1, "a\nb", (uint64_t)2);
	_cleanup_(agent_statistics_done) struct agent_statistics statistics = {};

	assert_int_equal(agent_statistics_read(m, &statistics, NULL), 0);
	assert_json(json_of_statistics(&statistics),
		    "{\"a\\nb\":2,\"in\":1,\"out\":18446744073709551615}\n");
}

static void cpus_come_with_their_queues(void **state)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *m =
		message(*state, "a(uu)", 2, 0, 2048, 4, 1);
	_cleanup_(array_done) struct array cpus = {}, none = {};
	const struct agent_cpu *v;

	assert_int_equal(agent_cpus_read(m, &cpus, NULL), 0);
	v = cpus.v;
	assert_int_equal(cpus.n, 2);
	assert_int_equal(v[0].queue, 2048);
	assert_int_equal(v[1].cpu, 4);
	sd_bus_message_unref(m);
	m = message(*state, "a(us)", 1, 0, "x");
	assert_int_equal(agent_cpus_read(m, &none, NULL), -EBADMSG);
}

static void json_has_nothing_that_a_terminal_acts_on(void **state)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *m =
		message(*state, "a{sv}", 1, "Version", "s",
			"\033[2J\"\x7f\xc2\x9b\xe2\x80\xae\xe2\x80\xac\xf3\xa0\x81\x81\xc3\xa4");
	_cleanup_(agent_manager_done) struct agent_manager manager = {};
	_cleanup_(freep) char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(agent_manager_read(m, &manager, NULL), 0);
	assert_int_equal(
		json_print(json_of_properties(agent_manager_properties, &manager), f, NULL), 0);
	assert_int_equal(fclose(f), 0);
	assert_non_null(strstr(
		text, "\"\\u001b[2J\\\"\\u007f\\u009b\\u202e\\u202c\\udb40\\udc41\xc3\xa4\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_the_manager_is_read_and_shown),
		cmocka_unit_test(what_an_older_agent_does_not_tell_is_empty),
		cmocka_unit_test(a_property_of_another_type_is_no_answer),
		cmocka_unit_test(the_last_of_equal_properties_counts),
		cmocka_unit_test(objects_are_sorted_and_others_interfaces_passed_over),
		cmocka_unit_test(a_fault_in_one_object_is_no_answer),
		cmocka_unit_test(an_answer_of_another_kind_is_none),
		cmocka_unit_test(more_objects_than_a_node_has_are_refused),
		cmocka_unit_test(counters_are_sorted_and_none_is_too_large),
		cmocka_unit_test(cpus_come_with_their_queues),
		cmocka_unit_test(json_has_nothing_that_a_terminal_acts_on),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
