/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What clients of org.podwire1 see: on a dbus-daemon of the test's own, over a model without a
 * node. */
#include "test.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent_bus_lab.h"
#include "base/cleanup.h"

/* What each object has beside its own; @end is "=[]" with their properties. */
#define STANDARD_INTERFACES(end)                                                    \
	"org.freedesktop.DBus.Peer" end ", org.freedesktop.DBus.Introspectable" end \
	", org.freedesktop.DBus.Properties" end

static void introspection_is_the_definition(void **state)
{
	static const char *const interfaces[] = { MANAGER, ATTACHMENT, DEVICE };
	struct agent_lab *lab = *state;
	const char *source = getenv("PW_SOURCE_DIR");
	const char *ifname = WEB(lab);
	const char *paths[] = { MANAGER_PATH, PATH_OF(ifname), MANAGER_PATH "/device/ens3" };

	agent_lab_uplink(lab, "ens3", 2);
	told(lab);
	for (size_t i = 0; i < TEST_COUNT(interfaces); i++) {
		_cleanup_(freep) char *live = NULL, *script = NULL, *xml = NULL, *file = NULL;
		char python[] = "python3";
		int status;
		pid_t pid;

		live = bus_lab_call(&lab->lab, paths[i], "org.freedesktop.DBus.Introspectable",
				    "Introspect", NULL);
		tmpdir_write(lab->lab.dir, "live.xml", live);
		assert_true(asprintf(&script, "%s/tests/harness/introspection.py",
				     source ? source : ".") > 0);
		assert_true(asprintf(&xml, "%s/agent/dbus/%s.xml", source ? source : ".",
				     interfaces[i]) > 0);
		assert_true(asprintf(&file, "%s/live.xml", lab->lab.dir->path) > 0);
		assert_int_equal(posix_spawnp(&pid, "python3", NULL, NULL,
					      (char *[]){ python, script, xml, file, NULL },
					      environ),
				 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

static void manager_says_what_it_is(void **state)
{
	struct agent_lab *lab = *state;

	expect(get(lab, MANAGER_PATH, MANAGER, "Version"), "0.1.0-test");
	expect(get(lab, MANAGER_PATH, MANAGER, "Kernel"), "6.1.0-test");
	expect(get(lab, MANAGER_PATH, MANAGER, "Features"), "[tcx, xdp-features]");
	expect(get(lab, MANAGER_PATH, MANAGER, "Resyncs"), "0");
	lab->resyncs = UINT64_MAX;
	lab->lost_events = 3;
	expect(get(lab, MANAGER_PATH, MANAGER, "Resyncs"), "18446744073709551615");
	expect(get(lab, MANAGER_PATH, MANAGER, "LostEvents"), "3");
}

static void manager_counts_ports_by_path(void **state)
{
	struct agent_lab *lab = *state;

	expect(get(lab, MANAGER_PATH, MANAGER, "Paths"), "[kernel=0, tc=0, xdp=0]");
	model_find(lab->model, WEB(lab))->path = PORT_PATH_TC;
	agent_lab_uplink(lab, "ens3", 2);
	agent_lab_link(lab, "vethpw012345678", 9);
	told(lab);
	expect(get(lab, MANAGER_PATH, MANAGER, "Paths"), "[kernel=2, tc=1, xdp=0]");
}

static void manager_says_which_cpus_there_are(void **state)
{
	struct agent_lab *lab = *state;

	expect(get(lab, MANAGER_PATH, MANAGER, "Cpus"), "[]");
	expect(bus_lab_call(&lab->lab, MANAGER_PATH, MANAGER, "ListCpus", NULL), "[]");
	lab->cpu[0] = 1;
	lab->cpu[1] = 1023;
	lab->cpus = 2;
	expect(get(lab, MANAGER_PATH, MANAGER, "Cpus"), "[1, 1023]");
	expect(bus_lab_call(&lab->lab, MANAGER_PATH, MANAGER, "ListCpus", NULL),
	       "[(1 2048), (1023 2048)]");
}

static void attachment_has_what_the_record_and_the_port_have(void **state)
{
	struct agent_lab *lab = *state;
	const char *ifname = WEB(lab);
	struct port *port = model_find(lab->model, ifname);

	port->state = PORT_READY;
	port->path = PORT_PATH_TC;
	port->reason = PORT_REASON_FOREIGN;
	port->source_check = SOURCE_CHECK_BPF;
	snprintf(port->detail, sizeof(port->detail), "qdisc tbf");
	told(lab);
	expect(bus_lab_call(&lab->lab, PATH_OF(ifname), PROPERTIES, "GetAll", "s", ATTACHMENT),
	       "[Namespace=default, Name=web, Uid=uid-of-web, ContainerId=c0ffee, Network=podnet, "
	       "Interface=eth0, HostInterface=%s, IfIndex=7, Addresses=[10.1.0.2/24], State=ready, "
	       "Path=tc, PathReason=foreign, PathDetail=qdisc tbf, SourceCheck=bpf]",
	       ifname);
}

static void link_without_a_record_is_an_attachment_without_names(void **state)
{
	struct agent_lab *lab = *state;

	agent_lab_link(lab, "vethpw012345678", 9);
	told(lab);
	expect(bus_lab_call(&lab->lab, MANAGER_PATH "/attachment/012345678", PROPERTIES, "GetAll",
			    "s", ATTACHMENT),
	       "[Namespace=, Name=, Uid=, ContainerId=, Network=, Interface=, "
	       "HostInterface=vethpw012345678, IfIndex=9, Addresses=[], State=no-record, "
	       "Path=kernel, PathReason=record, PathDetail=, SourceCheck=none]");
}

static void device_has_what_its_port_has(void **state)
{
	struct agent_lab *lab = *state;
	struct port *port;

	agent_lab_uplink(lab, "ens3", 2);
	port = model_find(lab->model, "ens3");
	snprintf(port->driver, sizeof(port->driver), "virtio_net");
	port->can_take_frames = true;
	port->state = PORT_FAILED;
	port->reason = PORT_REASON_KERNEL;
	told(lab);
	expect(bus_lab_call(&lab->lab, MANAGER_PATH "/device/ens3", PROPERTIES, "GetAll", "s",
			    DEVICE),
	       "[Name=ens3, IfIndex=2, Driver=virtio_net, Kind=vlan, State=failed, Path=kernel, "
	       "PathReason=kernel, PathDetail=, CanTakeFrames=true]");
}

static void any_name_of_a_link_makes_a_path(void **state)
{
	static const struct {
		const char *ifname, *path;
	} cases[] = {
		{ "bond0.100", "/device/bond0_2e100" },
		{ "0eth", "/device/_30eth" },
		{ "a_b", "/device/a_5fb" },
		{ "vethpwa-b", "/attachment/a_2db" },
		{ "vethpwa_2db", "/attachment/a_5f2db" },
		{ "vethpw", "/attachment/_" },
		{ "vethpw9", "/attachment/9" },
		{ "e\xc3\xa9", "/device/e_c3_a9" },
		{ "e\xff", "/device/e_ff" },
	};
	struct agent_lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		bool pod = strncmp(cases[i].ifname, "vethpw", 6) == 0;
		char path[64];

		if (pod)
			agent_lab_link(lab, cases[i].ifname, (int)i + 1);
		else
			agent_lab_uplink(lab, cases[i].ifname, (int)i + 1);
		told(lab);
		snprintf(path, sizeof(path), MANAGER_PATH "%s", cases[i].path);
		expect(get(lab, path, pod ? ATTACHMENT : DEVICE, "IfIndex"), "%zu", i + 1);
	}
	expect(get(lab, MANAGER_PATH "/device/e_ff", DEVICE, "Name"), "e?");
}

static void exactly_what_differs_is_told(void **state)
{
	struct agent_lab *lab = *state;
	const char *ifname = WEB(lab);
	struct port *port = model_find(lab->model, ifname);
	struct pod moved = web;

	told(lab);
	port->state = PORT_READY;
	port->path = PORT_PATH_XDP;
	port->changed = true;
	expect(flush(lab),
	       "%s PropertiesChanged org.podwire1.Attachment [State=ready, Path=xdp] []\n",
	       PATH_OF(ifname));
	assert_false(port->changed);

	moved.address = "10.1.0.3/24";
	agent_lab_pod(lab, &moved, (char[PORT_IFNAME_LEN]){ 0 });
	port->state = PORT_READY;
	port->path = PORT_PATH_XDP;
	expect(flush(lab),
	       "%s PropertiesChanged org.podwire1.Attachment [Addresses=[10.1.0.3/24]] []\n",
	       PATH_OF(ifname));
	expect(get(lab, PATH_OF(ifname), ATTACHMENT, "Addresses"), "[10.1.0.3/24]");

	agent_lab_uplink(lab, "ens3", 2);
	told(lab);
	model_can_take_frames(lab->model, 2, true);
	expect(flush(lab), MANAGER_PATH
	       "/device/ens3 PropertiesChanged org.podwire1.Device [CanTakeFrames=true] []\n");
}

static void what_is_the_same_is_not_told(void **state)
{
	struct agent_lab *lab = *state;
	const char *ifname = WEB(lab);
	struct port *port = model_find(lab->model, ifname);

	told(lab);
	expect(flush(lab), "%s", "");
	port->changed = true; /* and is not */
	expect(flush(lab), "%s", "");
	assert_false(port->changed);
	port->path = PORT_PATH_TC; /* nobody has said so yet */
	expect(flush(lab), "%s", "");
	expect(get(lab, PATH_OF(ifname), ATTACHMENT, "Path"), "kernel");
}

static void objects_come_and_go_with_all_their_interfaces(void **state)
{
	struct agent_lab *lab = *state;

	agent_lab_uplink(lab, "ens3", 2);
	expect(flush(lab),
	       MANAGER_PATH " InterfacesAdded " MANAGER_PATH "/device/ens3 [" STANDARD_INTERFACES(
		       "=[]") ", " DEVICE "=[Name=ens3, IfIndex=2, Driver=, Kind=vlan, "
			      "State=pending, Path=kernel, PathReason=, PathDetail=, "
			      "CanTakeFrames=false]]\n");
	model_keep_uplinks(lab->model, NULL, 0);
	expect(flush(lab), MANAGER_PATH " InterfacesRemoved " MANAGER_PATH
					"/device/ens3 [" STANDARD_INTERFACES("") ", " DEVICE "]\n");
	expect(flush(lab), "%s", "");
	expect(get(lab, MANAGER_PATH "/device/ens3", DEVICE, "Name"),
	       "org.freedesktop.DBus.Error.UnknownObject: Unknown object '" MANAGER_PATH
	       "/device/ens3'.");
	model_forget_gone(lab->model);
	expect(flush(lab), "%s", "");
}

static void what_went_before_it_was_told_is_never_told(void **state)
{
	struct agent_lab *lab = *state;

	agent_lab_uplink(lab, "ens3", 2);
	model_keep_uplinks(lab->model, NULL, 0);
	expect(flush(lab), "%s", "");
}

static void what_the_model_has_forgotten_goes_all_the_same(void **state)
{
	struct agent_lab *lab = *state;
	_cleanup_(freep) char *removed = NULL;

	agent_lab_uplink(lab, "ens3", 2);
	agent_lab_uplink(lab, "ens4", 3);
	told(lab);
	model_keep_uplinks(lab->model, (int[]){ 2 }, 1);
	model_forget_gone(lab->model);
	removed = flush(lab);
	assert_non_null(strstr(removed, "InterfacesRemoved " MANAGER_PATH "/device/ens4 "));
	expect(flush(lab), "%s", "");
	expect(get(lab, MANAGER_PATH "/device/ens3", DEVICE, "IfIndex"), "2");
}

static void attachment_that_comes_again_is_a_new_one(void **state)
{
	struct agent_lab *lab = *state;
	const char *ifname = WEB(lab);
	_cleanup_(freep) char *removed = NULL, *added = NULL;

	told(lab);
	model_link_gone(lab->model, 7);
	model_record_gone(lab->model, ifname);
	removed = flush(lab);
	assert_non_null(strstr(removed, "InterfacesRemoved"));
	WEB(lab);
	added = flush(lab);
	assert_non_null(strstr(added, "InterfacesAdded"));
}

static void lists_have_each_kind_by_path(void **state)
{
	struct agent_lab *lab = *state;
	const char *a = WEB(lab);
	const char *b = POD(lab, .container_id = "b", .namespace = "kube-system", .name = "dns");
	bool ordered = strcmp(a, b) < 0;
	char first[128], second[128];

	expect(bus_lab_call(&lab->lab, MANAGER_PATH, MANAGER, "ListAttachments", NULL), "[]");
	expect(bus_lab_call(&lab->lab, MANAGER_PATH, MANAGER, "ListDevices", NULL), "[]");
	agent_lab_uplink(lab, "ens4", 3);
	agent_lab_uplink(lab, "ens3", 2);
	told(lab);
	snprintf(first, sizeof(first), "(%s default web %s)", PATH_OF(a), a);
	snprintf(second, sizeof(second), "(%s kube-system dns %s)", PATH_OF(b), b);
	expect(bus_lab_call(&lab->lab, MANAGER_PATH, MANAGER, "ListAttachments", NULL), "[%s, %s]",
	       ordered ? first : second, ordered ? second : first);
	expect(bus_lab_call(&lab->lab, MANAGER_PATH, MANAGER, "ListDevices", NULL),
	       "[(" MANAGER_PATH "/device/ens3 ens3), (" MANAGER_PATH "/device/ens4 ens4)]");
}

static void attachment_is_found_by_each_of_its_names(void **state)
{
	struct agent_lab *lab = *state;
	const char *ifname = WEB(lab);

	static const char *const names[] = { "default/web", "c0ffee", "c0ff", "c0ffe", "10.1.0.2" };
	const char *six = POD(lab, .container_id = "c0de", .address = "fd00:1::a/64");
	const char *longer = POD(lab, .container_id = "c0dec0de", .namespace = "default",
				 .name = "web2", .address = "10.1.0.20/24");

	agent_lab_link(lab, "vethpw012345678", 9);
	agent_lab_uplink(lab, "ens3", 2);
	told(lab);
	expect(find(lab, ifname), "%s", PATH_OF(ifname));
	for (size_t i = 0; i < TEST_COUNT(names); i++)
		expect(find(lab, names[i]), "%s", PATH_OF(ifname));
	expect(find(lab, "fd00:1::a"), "%s", PATH_OF(six));
	expect(find(lab, "FD00:1:0:0::0:a"), "%s", PATH_OF(six));
	/* which is the beginning of the other's as well */
	expect(find(lab, "c0de"), "%s", PATH_OF(six));
	expect(find(lab, "c0dec"), "%s", PATH_OF(longer));
	expect(find(lab, "vethpw012345678"), MANAGER_PATH "/attachment/012345678");
}

static void name_of_nobody_is_an_error(void **state)
{
	static const char *const names[] = {
		"",        "/",          "web",       "default/",    "/web",
		"default", "default/we", "ens3",      "%s%n",        "vethpw000000000",
		"c0f",     "C0FF",       "c0ffeg",    "c0ffeee",     "default/web/",
		"0000",    "10.1.0.3",   "10.1.0.2/", "10.1.0.2/24", "::ffff:10.1.0.2",
	};
	struct agent_lab *lab = *state;

	WEB(lab);
	agent_lab_link(lab, "vethpw012345678", 9);
	agent_lab_uplink(lab, "ens3", 2);
	told(lab);
	for (size_t i = 0; i < TEST_COUNT(names); i++)
		expect(find(lab, names[i]),
		       "org.podwire1.Error.NoSuchAttachment: %s: there is no such attachment",
		       names[i]);
}

static void name_of_several_is_an_error_that_names_them(void **state)
{
	struct agent_lab *lab = *state;
	const char *a = WEB(lab);
	const char *b = POD(lab, .container_id = "c0ffee", .namespace = "default", .name = "web",
			    .network = "storage");
	bool ordered = strcmp(a, b) < 0;

	told(lab);
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = { "c0ffee", "default/web", "c0ff" };
		const char *name = names[i];

		expect(find(lab, name),
		       "org.podwire1.Error.Ambiguous: %s: 2 attachments are called so: %s, %s",
		       name, ordered ? a : b, ordered ? b : a);
	}
	expect(find(lab, a), "%s", PATH_OF(a));
}

static void statistics_are_read_when_asked_for(void **state)
{
	struct agent_lab *lab = *state;
	const char *ifname = WEB(lab);
	const char *path = PATH_OF(ifname);

	agent_lab_uplink(lab, "ens3", 2);
	told(lab);
	expect(bus_lab_call(&lab->lab, path, ATTACHMENT, "GetStatistics", NULL),
	       "[in-packets=7, out-packets=18446744073709551615]");
	expect(bus_lab_call(&lab->lab, MANAGER_PATH "/device/ens3", DEVICE, "GetStatistics", NULL),
	       "[in-packets=2, out-packets=18446744073709551615]");
	pw_fail(&lab->refusal, EPERM, PW_E_IO, "read counts: %%m");
	expect(bus_lab_call(&lab->lab, path, ATTACHMENT, "GetStatistics", NULL),
	       "org.podwire1.Error.Failed: read counts: %%m");
	model_link_gone(lab->model, 7);
	model_record_gone(lab->model, ifname);
	expect(bus_lab_call(&lab->lab, path, ATTACHMENT, "GetStatistics", NULL),
	       "org.freedesktop.DBus.Error.UnknownObject: Unknown object '%s'.", path);
}

/* A record that no decoder would let pass; sd-bus would refuse all objects for one bad string. */
static void names_that_are_not_text_do_no_harm(void **state)
{
	static const char *const cases[][2] = {
		{ "w\xff"
		  "b",
		  "w?b" },
		{ "\xc3", "?" },
		{ "\xed\xa0\x80", "???" },
		{ "a\xef\xbf\xbe"
		  "b\xef\xb7\x90"
		  "c\xf0\x9f\xbf\xbf"
		  "d",
		  "a?b?c?d" },
		{ "\xef\xb7\x8f\xef\xbf\xbd\xf0\x9f\x90\x99",
		  "\xef\xb7\x8f\xef\xbf\xbd\xf0\x9f\x90\x99" },
		{ "caf\xc3\xa9\n", "caf\xc3\xa9\n" },
	};
	struct agent_lab *lab = *state;
	const char *ifname = WEB(lab);
	struct port *port = model_find(lab->model, ifname);

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		_cleanup_(freep) char *all = NULL;

		port->record.pod_name = cases[i][0];
		snprintf(port->detail, sizeof(port->detail), "%s", cases[i][0]);
		port->changed = true;
		told(lab);
		expect(get(lab, PATH_OF(ifname), ATTACHMENT, "Name"), "%s", cases[i][1]);
		expect(get(lab, PATH_OF(ifname), ATTACHMENT, "PathDetail"), "%s", cases[i][1]);
		all = bus_lab_call(&lab->lab, MANAGER_PATH, "org.freedesktop.DBus.ObjectManager",
				   "GetManagedObjects", NULL);
		assert_non_null(strstr(all, PATH_OF(ifname)));
	}
}

