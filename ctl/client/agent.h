/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the agent says, in structs: agent/dbus/ has what each member means
 *
 * Texts are UTF-8 and nothing more: whatever prints one passes it through view/text.h. They are
 * never NULL, and live as long as what was read lives. Pure.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "client/properties.h"

#define AGENT_NAME "org.podwire1"
#define AGENT_ROOT "/org/podwire1"
#define AGENT_MANAGER "org.podwire1.Manager"
#define AGENT_ATTACHMENT "org.podwire1.Attachment"
#define AGENT_DEVICE "org.podwire1.Device"

/* More attachments and devices than that are no node's. */
#define AGENT_OBJECTS_MAX 65536

struct agent_manager {
	const char *version, *kernel;
	struct array features; /* of const char * */
	uint64_t resyncs, lost_events;
	uint32_t slots, free_slots, without_slot;
	struct array cpus;      /* of uint32_t: those that frames are spread over */
	bool cpus_known;        /* else it is an agent that doesn't tell */
	sd_bus_message *answer; /* has the texts */
};

struct agent_attachment {
	const char *path; /* the object's */
	const char *namespace, *name, *uid;
	const char *container_id, *network, *interface;
	const char *host_interface;
	int32_t ifindex;
	struct array addresses;                      /* of const char * */
	const char *state, *route, *reason, *detail; /* Path, PathReason, PathDetail */
	const char *source_check;
};

struct agent_device {
	const char *path; /* the object's */
	const char *name;
	int32_t ifindex;
	const char *driver, *kind;
	const char *state, *route, *reason, *detail; /* Path, PathReason, PathDetail */
	bool can_take_frames;
};

/* Attachments by namespace, name, interface and host interface; devices by name. */
struct agent_objects {
	struct agent_attachment *attachments;
	size_t n_attachments;
	struct agent_device *devices;
	size_t n_devices;
	sd_bus_message *answer; /* has the texts */
};

struct agent_counter {
	const char *name;
	uint64_t value;
};

/* By name. */
struct agent_statistics {
	struct agent_counter *counters;
	size_t n;
	sd_bus_message *answer; /* has the names */
};

struct agent_cpu {
	uint32_t cpu, queue; /* how many frames may wait for it */
};

/* The D-Bus names of the members. */
extern const struct property agent_manager_properties[];
extern const struct property agent_attachment_properties[];
extern const struct property agent_device_properties[];

/*
 * Each reads an answer to its end: GetAll's, GetManagedObjects', GetAll's of one attachment (at
 * @path, which is borrowed), GetStatistics'. -EBADMSG where it isn't such an answer, -E2BIG where
 * there are more than @most objects.
 */
int agent_manager_read(sd_bus_message *answer, struct agent_manager *ret, struct pw_error *err);
int agent_objects_read(sd_bus_message *answer, size_t most, struct agent_objects *ret,
		       struct pw_error *err);
int agent_attachment_read(sd_bus_message *answer, const char *path, struct agent_objects *ret,
			  struct pw_error *err);
int agent_statistics_read(sd_bus_message *answer, struct agent_statistics *ret,
			  struct pw_error *err);

/* ListCpus': @ret is of struct agent_cpu, in the agent's order. */
int agent_cpus_read(sd_bus_message *answer, struct array *ret, struct pw_error *err);

/* Zeroed ones, too. */
void agent_manager_done(struct agent_manager *manager);
void agent_objects_done(struct agent_objects *objects);
void agent_statistics_done(struct agent_statistics *statistics);
