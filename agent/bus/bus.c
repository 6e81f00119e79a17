/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The connection
 *
 * All objects of a kind share one vtable below their prefix, and are found by their path in the
 * table of what was told: sd-bus keeps nothing for each of them. The bus is the only owner of the
 * connection, which ends when the daemon goes away; it is never opened again, so that whoever
 * decides about another attempt, and says so in the journal, is the agent.
 */
#include "bus/bus.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bus/paths.h"
#include "bus/server.h"

/* A bus that doesn't answer must not hold up the agent. */
#define PATIENCE_US UINT64_C(5000000)

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

static int on_disconnected(sd_bus_message *m, void *userdata, sd_bus_error *ret_error)
{
	struct bus *bus = userdata;

	(void)m;
	(void)ret_error;
	if (bus->ops.lost)
		bus->ops.lost(bus->userdata); /* which may have freed the bus */
	return 0;
}

static int add_kind(struct bus *bus, const struct object_kind *kind, sd_bus_node_enumerator_t list)
{
	int r = sd_bus_add_fallback_vtable(bus->connection, NULL, kind->prefix, kind->interface,
					   kind->vtable, find_object, bus);

	if (r < 0)
		return r;
	return sd_bus_add_node_enumerator(bus->connection, NULL, kind->prefix, list, bus);
}

static int add_objects(struct bus *bus)
{
	int r = bus_show_all(bus);

	if (r < 0)
		return r;
	r = sd_bus_add_object_manager(bus->connection, NULL, BUS_ROOT);
	if (r < 0)
		return r;
	r = sd_bus_add_object_vtable(bus->connection, NULL, BUS_ROOT, BUS_NAME ".Manager",
				     manager_vtable, bus);
	if (r < 0)
		return r;
	r = add_kind(bus, &attachment_kind, list_attachments);
	if (r < 0)
		return r;
	r = add_kind(bus, &device_kind, list_devices);
	if (r < 0)
		return r;
	return sd_bus_match_signal(bus->connection, NULL, "org.freedesktop.DBus.Local",
				   "/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local",
				   "Disconnected", on_disconnected, bus);
}

static int connect_to(struct bus *bus, const char *address)
{
	int r = sd_bus_new(&bus->connection);

	if (r < 0)
		return r;
	r = sd_bus_set_address(bus->connection, address);
	if (r < 0)
		return r;
	r = sd_bus_set_bus_client(bus->connection, 1);
	if (r < 0)
		return r;
	return sd_bus_start(bus->connection);
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* Until the bus has let us in, which sd-bus itself would wait for much longer. */
static int wait_until_ready(sd_bus *connection)
{
	uint64_t now, end = now_us() + PATIENCE_US;
	int r;

	while ((r = sd_bus_is_ready(connection)) == 0) {
		r = sd_bus_process(connection, NULL);
		if (r < 0)
			return r;
		if (r > 0)
			continue;
		now = now_us();
		if (now >= end)
			return -ETIMEDOUT;
		r = sd_bus_wait(connection, end - now);
		if (r < 0 && r != -EINTR)
			return r;
	}
	return r < 0 ? r : 0;
}

static int connect_any(struct bus *bus, const char *address, struct pw_error *err)
{
	int r = address ? connect_to(bus, address) : sd_bus_open_system(&bus->connection);

	if (r >= 0)
		r = wait_until_ready(bus->connection);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "connect to %s: %m",
			       address ? address : "the system bus");
	r = sd_bus_set_exit_on_disconnect(bus->connection, 0);
	if (r >= 0)
		r = sd_bus_set_method_call_timeout(bus->connection, PATIENCE_US);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "set up the bus: %m");
	return 0;
}

/* Whoever has it, in words: by the name of the process where that can be seen. */
static int name_is_taken(struct bus *bus, struct pw_error *err)
{
	_cleanup_(sd_bus_creds_unrefp) sd_bus_creds *creds = NULL;
	const char *comm = NULL;
	pid_t pid = 0;

	if (sd_bus_get_name_creds(bus->connection, BUS_NAME,
				  SD_BUS_CREDS_PID | SD_BUS_CREDS_COMM | SD_BUS_CREDS_AUGMENT,
				  &creds) < 0 ||
	    sd_bus_creds_get_pid(creds, &pid) < 0)
		return pw_fail(err, EEXIST, PW_E_EXISTS, "somebody has the name " BUS_NAME);
	if (sd_bus_creds_get_comm(creds, &comm) < 0)
		comm = "a process";
	return pw_fail(err, EEXIST, PW_E_EXISTS, "%s (pid %d) has the name " BUS_NAME, comm,
		       (int)pid);
}

static int take_name(struct bus *bus, struct pw_error *err)
{
	int r = sd_bus_request_name(bus->connection, BUS_NAME, 0);

	if (r == -EEXIST)
		return name_is_taken(bus, err);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "take the name " BUS_NAME " on the bus: %m");
	return 0;
}

int bus_open(const char *address, sd_event *event, struct model *model, const struct bus_info *info,
	     const struct bus_ops *ops, void *userdata, struct bus **ret, struct pw_error *err)
{
	_cleanup_(bus_freep) struct bus *bus = calloc(1, sizeof(*bus));
	int r;

	if (!bus)
		return pw_oom(err);
	*bus = (struct bus){ .model = model, .info = *info, .ops = *ops, .userdata = userdata };
	r = connect_any(bus, address, err);
	if (r < 0)
		return r;
	r = add_objects(bus);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "put objects on the bus: %m");
	/* the last thing that can be seen: who waits for the name finds everything there */
	r = take_name(bus, err);
	if (r < 0)
		return r;
	r = sd_bus_attach_event(bus->connection, event, SD_EVENT_PRIORITY_NORMAL);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "attach the bus to the event loop: %m");
	*ret = take_ptr(bus);
	return 0;
}

/* Without a flush, which a bus that is stuck would never end. */
struct bus *bus_free(struct bus *bus)
{
	if (bus) {
		sd_bus_close_unref(bus->connection);
		objects_done(&bus->objects);
		free(bus);
	}
	return NULL;
}