static void object_manager_has_all_of_many(void **state)
{
	struct agent_lab *lab = *state;
	_cleanup_(freep) char *all = NULL;
	size_t n = 0;

	for (int i = 1; i <= 300; i++) {
		char id[16];

		snprintf(id, sizeof(id), "c%d", i);
		POD(lab, .container_id = id, .ifindex = i);
	}
	told(lab);
	all = bus_lab_call(&lab->lab, MANAGER_PATH, "org.freedesktop.DBus.ObjectManager",
			   "GetManagedObjects", NULL);
	for (const char *at = all; (at = strstr(at, ATTACHMENT "=[")); at++)
		n++;
	assert_int_equal(n, 300);
	for (size_t i = 0; i < model_ports(lab->model); i += 2)
		model_port(lab->model, i)->gone = true;
	free(bus_lab_call(&lab->lab, MANAGER_PATH, MANAGER, "ListAttachments", NULL));
	told(lab);
	for (size_t i = 0; i < model_ports(lab->model); i++) {
		_cleanup_(freep) char *answer = find(lab, model_port(lab->model, i)->ifname);

		assert_int_equal(!strncmp(answer, "org.podwire1.Error", 18), i % 2 == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(introspection_is_the_definition),
		TEST(manager_says_what_it_is),
		TEST(manager_counts_ports_by_path),
		TEST(manager_says_which_cpus_there_are),
		TEST(attachment_has_what_the_record_and_the_port_have),
		TEST(link_without_a_record_is_an_attachment_without_names),
		TEST(device_has_what_its_port_has),
		TEST(any_name_of_a_link_makes_a_path),
		TEST(exactly_what_differs_is_told),
		TEST(what_is_the_same_is_not_told),
		TEST(objects_come_and_go_with_all_their_interfaces),
		TEST(what_went_before_it_was_told_is_never_told),
		TEST(what_the_model_has_forgotten_goes_all_the_same),
		TEST(attachment_that_comes_again_is_a_new_one),
		TEST(lists_have_each_kind_by_path),
		TEST(attachment_is_found_by_each_of_its_names),
		TEST(name_of_nobody_is_an_error),
		TEST(name_of_several_is_an_error_that_names_them),
		TEST(statistics_are_read_when_asked_for),
		TEST(names_that_are_not_text_do_no_harm),
		TEST(object_manager_has_all_of_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
