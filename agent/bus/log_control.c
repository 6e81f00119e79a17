/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.freedesktop.LogControl1, which is systemd's: for systemctl service-log-level and -log-target.
 * Its definition comes with systemd.
 */
#include "bus/caller.h"
#include "bus/server.h"
#include "log.h"

static int get_level(sd_bus *connection, const char *path, const char *interface,
		     const char *property, sd_bus_message *reply, void *userdata,
		     sd_bus_error *ret_error)
{
	const struct bus *bus = userdata;

	(void)connection;
	(void)path;
	(void)interface;
	(void)property;
	(void)ret_error;
	return sd_bus_message_append(reply, "s", log_level_name(bus->info.log));
}

static int get_target(sd_bus *connection, const char *path, const char *interface,
		      const char *property, sd_bus_message *reply, void *userdata,
		      sd_bus_error *ret_error)
{
	const struct bus *bus = userdata;

	(void)connection;
	(void)path;
	(void)interface;
	(void)property;
	(void)ret_error;
	return sd_bus_message_append(reply, "s", log_target_name(bus->info.log));
}

static int get_identifier(sd_bus *connection, const char *path, const char *interface,
			  const char *property, sd_bus_message *reply, void *userdata,
			  sd_bus_error *ret_error)
{
	(void)connection;
	(void)path;
	(void)interface;
	(void)property;
	(void)userdata;
	(void)ret_error;
	return sd_bus_message_append(reply, "s", LOG_IDENTIFIER);
}

/* One of the two, by its name. */
static int set(struct bus *bus, const char *property, sd_bus_message *value,
	       int (*by_name)(struct log *log, const char *name), sd_bus_error *ret_error)
{
	const char *name;
	int r = caller_is_root(bus, value, property, ret_error);

	if (r < 0)
		return r;
	r = sd_bus_message_read(value, "s", &name);
	if (r < 0)
		return r;
	if (by_name(bus->info.log, name) < 0)
		return sd_bus_error_setf(ret_error, SD_BUS_ERROR_INVALID_ARGS,
					 "%s can't be \"%.40s\"", property, name);
	return 0;
}

static int set_level(sd_bus *connection, const char *path, const char *interface,
		     const char *property, sd_bus_message *value, void *userdata,
		     sd_bus_error *ret_error)
{
	(void)connection;
	(void)path;
	(void)interface;
	return set(userdata, property, value, log_set_level, ret_error);
}

static int set_target(sd_bus *connection, const char *path, const char *interface,
		      const char *property, sd_bus_message *value, void *userdata,
		      sd_bus_error *ret_error)
{
	(void)connection;
	(void)path;
	(void)interface;
	return set(userdata, property, value, log_set_target, ret_error);
}

/* Unprivileged: who may set is asked by us, in the same way as for methods. */
const sd_bus_vtable log_control_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_WRITABLE_PROPERTY("LogLevel", "s", get_level, set_level, 0,
				 SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_WRITABLE_PROPERTY("LogTarget", "s", get_target, set_target, 0,
				 SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_PROPERTY("SyslogIdentifier", "s", get_identifier, 0, 0),
	SD_BUS_VTABLE_END,
};
