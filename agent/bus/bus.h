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
struct log;

/* What is the same for all of the agent's life, and what is counted. */
struct bus_info {
	const char *version;     /* of podwire */
	const char *kernel;      /* uname -r */
	char *const *features;   /* NULL-terminated: "tcx", "xdp-features", ... */
	const uint64_t *resyncs; /* full looks around since the start */
	const uint64_t *lost_events;
	struct log *log; /* of which root may set the level and the target */
};

struct bus_ops {
	/* Counters of both directions by name, {"in-packets", n}, ...: calls @each for each. */
	int (*statistics)(const struct port *port,
			  void (*each)(const char *name, uint64_t value, void *arg), void *arg,
			  void *userdata, struct pw_error *err);
	/* Reads the configuration again; only for root, which the bus has checked. */
	int (*reload)(void *userdata, struct pw_error *err);
	/* The CPUs of the cpumap, until it is changed, and the frames that each one queues. */
	size_t (*cpus)(const uint32_t **ret_cpu, uint32_t *ret_queue, void *userdata);
	/* Sets them; without any, to the default. Not only at @runtime: for the next start, too. */
	int (*set_cpus)(const uint32_t *cpu, size_t n, bool runtime, void *userdata,
			struct pw_error *err);
	/* The connection to the bus is gone, and was given up; may be NULL. */
	void (*lost)(void *userdata);
};

/*
 * Shows all ports that the model has, changed or not, as soon as somebody can see them. @info and
 * @ops are copied; the strings and counters of @info have to outlive the bus.
 */
int bus_new(sd_event *event, struct model *model, const struct bus_info *info,
	    const struct bus_ops *ops, void *userdata, struct bus **ret, struct pw_error *err);
struct bus *bus_free(struct bus *bus);
DEFINE_CLEANUP(struct bus *, bus_free);

/*
 * @address: of a bus, "unix:path=..."; NULL: the system bus. Takes the name org.podwire1 and
 * serves; does nothing where there's a connection already. Waits for a bus that is slow, some
 * seconds each step, and no longer.
 * -ENOENT, -ECONNREFUSED and the like where there's no bus: the agent goes on without.
 * -EEXIST: somebody has the name, and the message says who.
 */
int bus_connect(struct bus *bus, const char *address, struct pw_error *err);

/*
 * Serves the same without a bus, to whoever connects to BUS_SOCKET in @dirfd, which a former
 * agent's may be in the way of. It goes with bus_free(). At most once.
 */
#define BUS_SOCKET "agent.sock"
int bus_listen(struct bus *bus, int dirfd, struct pw_error *err);

/*
 * Tells what has changed: PropertiesChanged for each port whose `changed` is set (and clears it),
 * InterfacesAdded for a new one; for one that is `gone`, InterfacesRemoved. Called once the sinks
 * have done their part, before model_forget_gone(). What there is no memory for keeps its flag and
 * is told the next time; a connection that can't be told is cut off, so that what a client has been
 * told is what is. @bus may be NULL: there is none.
 */
void bus_flush(struct bus *bus);
