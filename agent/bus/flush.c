/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the model to the bus
 *
 * An object changes only here, and with it goes the signal: a signal that can't be sent leaves the
 * object as it was. Objects go and come with all their interfaces, the standard ones included: a
 * client's view of an object ends when the last one is removed.
 */
#include <string.h>

#include "bus/paths.h"
#include "bus/server.h"

static const struct object_kind *kind_of(const struct port *port)
{
	switch (port->kind) {
	case PW_PORT_POD:
		return &attachment_kind;
	case PW_PORT_UPLINK:
		return &device_kind;
	case PW_PORT_FREE:
		break;
	}
	return NULL;
}

static int show(struct bus *bus, const struct object_kind *kind, const struct port *port,
		const char **ret_path)
{
	_cleanup_(object_freep) struct object *object = object_new(bus, kind, port);

	if (!object || objects_add(&bus->objects, object) < 0)
		return -ENOMEM;
	*ret_path = take_ptr(object)->path;
	return 0;
}

static int tell_added(struct bus *bus, const struct object_kind *kind, const struct port *port)
{
	const char *path = NULL;
	int r = show(bus, kind, port, &path);

	if (r < 0)
		return r;
	r = sd_bus_emit_object_added(bus->connection, path);
	if (r < 0)
		objects_remove(&bus->objects, path);
	return r;
}

static int tell_changed(struct bus *bus, struct object *object, const struct port *port)
{
	char *names[OBJECT_PROPERTIES_MAX];
	struct view before = object->view;
	int r = object->kind->look(port, &object->view);

	if (r < 0)
		return r;
	/* sd-bus reads the values from the object, so these have to be the new ones by then */
	if (object_changes(object->kind, &before, &object->view, names) > 0) {
		r = sd_bus_emit_properties_changed_strv(bus->connection, object->path,
							object->kind->interface, names);
		if (r < 0) {
			view_done(&object->view);
			object->view = before;
			return r;
		}
	}
	view_done(&before);
	return 0;
}

static int tell_removed(struct bus *bus, const char *path)
{
	int r = sd_bus_emit_object_removed(bus->connection, path);

	if (r >= 0)
		objects_remove(&bus->objects, path);
	return r;
}

/* The model forgets a port whether or not its end could be told. */
static void tell_orphans(struct bus *bus)
{
	for (size_t i = objects_count(&bus->objects); i-- > 0;) {
		const struct object *object = objects_at(&bus->objects, i);
		const struct port *port = model_find(bus->model, object->ifname);

		if (!port || port->gone)
			tell_removed(bus, object->path);
	}
}

static void tell(struct bus *bus, struct port *port)
{
	const struct object_kind *kind = kind_of(port);
	_cleanup_(freep) char *path = kind ? kind->path(kind->prefix, port->ifname) : NULL;
	struct object *object = path ? objects_find(&bus->objects, path) : NULL;
	int r = 0;

	if (!path)
		r = kind ? -ENOMEM : 0;
	else if (port->gone)
		r = object ? tell_removed(bus, path) : 0;
	else if (object)
		r = tell_changed(bus, object, port);
	else
		r = tell_added(bus, kind, port);
	if (r >= 0)
		port->changed = false;
}

void bus_flush(struct bus *bus)
{
	size_t n, there = 0;

	if (!bus || sd_bus_is_open(bus->connection) <= 0) /* it was lost */
		return;
	n = model_ports(bus->model);
	/* a name may have passed from one port to another in the meantime */
	for (size_t i = 0; i < n; i++) {
		if (model_port(bus->model, i)->gone)
			tell(bus, model_port(bus->model, i));
	}
	for (size_t i = 0; i < n; i++) {
		struct port *port = model_port(bus->model, i);

		if (port->changed && !port->gone)
			tell(bus, port);
		there += !port->gone;
	}
	if (objects_count(&bus->objects) > there)
		tell_orphans(bus);
}

int bus_show_all(struct bus *bus)
{
	for (size_t i = 0; i < model_ports(bus->model); i++) {
		struct port *port = model_port(bus->model, i);
		const struct object_kind *kind = kind_of(port);
		const char *path = NULL;

		if (!kind || port->gone)
			continue;
		if (show(bus, kind, port, &path) < 0)
			return -ENOMEM;
		port->changed = false;
	}
	return 0;
}
