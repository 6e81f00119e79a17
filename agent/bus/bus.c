/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The connection to a bus daemon
 *
 * It ends when the daemon goes away, and is not opened again from here, so that whoever decides
 * about another attempt, and says so in the journal, is the agent.
 */
#include "bus/bus.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bus/paths.h"
#include "bus/server.h"

/* A bus that doesn't answer must not hold up the agent. */
#define PATIENCE_US UINT64_C(5000000)

void bus_lose(struct bus *bus)
{
	if (!bus->daemon)
		return;
	bus->daemon = sd_bus_close_unref(bus->daemon);
	if (bus->ops.lost)
		bus->ops.lost(bus->userdata);
}

static int on_disconnected(sd_bus_message *m, void *userdata, sd_bus_error *ret_error)
{
	(void)m;
	(void)ret_error;
	bus_lose(userdata);
	return 0;
}

static int watch_end(struct bus *bus, sd_bus *daemon)
{
	return sd_bus_match_signal(daemon, NULL, "org.freedesktop.DBus.Local",
				   "/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local",
				   "Disconnected", on_disconnected, bus);
}

static int connect_to(const char *address, sd_bus **ret)
{
	_cleanup_(sd_bus_close_unrefp) sd_bus *daemon = NULL;
	int r = sd_bus_new(&daemon);

	if (r < 0)
		return r;
	r = sd_bus_set_address(daemon, address);
	if (r < 0)
		return r;
	r = sd_bus_set_bus_client(daemon, 1);
	if (r < 0)
		return r;
	r = sd_bus_start(daemon);
	if (r < 0)
		return r;
	*ret = take_ptr(daemon);
	return 0;
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

static int connect_any(const char *address, sd_bus **ret, struct pw_error *err)
{
	_cleanup_(sd_bus_close_unrefp) sd_bus *daemon = NULL;
	int r = address ? connect_to(address, &daemon) : sd_bus_open_system(&daemon);

	if (r >= 0)
		r = wait_until_ready(daemon);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "connect to %s: %m",
			       address ? address : "the system bus");
	r = sd_bus_set_exit_on_disconnect(daemon, 0);
	if (r >= 0)
		r = sd_bus_set_method_call_timeout(daemon, PATIENCE_US);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "set up the bus: %m");
	*ret = take_ptr(daemon);
	return 0;
}

/* Whoever has it, in words: by the name of the process where that can be seen. */
static int name_is_taken(sd_bus *daemon, struct pw_error *err)
{
	_cleanup_(sd_bus_creds_unrefp) sd_bus_creds *creds = NULL;
	const char *comm = NULL;
	pid_t pid = 0;

	if (sd_bus_get_name_creds(daemon, BUS_NAME,
				  SD_BUS_CREDS_PID | SD_BUS_CREDS_COMM | SD_BUS_CREDS_AUGMENT,
				  &creds) < 0 ||
	    sd_bus_creds_get_pid(creds, &pid) < 0)
		return pw_fail(err, EEXIST, PW_E_EXISTS, "somebody has the name " BUS_NAME);
	if (sd_bus_creds_get_comm(creds, &comm) < 0)
		comm = "a process";
	return pw_fail(err, EEXIST, PW_E_EXISTS, "%s (pid %d) has the name " BUS_NAME, comm,
		       (int)pid);
}

static int take_name(sd_bus *daemon, struct pw_error *err)
{
	int r = sd_bus_request_name(daemon, BUS_NAME, 0);

	if (r == -EEXIST)
		return name_is_taken(daemon, err);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "take the name " BUS_NAME " on the bus: %m");
	return 0;
}

int bus_connect(struct bus *bus, const char *address, struct pw_error *err)
{
	_cleanup_(sd_bus_close_unrefp) sd_bus *daemon = NULL;
	int r;

	if (bus->daemon)
		return 0;
	r = connect_any(address, &daemon, err);
	if (r < 0)
		return r;
	r = bus_publish(bus, daemon);
	if (r >= 0)
		r = watch_end(bus, daemon);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "put objects on the bus: %m");
	/* the last thing that can be seen: who waits for the name finds everything there */
	r = take_name(daemon, err);
	if (r < 0)
		return r;
	r = sd_bus_attach_event(daemon, bus->event, BUS_PRIORITY);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "attach the bus to the event loop: %m");
	bus->daemon = take_ptr(daemon);
	return 0;
}

int bus_new(sd_event *event, struct model *model, const struct bus_info *info,
	    const struct bus_ops *ops, void *userdata, struct bus **ret, struct pw_error *err)
{
	_cleanup_(bus_freep) struct bus *bus = calloc(1, sizeof(*bus));

	if (!bus)
		return pw_oom(err);
	*bus = (struct bus){ .event = sd_event_ref(event),
			     .model = model,
			     .info = *info,
			     .ops = *ops,
			     .userdata = userdata };
	if (bus_show_all(bus) < 0)
		return pw_oom(err);
	*ret = take_ptr(bus);
	return 0;
}

/* Without a flush, which a bus that is stuck would never end. */
struct bus *bus_free(struct bus *bus)
{
	if (bus) {
		sd_bus_close_unref(bus->daemon);
		peers_free(bus->peers);
		objects_done(&bus->objects);
		sd_event_unref(bus->event);
		free(bus);
	}
	return NULL;
}

int bus_listen(struct bus *bus, int dirfd, struct pw_error *err)
{
	return peers_listen(bus, dirfd, BUS_SOCKET, &bus->peers, err);
}
