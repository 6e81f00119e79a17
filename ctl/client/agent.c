/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/agent.h"

#include <errno.h>

#define MANAGER(name, type, member)                                           \
	{                                                                     \
		name, PROPERTY_##type, offsetof(struct agent_manager, member) \
	}
#define ATTACHMENT(name, type, member)                                           \
	{                                                                        \
		name, PROPERTY_##type, offsetof(struct agent_attachment, member) \
	}
#define DEVICE(name, type, member)                                           \
	{                                                                    \
		name, PROPERTY_##type, offsetof(struct agent_device, member) \
	}

const struct property agent_manager_properties[] = {
	MANAGER("Version", STRING, version),
	MANAGER("Kernel", STRING, kernel),
	MANAGER("Features", STRINGS, features),
	MANAGER("Resyncs", COUNTER, resyncs),
	MANAGER("LostEvents", COUNTER, lost_events),
	MANAGER("Slots", UINT, slots),
	MANAGER("FreeSlots", UINT, free_slots),
	MANAGER("WithoutSlot", UINT, without_slot),
	MANAGER("Cpus", UINTS, cpus),
	{},
};

const struct property agent_attachment_properties[] = {
	ATTACHMENT("Namespace", STRING, namespace),
	ATTACHMENT("Name", STRING, name),
	ATTACHMENT("Uid", STRING, uid),
	ATTACHMENT("ContainerId", STRING, container_id),
	ATTACHMENT("Network", STRING, network),
	ATTACHMENT("Interface", STRING, interface),
	ATTACHMENT("HostInterface", STRING, host_interface),
	ATTACHMENT("IfIndex", INT, ifindex),
	ATTACHMENT("Addresses", STRINGS, addresses),
	ATTACHMENT("State", STRING, state),
	ATTACHMENT("Path", STRING, route),
	ATTACHMENT("PathReason", STRING, reason),
	ATTACHMENT("PathDetail", STRING, detail),
	ATTACHMENT("SourceCheck", STRING, source_check),
	{},
};

const struct property agent_device_properties[] = {
	DEVICE("Name", STRING, name),
	DEVICE("IfIndex", INT, ifindex),
	DEVICE("Kind", STRING, kind),
	DEVICE("Driver", STRING, driver),
	DEVICE("State", STRING, state),
	DEVICE("Path", STRING, route),
	DEVICE("PathReason", STRING, reason),
	DEVICE("PathDetail", STRING, detail),
	DEVICE("CanTakeFrames", BOOL, can_take_frames),
	{},
};

void agent_manager_done(struct agent_manager *manager)
{
	properties_done(agent_manager_properties, manager);
	sd_bus_message_unref(manager->answer);
}

void agent_objects_done(struct agent_objects *objects)
{
	for (size_t i = 0; i < objects->n_attachments; i++)
		properties_done(agent_attachment_properties, &objects->attachments[i]);
	for (size_t i = 0; i < objects->n_devices; i++)
		properties_done(agent_device_properties, &objects->devices[i]);
	free(objects->attachments);
	free(objects->devices);
	sd_bus_message_unref(objects->answer);
}

void agent_statistics_done(struct agent_statistics *statistics)
{
	free(statistics->counters);
	sd_bus_message_unref(statistics->answer);
}

int agent_manager_read(sd_bus_message *answer, struct agent_manager *ret, struct pw_error *err)
{
	_cleanup_(agent_manager_done) struct agent_manager m = {
		.answer = sd_bus_message_ref(answer),
	};
	int r;

	properties_init(agent_manager_properties, &m);
	r = properties_read(answer, agent_manager_properties, AGENT_MANAGER, &m, err);
	if (r < 0)
		return r;
	*ret = m;
	m = (struct agent_manager){};
	return 0;
}

/* What GetManagedObjects says, while it is being read. */
struct reading {
	sd_bus_message *m;
	const char *path; /* of the object at hand */
	size_t most;
	struct array attachments, devices;
	struct pw_error *err;
};

static int read_attachment(struct reading *reading)
{
	struct agent_attachment *a = array_grow(&reading->attachments, sizeof(*a), 1);

	if (!a)
		return pw_oom(reading->err);
	a->path = reading->path;
	properties_init(agent_attachment_properties, a);
	return properties_read(reading->m, agent_attachment_properties, reading->path, a,
			       reading->err);
}

static int read_device(struct reading *reading)
{
	struct agent_device *d = array_grow(&reading->devices, sizeof(*d), 1);

	if (!d)
		return pw_oom(reading->err);
	d->path = reading->path;
	properties_init(agent_device_properties, d);
	return properties_read(reading->m, agent_device_properties, reading->path, d, reading->err);
}

/* Between the braces of "{sa{sv}}". */
static int read_interface(struct reading *reading)
{
	const char *interface;
	int r = sd_bus_message_read_basic(reading->m, 's', &interface);

	if (r < 0)
		return r;
	if (reading->attachments.n + reading->devices.n >= reading->most)
		return pw_fail(reading->err, E2BIG, PW_E_DECODE,
			       "the agent tells of more than %zu pods and devices", reading->most);
	if (strcmp(interface, AGENT_ATTACHMENT) == 0)
		return read_attachment(reading);
	if (strcmp(interface, AGENT_DEVICE) == 0)
		return read_device(reading);
	return sd_bus_message_skip(reading->m, "a{sv}");
}

/* The next thing is an array of dictionary entries; @read reads what is between an entry's braces.
 */
