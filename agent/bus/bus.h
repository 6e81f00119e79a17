/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The face on D-Bus: org.podwire1
 *
 * Shows the model's ports as objects and hands requests on. It knows the model's values and nothing
 * of sources, maps or programs. The XML in agent/dbus/ is the interface; a test compares.
 */
#include <systemd/sd-event.h>

#include "model/model.h"

struct bus;

/* What is the same for all of the agent's life, and what is counted. */
struct bus_info {
	const char *version;     /* of podwire */
	const char *kernel;      /* uname -r */
	char *const *features;   /* NULL-terminated: "tcx", "xdp-features", ... */
	const uint64_t *resyncs; /* full looks around since the start */
	const uint64_t *lost_events;
};

struct bus_ops {
	/* Counters of both directions by name, {"in-packets", n}, ...: calls @each for each. */
	int (*statistics)(const struct port *port,
			  void (*each)(const char *name, uint64_t value, void *arg), void *arg,
			  void *userdata, struct pw_error *err);
	/* Reads the configuration again; only for root, which the bus has checked. */
	int (*reload)(void *userdata, struct pw_error *err);
	/*
	 * The connection is gone; may be NULL. The bus is dead from here on: it serves nobody and
	 * bus_flush() does nothing, so the agent may go on with it, or bus_free() it (from here,
	 * too) and open another, which shows all ports anew.
	 */
	void (*lost)(void *userdata);
};

/*
 * @address: of a bus, "unix:path=..."; NULL: the system bus. Shows all ports that the model has,
 * changed or not, takes the name org.podwire1 and serves. @info and @ops are copied; the strings
 * and counters of @info have to outlive the bus. Waits for a bus that is slow, some seconds each
 * step, and no longer.
 * -ENOENT, -ECONNREFUSED and the like where there's no bus: the agent goes on without.
 * -EEXIST: somebody has the name, and the message says who.
 */
int bus_open(const char *address, sd_event *event, struct model *model, const struct bus_info *info,
	     const struct bus_ops *ops, void *userdata, struct bus **ret, struct pw_error *err);
struct bus *bus_free(struct bus *bus);
DEFINE_CLEANUP(struct bus *, bus_free);

/*
 * Tells what has changed: PropertiesChanged for each port whose `changed` is set (and clears it),
 * InterfacesAdded for a new one; for one that is `gone`, InterfacesRemoved. Called once the sinks
 * have done their part, before model_forget_gone(). What can't be told, for want of memory or since
 * the bus is stuck, keeps its flag and is told the next time. @bus may be NULL: there is none.
 */
void bus_flush(struct bus *bus);
