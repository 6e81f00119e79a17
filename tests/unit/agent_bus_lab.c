/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent_bus_lab.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

static const char *const features[] = { "tcx", "xdp-features", NULL };

static int statistics(const struct port *port,
		      void (*each)(const char *name, uint64_t value, void *arg), void *arg,
		      void *userdata, struct pw_error *err)
{
	struct agent_lab *lab = userdata;

	if (lab->refusal.errnum) {
		*err = lab->refusal;
		return -err->errnum;
	}
	each("in-packets", (uint64_t)port->ifindex, arg);
	each("out-packets", UINT64_MAX, arg);
	return 0;
}

static int on_reload(void *userdata, struct pw_error *err)
{
	struct agent_lab *lab = userdata;

	*err = lab->refusal;
	lab->reloads++;
	return -err->errnum;
}

static size_t cpus(const uint32_t **ret_cpu, uint32_t *ret_queue, void *userdata)
{
	const struct agent_lab *lab = userdata;

	*ret_cpu = lab->cpu;
	*ret_queue = CPU_QUEUE;
	return lab->cpus;
}

static int set_cpus(const uint32_t *cpu, size_t n, bool runtime, void *userdata,
		    struct pw_error *err)
{
	struct agent_lab *lab = userdata;

	*err = lab->refusal;
	if (err->errnum)
		return -err->errnum;
	assert_true(n <= TEST_COUNT(lab->cpu));
	for (size_t i = 0; i < n; i++)
		lab->cpu[i] = cpu[i];
	lab->cpus = n;
	lab->kept = !runtime;
	return 0;
}

static void lost(void *userdata)
{
	struct agent_lab *lab = userdata;

	lab->lost = true;
	lab->losses++;
}

int agent_lab_open(struct agent_lab *lab, const char *address, struct pw_error *err)
{
	const struct bus_ops ops = {
		.statistics = statistics,
		.reload = on_reload,
		.cpus = cpus,
		.set_cpus = set_cpus,
		.lost = lost,
	};
	const struct bus_info info = {
		.version = "0.1.0-test",
		.kernel = "6.1.0-test",
		.features = (char *const *)features,
		.resyncs = &lab->resyncs,
		.lost_events = &lab->lost_events,
		.log = &lab->log,
	};

	int r = 0;

	if (!lab->bus)
		r = bus_new(lab->lab.event, lab->model, &info, &ops, lab, &lab->bus, err);
	return r < 0 ? r : bus_connect(lab->bus, address, err);
}

static int setup(void **state, const char *policy, const char *include)
{
	struct agent_lab *lab = calloc(1, sizeof(*lab));
	struct pw_error err = {};

	assert_non_null(lab);
	lab->log = (struct log){ .level = LOG_INFO };
	bus_lab_start(&lab->lab, policy, include);
	assert_int_equal(model_new(64, &lab->model, &err), 0);
	if (agent_lab_open(lab, lab->lab.address, &err) < 0)
		fail_msg("%s", err.msg);
	*state = lab;
	return 0;
}

int agent_lab_setup(void **state)
{
	return setup(state, BUS_LAB_OPEN, NULL);
}

int agent_lab_setup_shipped(void **state)
{
	const char *source = getenv("PW_SOURCE_DIR");
	char file[4096];

	if (geteuid() != 0) /* whom it doesn't let have the name; such tests skip themselves */
		return agent_lab_setup(state);
	snprintf(file, sizeof(file), "%s/deploy/dbus/org.podwire1.conf", source ? source : ".");
	return setup(state, "", file);
}

int agent_lab_teardown(void **state)
{
	struct agent_lab *lab = *state;

	bus_free(lab->bus);
	bus_lab_done(&lab->lab);
	model_free(lab->model);
	free(lab);
	return 0;
}

static struct link_seen link_of(const char *ifname, int ifindex, const char *kind)
{
	struct link_seen link = { .ifindex = ifindex, .mtu = 1500, .up = true };

