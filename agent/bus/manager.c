/* SPDX-License-Identifier: GPL-2.0-or-later */
/* org.podwire1.Manager: the agent itself, and the way to its objects. */
#include <string.h>

#include "bus/caller.h"
#include "bus/cpus.h"
#include "bus/errors.h"
#include "bus/find.h"
#include "bus/paths.h"
#include "bus/server.h"

static int get_counter(sd_bus *connection, const char *path, const char *interface,
		       const char *property, sd_bus_message *reply, void *userdata,
		       sd_bus_error *ret_error)
{
	const uint64_t *const *counter = userdata;

	(void)connection;
	(void)path;
	(void)interface;
	(void)property;
	(void)ret_error;
	return sd_bus_message_append(reply, "t", **counter);
}

static int get_slots(sd_bus *connection, const char *path, const char *interface,
		     const char *property, sd_bus_message *reply, void *userdata,
		     sd_bus_error *ret_error)
{
	const struct bus *bus = userdata;
	uint32_t value = PW_SLOTS - 1; /* slot 0 is nobody's */

	(void)connection;
	(void)path;
	(void)interface;
	(void)ret_error;
	if (strcmp(property, "FreeSlots") == 0)
		value = model_free_slots(bus->model);
	else if (strcmp(property, "WithoutSlot") == 0)
		value = (uint32_t)model_without_slot(bus->model);
	return sd_bus_message_append(reply, "u", value);
}

/* All paths that there are, whether or not anything goes by one. */
static int get_paths(sd_bus *connection, const char *path, const char *interface,
		     const char *property, sd_bus_message *reply, void *userdata,
		     sd_bus_error *ret_error)
{
	const struct bus *bus = userdata;
	int r = sd_bus_message_open_container(reply, 'a', "{su}");

	(void)connection;
	(void)path;
	(void)interface;
	(void)property;
	(void)ret_error;
	for (enum port_path p = 0; r >= 0 && p < _PORT_PATH_MAX; p++) {
		const char *name = port_path_name(p);
		uint32_t n = 0;

		for (size_t i = 0; i < objects_count(&bus->objects); i++)
			n += strcmp(objects_at(&bus->objects, i)->view.path, name) == 0;
		r = sd_bus_message_append(reply, "{su}", name, n);
	}
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

static int append_attachment(sd_bus_message *reply, const struct object *o)
{
	return sd_bus_message_append(reply, "(osss)", o->path, o->view.namespace, o->view.name,
				     o->view.ifname);
}

static int append_device(sd_bus_message *reply, const struct object *o)
{
	return sd_bus_message_append(reply, "(os)", o->path, o->view.ifname);
}

/* The list of all objects of @kind, as an array of @type. */
static int reply_list(sd_bus_message *m, const struct bus *bus, const struct object_kind *kind,
		      const char *type, int (*append)(sd_bus_message *, const struct object *))
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	int r = sd_bus_message_new_method_return(m, &reply);

	if (r < 0)
		return r;
	r = sd_bus_message_open_container(reply, 'a', type);
	for (size_t i = 0; r >= 0 && i < objects_count(&bus->objects); i++) {
		const struct object *o = objects_at(&bus->objects, i);

		if (o->kind == kind)
			r = append(reply, o);
	}
	if (r < 0)
		return r;
	r = sd_bus_message_close_container(reply);
	if (r < 0)
		return r;
	return sd_bus_message_send(reply);
}

static int list_attachments(sd_bus_message *m, void *userdata, sd_bus_error *ret_error)
{
	(void)ret_error;
	return reply_list(m, userdata, &attachment_kind, "(osss)", append_attachment);
}

static int list_devices(sd_bus_message *m, void *userdata, sd_bus_error *ret_error)
{
	(void)ret_error;
	return reply_list(m, userdata, &device_kind, "(os)", append_device);
}

static int get_attachment(sd_bus_message *m, void *userdata, sd_bus_error *ret_error)
{
	const struct bus *bus = userdata;
	enum bus_fault fault = BUS_FAILED;
	const struct object *object;
	struct pw_error err = {};
	const char *name;
	int r = sd_bus_message_read(m, "s", &name);

	if (r < 0)
		return r;
	object = find_attachment(&bus->objects, name, &fault, &err);
	if (!object)
		return bus_error(ret_error, fault, &err);
	return sd_bus_reply_method_return(m, "o", object->path);
}

static int reload(sd_bus_message *m, void *userdata, sd_bus_error *ret_error)
{
	struct bus *bus = userdata;
	struct pw_error err = {};
	int r = caller_is_root(bus, m, "Reload", ret_error);

	if (r < 0)
		return r;
	if (bus->ops.reload(bus->userdata, &err) < 0)
		return bus_error_from(ret_error, &err);
	return sd_bus_reply_method_return(m, NULL);
}

const sd_bus_vtable manager_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Version", "s", NULL, offsetof(struct bus, info.version),
			SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("Kernel", "s", NULL, offsetof(struct bus, info.kernel),
			SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("Features", "as", NULL, offsetof(struct bus, info.features),
			SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("Resyncs", "t", get_counter, offsetof(struct bus, info.resyncs), 0),
	SD_BUS_PROPERTY("LostEvents", "t", get_counter, offsetof(struct bus, info.lost_events), 0),
	SD_BUS_PROPERTY("Slots", "u", get_slots, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("FreeSlots", "u", get_slots, 0, 0),
	SD_BUS_PROPERTY("WithoutSlot", "u", get_slots, 0, 0),
	SD_BUS_PROPERTY("Paths", "a{su}", get_paths, 0, 0),
	SD_BUS_PROPERTY("Cpus", "au", cpus_get, 0, 0),
	SD_BUS_METHOD_WITH_ARGS("ListAttachments", SD_BUS_NO_ARGS,
				SD_BUS_RESULT("a(osss)", attachments), list_attachments,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("GetAttachment", SD_BUS_ARGS("s", name),
				SD_BUS_RESULT("o", attachment), get_attachment,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("ListDevices", SD_BUS_NO_ARGS, SD_BUS_RESULT("a(os)", devices),
				list_devices, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("ListCpus", SD_BUS_NO_ARGS, SD_BUS_RESULT("a(uu)", cpus), cpus_list,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("SetCpus", SD_BUS_ARGS("au", cpus, "b", runtime), SD_BUS_NO_RESULT,
				cpus_set, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Reload", SD_BUS_NO_ARGS, SD_BUS_NO_RESULT, reload,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};
