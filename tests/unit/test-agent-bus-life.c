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

static char *set_cpus(struct agent_lab *lab, unsigned int n, unsigned int a, unsigned int b,
		      int runtime)
{
	if (n == 0)
		return bus_lab_call(&lab->lab, MANAGER_PATH, MANAGER, "SetCpus", "aub", 0, runtime);
	return bus_lab_call(&lab->lab, MANAGER_PATH, MANAGER, "SetCpus", "aub", 2, a, b, runtime);
}

static void root_may_set_cpus(void **state)
{
	struct agent_lab *lab = *state;

	needs_root();
	expect(set_cpus(lab, 2, 3, 1, 1), "%s", "");
	assert_int_equal(lab->cpus, 2);
	assert_int_equal(lab->cpu[0], 3);
	assert_int_equal(lab->cpu[1], 1);
	assert_false(lab->kept);
	expect(set_cpus(lab, 0, 0, 0, 0), "%s", "");
	assert_int_equal(lab->cpus, 0);
	assert_true(lab->kept);
	pw_fail(&lab->refusal, EINVAL, PW_E_ENV, "there is no CPU 3");
	expect(set_cpus(lab, 2, 3, 1, 1), "org.podwire1.Error.InvalidArgument: there is no CPU 3");
	pw_fail(&lab->refusal, EINVAL, PW_E_CONFIG, "agent.json:1: no");
	expect(set_cpus(lab, 2, 3, 1, 0), "org.podwire1.Error.InvalidConfig: agent.json:1: no");
}

#define LOG_CONTROL_PATH "/org/freedesktop/LogControl1"
#define LOG_CONTROL "org.freedesktop.LogControl1"

static char *set_log(struct agent_lab *lab, const char *property, const char *value)
{
	return bus_lab_call(&lab->lab, LOG_CONTROL_PATH, PROPERTIES, "Set", "ssv", LOG_CONTROL,
			    property, "s", value);
}

static void root_may_set_what_is_logged(void **state)
{
	static const char *const levels[] = { "emerg",   "alert",  "crit", "err",
					      "warning", "notice", "info", "debug" };
	struct agent_lab *lab = *state;

	needs_root();
	expect(get(lab, LOG_CONTROL_PATH, LOG_CONTROL, "LogLevel"), "info");
	expect(get(lab, LOG_CONTROL_PATH, LOG_CONTROL, "SyslogIdentifier"), "podwired");
	for (size_t i = 0; i < TEST_COUNT(levels); i++) {
		expect(set_log(lab, "LogLevel", levels[i]), "%s", "");
		assert_int_equal(lab->log.level, i);
		expect(get(lab, LOG_CONTROL_PATH, LOG_CONTROL, "LogLevel"), "%s", levels[i]);
	}
	expect(set_log(lab, "LogLevel", "loud"),
	       "org.freedesktop.DBus.Error.InvalidArgs: LogLevel can't be \"loud\"");
	expect(set_log(lab, "LogLevel", ""),
	       "org.freedesktop.DBus.Error.InvalidArgs: LogLevel can't be \"\"");
	assert_int_equal(lab->log.level, LOG_DEBUG);
	lab->log.journal = true;
	expect(get(lab, LOG_CONTROL_PATH, LOG_CONTROL, "LogTarget"), "journal");
	expect(set_log(lab, "LogTarget", "console"), "%s", "");
	expect(get(lab, LOG_CONTROL_PATH, LOG_CONTROL, "LogTarget"), "console");
	expect(set_log(lab, "LogTarget", "kmsg"),
	       "org.freedesktop.DBus.Error.InvalidArgs: LogTarget can't be \"kmsg\"");
}

static char *as_nobody(struct agent_lab *lab, const char *interface, const char *member)
{
	needs_root();
	return bus_lab_call_as(&lab->lab, 65534,
			       interface[0] ? MANAGER_PATH : "/org/freedesktop/DBus",
			       interface[0] ? interface : "org.freedesktop.DBus", member);
}

/* On a bus whose policy lets everything pass: by the agent itself. */
static void nobody_else_may_change_anything(void **state)
{
	struct agent_lab *lab = *state;

	expect(as_nobody(lab, MANAGER, "Reload"),
	       "org.freedesktop.DBus.Error.AccessDenied: Reload is for root only");
	assert_int_equal(lab->reloads, 0);
	expect(as_nobody(lab, MANAGER, "SetCpus"),
	       "org.freedesktop.DBus.Error.AccessDenied: SetCpus is for root only");
	assert_int_equal(lab->cpus, 0);
	expect(bus_lab_call_as(&lab->lab, 65534, LOG_CONTROL_PATH, PROPERTIES, "Set"),
	       "org.freedesktop.DBus.Error.AccessDenied: LogLevel is for root only");
	assert_int_equal(lab->log.level, LOG_INFO);
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
		{ MANAGER, "SetCpus" },
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
		TEST(root_may_set_cpus),
		TEST(root_may_set_what_is_logged),
		TEST(nobody_else_may_change_anything),
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
