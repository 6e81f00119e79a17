/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table of objects on each connection
 *
 * All objects of a kind share one vtable below their prefix, and are found by their path in the
 * table of what was told: sd-bus keeps nothing for each of them.
 */
#include <string.h>

#include "bus/paths.h"
#include "bus/server.h"

static int find_object(sd_bus *connection, const char *path, const char *interface, void *userdata,
		       void **ret_found, sd_bus_error *ret_error)
{
	struct bus *bus = userdata;
	struct object *object = objects_find(&bus->objects, path);

	(void)connection;
	(void)ret_error;
	if (!object || strcmp(object->kind->interface, interface) != 0)
		return 0;
	*ret_found = object;
	return 1;
}

static int list_kind(const struct bus *bus, const struct object_kind *kind, char ***ret_nodes)
{
	size_t n = objects_count(&bus->objects), found = 0;
	char **nodes = calloc(n + 1, sizeof(*nodes));
	bool whole = nodes;

	for (size_t i = 0; whole && i < n; i++) {
		const struct object *o = objects_at(&bus->objects, i);

		if (o->kind != kind)
			continue;
		nodes[found] = strdup(o->path);
		whole = nodes[found++];
	}
	if (!whole) {
		while (found > 0)
			free(nodes[--found]);
		free(nodes);
		return -ENOMEM;
	}
	*ret_nodes = nodes;
	return 0;
}

/* @prefix is where the question began, which may be above where the objects are. */
static int list_attachments(sd_bus *connection, const char *prefix, void *userdata,
			    char ***ret_nodes, sd_bus_error *ret_error)
{
	(void)connection;
	(void)prefix;
	(void)ret_error;
	return list_kind(userdata, &attachment_kind, ret_nodes);
}

static int list_devices(sd_bus *connection, const char *prefix, void *userdata, char ***ret_nodes,
			sd_bus_error *ret_error)
{
	(void)connection;
	(void)prefix;
	(void)ret_error;
	return list_kind(userdata, &device_kind, ret_nodes);
}

static int add_kind(struct bus *bus, sd_bus *connection, const struct object_kind *kind,
		    sd_bus_node_enumerator_t list)
{
	int r = sd_bus_add_fallback_vtable(connection, NULL, kind->prefix, kind->interface,
					   kind->vtable, find_object, bus);

	if (r < 0)
		return r;
	return sd_bus_add_node_enumerator(connection, NULL, kind->prefix, list, bus);
}

/* What is of use without an answer. */
static bool changes_something(sd_bus_message *m)
{
	static const char *const members[] = { "Reload", "SetCpus", "Set" };

	for (size_t i = 0; i < ARRAY_COUNT(members); i++) {
		if (sd_bus_message_is_method_call(m, NULL, members[i]) > 0)
			return true;
	}
	return false;
}

/* Who asks and wants no answer gets no work done for it either: he could ask without end. */
static int skip_unheard(sd_bus_message *m, void *userdata, sd_bus_error *ret_error)
{
	(void)userdata;
	(void)ret_error;
	return sd_bus_message_is_method_call(m, NULL, NULL) > 0 &&
	       sd_bus_message_get_expect_reply(m) == 0 && !changes_something(m);
}

int bus_publish(struct bus *bus, sd_bus *connection)
{
	int r = sd_bus_add_filter(connection, NULL, skip_unheard, bus);

	if (r < 0)
		return r;
	r = sd_bus_add_object_manager(connection, NULL, BUS_ROOT);
	if (r < 0)
		return r;
	r = sd_bus_add_object_vtable(connection, NULL, BUS_ROOT, BUS_NAME ".Manager",
				     manager_vtable, bus);
	if (r < 0)
		return r;
	r = sd_bus_add_object_vtable(connection, NULL, "/org/freedesktop/LogControl1",
				     "org.freedesktop.LogControl1", log_control_vtable, bus);
	if (r < 0)
		return r;
	r = add_kind(bus, connection, &attachment_kind, list_attachments);
	if (r < 0)
		return r;
	return add_kind(bus, connection, &device_kind, list_devices);
}
