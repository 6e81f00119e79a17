/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Errors on the bus: org.podwire1.Error.NAME. Clients tell them apart by these names. */
#include <systemd/sd-bus.h>

#include "base/error.h"

enum bus_fault {
	BUS_NO_SUCH_ATTACHMENT,
	BUS_AMBIGUOUS,
	BUS_INVALID_ARGUMENT,
	BUS_CONFIG, /* the configuration can't be read, or isn't valid */
	BUS_FAILED, /* anything else: the message says */
	_BUS_FAULT_MAX,
};

const char *bus_fault_name(enum bus_fault fault);

/* Both fill @ret and return what a method returns then, a negative errno. */
int bus_error(sd_bus_error *ret, enum bus_fault fault, const struct pw_error *err);
/* The fault by the error's code. */
int bus_error_from(sd_bus_error *ret, const struct pw_error *err);
