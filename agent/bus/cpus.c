/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus/cpus.h"

#include "bus/caller.h"
#include "bus/errors.h"
#include "bus/server.h"

int cpus_get(sd_bus *connection, const char *path, const char *interface, const char *property,
	     sd_bus_message *reply, void *userdata, sd_bus_error *ret_error)
{
	const struct bus *bus = userdata;
	const uint32_t *cpu;
	uint32_t queue;
	size_t n = bus->ops.cpus(&cpu, &queue, bus->userdata);

	(void)connection;
	(void)path;
	(void)interface;
	(void)property;
	(void)ret_error;
	return sd_bus_message_append_array(reply, 'u', cpu, n * sizeof(*cpu));
}

int cpus_list(sd_bus_message *m, void *userdata, sd_bus_error *ret_error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const struct bus *bus = userdata;
	const uint32_t *cpu;
	uint32_t queue;
	size_t n = bus->ops.cpus(&cpu, &queue, bus->userdata);
	int r = sd_bus_message_new_method_return(m, &reply);

	(void)ret_error;
	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'a', "(uu)");
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = sd_bus_message_append(reply, "(uu)", cpu[i], queue);
	if (r >= 0)
		r = sd_bus_message_close_container(reply);
	return r < 0 ? r : sd_bus_message_send(reply);
}

int cpus_set(sd_bus_message *m, void *userdata, sd_bus_error *ret_error)
{
	struct bus *bus = userdata;
	struct pw_error err = {};
	const void *cpu;
	size_t size;
	int runtime, r = caller_is_root(bus, m, "SetCpus", ret_error);

	if (r < 0)
		return r;
	r = sd_bus_message_read_array(m, 'u', &cpu, &size);
	if (r < 0)
		return r;
	r = sd_bus_message_read(m, "b", &runtime);
	if (r < 0)
		return r;
	if (bus->ops.set_cpus(cpu, size / sizeof(uint32_t), runtime, bus->userdata, &err) < 0)
		return bus_error_from(ret_error, &err);
	return sd_bus_reply_method_return(m, NULL);
}
