/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The manager's members about the CPUs that frames are spread over. */
#include <systemd/sd-bus.h>

int cpus_get(sd_bus *connection, const char *path, const char *interface, const char *property,
	     sd_bus_message *reply, void *userdata, sd_bus_error *ret_error);
int cpus_list(sd_bus_message *m, void *userdata, sd_bus_error *ret_error);
int cpus_set(sd_bus_message *m, void *userdata, sd_bus_error *ret_error);
