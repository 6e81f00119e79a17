/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's place on a bus: who may do what, and what becomes of it when there is none. */
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent_bus_lab.h"
#include "base/cleanup.h"

static void needs_root(void)
{
	if (geteuid() != 0) {
		printf("needs root, to be it and somebody else\n");
		skip();
	}
}

static void root_may_reload(void **state)
{
	struct agent_lab *lab = *state;

	needs_root();
	expect(reload(lab), "%s", "");
	assert_int_equal(lab->reloads, 1);
	pw_fail(&lab->refusal, EINVAL, PW_E_CONFIG, "agent.json: uplinks: expected an array");
	expect(reload(lab),
	       "org.podwire1.Error.InvalidConfig: agent.json: uplinks: expected an array");
	pw_fail(&lab->refusal, EIO, PW_E_IO, "read agent.json: no");
	expect(reload(lab), "org.podwire1.Error.Failed: read agent.json: no");
	pw_oom(&lab->refusal);
	expect(reload(lab), "org.freedesktop.DBus.Error.NoMemory: Cannot allocate memory");
}

static char *as_nobody(struct agent_lab *lab, const char *interface, const char *member)
{
	needs_root();
	return bus_lab_call_as(&lab->lab, 65534,
			       interface[0] ? MANAGER_PATH : "/org/freedesktop/DBus",
			       interface[0] ? interface : "org.freedesktop.DBus", member);
}

/* On a bus whose policy lets everything pass: by the agent itself. */
static void nobody_else_may_reload(void **state)
{
	struct agent_lab *lab = *state;

	expect(as_nobody(lab, MANAGER, "Reload"),
	       "org.freedesktop.DBus.Error.AccessDenied: Reload is for root only");
	assert_int_equal(lab->reloads, 0);
	expect(as_nobody(lab, MANAGER, "ListDevices"), "ok");
}

static void everyone_may_read_by_the_policy_that_is_shipped(void **state)
{
	struct agent_lab *lab = *state;

	expect(as_nobody(lab, MANAGER, "ListDevices"), "ok");
	expect(as_nobody(lab, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"), "ok");
	expect(as_nobody(lab, "org.freedesktop.DBus.Introspectable", "Introspect"), "ok");
	expect(reload(lab), "%s", "");
	assert_int_equal(lab->reloads, 1);
}

static void nobody_else_may_change_or_be_us_by_the_policy_that_is_shipped(void **state)
{
	static const char *const refused[][2] = {
		{ MANAGER, "Reload" },
		{ PROPERTIES, "Set" },
		{ "", "RequestName" },
	};
	struct agent_lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(refused); i++) {
		_cleanup_(freep) char *answer = as_nobody(lab, refused[i][0], refused[i][1]);

		assert_memory_equal(answer, "org.freedesktop.DBus.Error.AccessDenied: ", 41);
		assert_null(strstr(answer, "for root only"));
	}
	assert_int_equal(lab->reloads, 0);
}

static void name_that_is_taken_says_by_whom(void **state)
{
	struct agent_lab *lab = *state;
	struct bus *first = take_ptr(lab->bus);
	struct pw_error err = {};
	char who[64];

	snprintf(who, sizeof(who), "(pid %d) has the name org.podwire1", (int)getpid());
	assert_int_equal(agent_lab_open(lab, lab->lab.address, &err), -EEXIST);
	assert_non_null(strstr(err.msg, who));
	assert_int_equal(memcmp(err.msg, "test-", 5), 0); /* this program's name */
	bus_free(first);
	assert_int_equal(agent_lab_open(lab, lab->lab.address, &err), 0);
}

static void no_bus_is_an_error_that_names_it(void **state)
{
	struct agent_lab *lab = *state;
	struct pw_error err = {};

	lab->bus = bus_free(lab->bus);
	assert_int_equal(agent_lab_open(lab, "unix:path=/nonexistent/bus", &err), -ENOENT);
	assert_string_equal(err.msg,
			    "connect to unix:path=/nonexistent/bus: No such file or directory");
	assert_true(agent_lab_open(lab, "nonsense", &err) < 0);
	assert_non_null(strstr(err.msg, "nonsense"));
}

/* It listens, and that is all: as a bus that hangs, or that somebody has stopped. */
static void silent_bus_is_given_up(void **state)
{
	struct agent_lab *lab = *state;
	_cleanup_(closep) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct pw_error err = {};
	char address[128];

	snprintf(at.sun_path, sizeof(at.sun_path), "%s/silent", lab->lab.dir->path);
	snprintf(address, sizeof(address), "unix:path=%s", at.sun_path);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 1), 0);
	lab->bus = bus_free(lab->bus);
	assert_int_equal(agent_lab_open(lab, address, &err), -ETIMEDOUT);
	assert_non_null(strstr(err.msg, "Connection timed out"));
}

static void agent_outlives_its_bus(void **state)
{
	struct agent_lab *lab = *state;

	told(lab);
	bus_lab_stop_daemon(&lab->lab);
	bus_lab_run(&lab->lab, &lab->lost);
	assert_int_equal(lab->losses, 1);
	agent_lab_uplink(lab, "ens3", 2);
	bus_flush(lab->bus);
	/* the client's own end may be among them */
	for (int i = 0; i < 100 && sd_event_run(lab->lab.event, 0) > 0; i++)
		assert_true(i < 50);
	assert_int_equal(lab->losses, 1);
}

static void what_is_there_before_the_bus_is_there_with_it(void **state)
{
	struct agent_lab *lab = *state;
	const char *ifname = WEB(lab);
	struct pw_error err = {};

	told(lab);
	lab->bus = bus_free(lab->bus);
	agent_lab_uplink(lab, "ens3", 2);
	assert_int_equal(agent_lab_open(lab, lab->lab.address, &err), 0);
	expect(find(lab, "default/web"), "%s", PATH_OF(ifname));
	expect(get(lab, MANAGER_PATH "/device/ens3", DEVICE, "IfIndex"), "2");
	expect(flush(lab), "%s", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(root_may_reload),
		TEST(nobody_else_may_reload),
		TEST_SHIPPED(everyone_may_read_by_the_policy_that_is_shipped),
		TEST_SHIPPED(nobody_else_may_change_or_be_us_by_the_policy_that_is_shipped),
		TEST(name_that_is_taken_says_by_whom),
		TEST(no_bus_is_an_error_that_names_it),
		TEST(silent_bus_is_given_up),
		TEST(agent_outlives_its_bus),
		TEST(what_is_there_before_the_bus_is_there_with_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