	snprintf(link.name, sizeof(link.name), "%s", ifname);
	snprintf(link.kind, sizeof(link.kind), "%s", kind);
	return link;
}

void agent_lab_link(struct agent_lab *lab, const char *ifname, int ifindex)
{
	struct link_seen link = link_of(ifname, ifindex, "veth");

	assert_int_equal(model_link_seen(lab->model, &link, NULL), 0);
}

void agent_lab_uplink(struct agent_lab *lab, const char *ifname, int ifindex)
{
	struct link_seen link = link_of(ifname, ifindex, "vlan");

	assert_int_equal(model_set_uplink(lab->model, &link, NULL), 0);
}

static void decode(const struct pod *pod, const struct attachment *id, const char *ifname,
		   struct record *ret)
{
	char text[1024], optional[256] = "";
	struct pw_error err = {};

	if (pod->namespace)
		snprintf(optional, sizeof(optional),
			 ",\"podNamespace\":\"%s\",\"podName\":\"%s\",\"podUid\":\"uid-of-%s\"",
			 pod->namespace, pod->name, pod->name);
	snprintf(
		text, sizeof(text),
		"{\"version\":1,\"state\":\"ready\",\"bootId\":\"b\",\"configDigest\":\"0\","
		"\"network\":\"%s\",\"containerId\":\"%s\",\"ifname\":\"%s\",\"hostIfname\":\"%s\","
		"\"mac\":\"02:00:00:00:00:01\",\"hostMac\":\"02:00:00:00:00:02\","
		"\"addresses\":[%s%s%s]%s}",
		id->network, id->container_id, id->ifname, ifname, pod->address ? "\"" : "",
		pod->address ? pod->address : "", pod->address ? "\"" : "", optional);
	if (record_decode(text, strlen(text), ret, &err) < 0)
		fail_msg("%s", err.msg);
}

const char *agent_lab_pod(struct agent_lab *lab, const struct pod *pod,
			  char ifname[PORT_IFNAME_LEN])
{
	const struct attachment id = {
		.network = pod->network ? pod->network : "podnet",
		.container_id = pod->container_id,
		.ifname = "eth0",
	};
	struct record rec = {};

	attachment_host_ifname(&id, ifname);
	decode(pod, &id, ifname, &rec);
	assert_int_equal(model_record_seen(lab->model, ifname, &rec, NULL, NULL), 0);
	record_done(&rec);
	if (pod->ifindex)
		agent_lab_link(lab, ifname, pod->ifindex);
	return ifname;
}

const char *attachment_path(const char *ifname, char buf[64])
{
	snprintf(buf, 64, MANAGER_PATH "/attachment/%s", ifname + strlen(HOST_IFNAME_PREFIX));
	return buf;
}

const struct pod web = { .container_id = "c0ffee",
			 .namespace = "default",
			 .name = "web",
			 .address = "10.1.0.2/24",
			 .ifindex = 7 };

void expect(char *answer, const char *fmt, ...)
{
	_cleanup_(freep) char *wanted = NULL;
	va_list ap;

	va_start(ap, fmt);
	assert_true(vasprintf(&wanted, fmt, ap) >= 0);
	va_end(ap);
	assert_string_equal(answer, wanted);
	free(answer);
}

char *get(struct agent_lab *lab, const char *path, const char *interface, const char *property)
{
	return bus_lab_call(&lab->lab, path, PROPERTIES, "Get", "ss", interface, property);
}

char *find(struct agent_lab *lab, const char *name)
{
	return bus_lab_call(&lab->lab, MANAGER_PATH, MANAGER, "GetAttachment", "s", name);
}

char *reload(struct agent_lab *lab)
{
	return bus_lab_call(&lab->lab, MANAGER_PATH, MANAGER, "Reload", NULL);
}

char *flush(struct agent_lab *lab)
{
	bus_flush(lab->bus);
	return bus_lab_signals(&lab->lab);
}

void told(struct agent_lab *lab)
{
	free(flush(lab));
}
