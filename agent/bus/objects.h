/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the bus has told of: an object for each port, with the values that clients know
 *
 * Clients are served from here and never from the model, so that what a client reads is what
 * signals have told it, and an object is there from its InterfacesAdded to its InterfacesRemoved.
 */
#include <systemd/sd-bus.h>

#include "base/cleanup.h"
#include "bus/view.h"

struct bus;

/* An interface that ports have. */
struct object_kind {
	const char *prefix;    /* of its objects' paths */
	const char *interface; /* with offsets of the properties from a struct object */
	const sd_bus_vtable *vtable;
	char *(*path)(const char *prefix, const char *ifname);
	int (*look)(const struct port *port, struct view *ret);
};

extern const struct object_kind attachment_kind, device_kind;

struct object {
	struct bus *bus; /* borrowed */
	const struct object_kind *kind;
	char *path;
	char ifname[PORT_IFNAME_LEN]; /* as the kernel has it */
	struct view view;
};

#define VIEW(member) offsetof(struct object, view.member)

/* Zeroed, it is empty. */
struct objects {
	struct array of; /* struct object *, by path */
};

void objects_done(struct objects *objects);

size_t objects_count(const struct objects *objects);
struct object *objects_at(const struct objects *objects, size_t i);
/* NULL: there is none. */
struct object *objects_find(const struct objects *objects, const char *path);

/* Takes @object, whose path isn't there yet. 0 or -ENOMEM. */
int objects_add(struct objects *objects, struct object *object);
void objects_remove(struct objects *objects, const char *path);

/* NULL when out of memory. */
struct object *object_new(struct bus *bus, const struct object_kind *kind, const struct port *port);
struct object *object_free(struct object *object);
DEFINE_CLEANUP(struct object *, object_free);

/* For sd_bus_emit_properties_changed_strv(): which properties of @kind differ. */
#define OBJECT_PROPERTIES_MAX 24
size_t object_changes(const struct object_kind *kind, const struct view *a, const struct view *b,
		      char *names[OBJECT_PROPERTIES_MAX]);

/* GetStatistics, which all of them have. */
int object_get_statistics(sd_bus_message *m, void *userdata, sd_bus_error *ret_error);