static int read_entries(struct reading *reading, const char *array, const char *entry,
			int (*read)(struct reading *reading))
{
	int r = sd_bus_message_enter_container(reading->m, 'a', array);

	while (r >= 0) {
		r = sd_bus_message_enter_container(reading->m, 'e', entry);
		if (r <= 0)
			break;
		r = read(reading);
		if (r >= 0)
			r = sd_bus_message_exit_container(reading->m);
	}
	return r < 0 ? r : sd_bus_message_exit_container(reading->m);
}

/* Between the braces of "{oa{sa{sv}}}". */
static int read_object(struct reading *reading)
{
	int r = sd_bus_message_read_basic(reading->m, 'o', &reading->path);

	return r < 0 ? r : read_entries(reading, "{sa{sv}}", "sa{sv}", read_interface);
}

static int by_pod(const void *a, const void *b)
{
	const struct agent_attachment *x = a, *y = b;
	int r = strcmp(x->namespace, y->namespace);

	if (r == 0)
		r = strcmp(x->name, y->name);
	if (r == 0)
		r = strcmp(x->interface, y->interface);
	return r ? r : strcmp(x->host_interface, y->host_interface);
}

static int by_device(const void *a, const void *b)
{
	const struct agent_device *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int by_counter(const void *a, const void *b)
{
	const struct agent_counter *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* qsort() may not be called with NULL, not even for nothing. */
static void sort(void *v, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	if (n > 1)
		qsort(v, n, size, compare);
}

/* @r is sd-bus's; where @cause has nothing yet, the answer isn't of the type that it should be. */
static int not_an_answer(int r, const char *method, struct pw_error *cause, struct pw_error *err)
{
	if (cause->errnum == 0)
		pw_fail(cause, r == -ENOMEM ? ENOMEM : EBADMSG, PW_E_DECODE,
			"the agent's answer to %s isn't one: %m", method);
	return pw_gather(err, cause);
}

/* Takes what was read, of which the texts are in its answer. */
static struct agent_objects objects_of(const struct reading *reading)
{
	return (struct agent_objects){
		.attachments = reading->attachments.v,
		.n_attachments = reading->attachments.n,
		.devices = reading->devices.v,
		.n_devices = reading->devices.n,
		.answer = sd_bus_message_ref(reading->m),
	};
}

int agent_objects_read(sd_bus_message *answer, size_t most, struct agent_objects *ret,
		       struct pw_error *err)
{
	struct pw_error cause = {};
	struct reading reading = { .m = answer, .most = most, .err = &cause };
	int r = read_entries(&reading, "{oa{sa{sv}}}", "oa{sa{sv}}", read_object);
	_cleanup_(agent_objects_done) struct agent_objects objects = objects_of(&reading);

	if (r < 0)
		return not_an_answer(r, "GetManagedObjects", &cause, err);
	sort(objects.attachments, objects.n_attachments, sizeof(*objects.attachments), by_pod);
	sort(objects.devices, objects.n_devices, sizeof(*objects.devices), by_device);
	*ret = objects;
	objects = (struct agent_objects){};
	return 0;
}

int agent_attachment_read(sd_bus_message *answer, const char *path, struct agent_objects *ret,
			  struct pw_error *err)
{
	struct reading reading = { .m = answer, .path = path, .err = err };
	int r = read_attachment(&reading);
	_cleanup_(agent_objects_done) struct agent_objects objects = objects_of(&reading);

	if (r < 0)
		return r;
	*ret = objects;
	objects = (struct agent_objects){};
	return 0;
}

static int read_counter(sd_bus_message *m, struct array *counters)
{
	struct agent_counter *c;
	int r = sd_bus_message_enter_container(m, 'e', "st");

	if (r <= 0)
		return r;
	c = array_grow(counters, sizeof(*c), 1);
	if (!c)
		return -ENOMEM;
	r = sd_bus_message_read(m, "st", &c->name, &c->value);
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

int agent_statistics_read(sd_bus_message *answer, struct agent_statistics *ret,
			  struct pw_error *err)
{
	struct array counters = {};
	struct pw_error cause = {};
	int r = sd_bus_message_enter_container(answer, 'a', "{st}");

	while (r > 0)
		r = read_counter(answer, &counters);
	if (r >= 0)
		r = sd_bus_message_exit_container(answer);
	if (r < 0) {
		array_done(&counters);
		return not_an_answer(r, "GetStatistics", &cause, err);
	}
	sort(counters.v, counters.n, sizeof(struct agent_counter), by_counter);
	*ret = (struct agent_statistics){ counters.v, counters.n, sd_bus_message_ref(answer) };
	return 0;
}

int agent_cpus_read(sd_bus_message *answer, struct array *ret, struct pw_error *err)
{
	struct array cpus = {};
	struct pw_error cause = {};
	struct agent_cpu one, *last;
	int r = sd_bus_message_enter_container(answer, 'a', "(uu)");

	while (r >= 0) {
		r = sd_bus_message_read(answer, "(uu)", &one.cpu, &one.queue);
		if (r <= 0)
			break;
		last = array_grow(&cpus, sizeof(*last), 1);
		if (last)
			*last = one;
		else
			r = -ENOMEM;
	}
	if (r >= 0)
		r = sd_bus_message_exit_container(answer);
	if (r < 0) {
		array_done(&cpus);
		return not_an_answer(r, "ListCpus", &cause, err);
	}
	*ret = cpus;
	return 0;
}
