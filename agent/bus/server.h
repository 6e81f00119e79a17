/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The bus from within: what the files of this folder share. */
#include <systemd/sd-bus.h>

#include "bus/bus.h"
#include "bus/objects.h"
#include "bus/peers.h"

struct bus {
	sd_event *event;
	sd_bus *daemon;      /* the connection to a bus; NULL: none */
	struct peers *peers; /* NULL: none are let in */
	struct objects objects;
	struct model *model; /* borrowed */
	struct bus_info info;
	struct bus_ops ops;
	void *userdata;
};

/*
 * Behind netlink's events and the heartbeat, whatever comes in here; and in turn with the agent's
 * own work that can wait, so that neither keeps the other from being done.
 */
#define BUS_PRIORITY SD_EVENT_PRIORITY_IDLE

extern const sd_bus_vtable manager_vtable[], log_control_vtable[]; /* of a struct bus */

/* Makes objects of all ports, without a signal. 0 or -ENOMEM. */
int bus_show_all(struct bus *bus);

/* Puts all objects, those that come later as well, on a connection that isn't started yet. */
int bus_publish(struct bus *bus, sd_bus *connection);

/* The connection to the bus daemon is of no more use. */
void bus_lose(struct bus *bus);
