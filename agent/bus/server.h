/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The bus from within: what the files of this folder share. */
#include <systemd/sd-bus.h>

#include "bus/bus.h"
#include "bus/objects.h"

struct bus {
	sd_bus *connection;
	struct objects objects;
	struct model *model; /* borrowed */
	struct bus_info info;
	struct bus_ops ops;
	void *userdata;
};

extern const sd_bus_vtable manager_vtable[]; /* of a struct bus */

/* Makes objects of all ports, without a signal. 0 or -ENOMEM. */
int bus_show_all(struct bus *bus);
