/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the model to the bus
 *
 * An object changes only here, and with it goes the signal, to all who are connected: who can't be
 * told is cut off. Objects go and come with all their interfaces, the standard ones included: a
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
		const struct object **ret)
{
	_cleanup_(object_freep) struct object *object = object_new(bus, kind, port);

	if (!object || objects_add(&bus->objects, object) < 0)
		return -ENOMEM;
	*ret = take_ptr(object);
	return 0;
}

struct news {
	int (*emit)(sd_bus *connection, const struct news *news);
	const struct object *object;
	char **names; /* of the properties that differ */
};

static int emit_added(sd_bus *connection, const struct news *news)
{
	return sd_bus_emit_object_added(connection, news->object->path);
}

static int emit_removed(sd_bus *connection, const struct news *news)
{
	return sd_bus_emit_object_removed(connection, news->object->path);
}

static int emit_changed(sd_bus *connection, const struct news *news)
{
	return sd_bus_emit_properties_changed_strv(connection, news->object->path,
						   news->object->kind->interface, news->names);
}

static void spread(struct bus *bus, const struct news *news)
{
	if (bus->daemon && news->emit(bus->daemon, news) < 0)
		bus_lose(bus);
	for (size_t i = peers_count(bus->peers); i-- > 0;) {
		sd_bus *connection = peers_at(bus->peers, i);

		/* one that isn't in yet finds all as it will be then */
		if (sd_bus_is_ready(connection) > 0 && news->emit(connection, news) < 0)
			peers_cut(bus->peers, i);
	}
}

static int tell_added(struct bus *bus, const struct object_kind *kind, const struct port *port)
{
	const struct object *object = NULL;
	int r = show(bus, kind, port, &object);

	if (r == 0)
		spread(bus, &(struct news){ emit_added, object, NULL });
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
	if (object_changes(object->kind, &before, &object->view, names) > 0)
		spread(bus, &(struct news){ emit_changed, object, names });
	view_done(&before);
	return 0;
}

static void tell_removed(struct bus *bus, const struct object *object)
{
	spread(bus, &(struct news){ emit_removed, object, NULL });
	objects_remove(&bus->objects, object->path);
}

/* The model forgets a port whether or not its end could be told. */
static void tell_orphans(struct bus *bus)
{
	for (size_t i = objects_count(&bus->objects); i-- > 0;) {
		const struct object *object = objects_at(&bus->objects, i);
		const struct port *port = model_find(bus->model, object->ifname);

		if (!port || port->gone)
			tell_removed(bus, object);
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
	else if (port->gone && object)
		tell_removed(bus, object);
	else if (port->gone)
		r = 0;
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

	if (!bus)
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
	peers_check(bus->peers);
}

int bus_show_all(struct bus *bus)
{
	for (size_t i = 0; i < model_ports(bus->model); i++) {
		struct port *port = model_port(bus->model, i);
		const struct object_kind *kind = kind_of(port);
		const struct object *object = NULL;

		if (!kind || port->gone)
			continue;
		if (show(bus, kind, port, &object) < 0)
			return -ENOMEM;
		port->changed = false;
	}
	return 0;
}
