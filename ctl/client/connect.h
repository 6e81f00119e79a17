/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Ways to the agent. Each connection is ready when it is returned. */
#include <systemd/sd-bus.h>

#include "base/error.h"

/* What a bus or an agent may take for an answer. */
#define CONNECT_PATIENCE_SECONDS 5

/*
 * To a bus; @address NULL: the system's. @ret_owner is the unique name of org.podwire1's owner, to
 * be freed. -ENOTCONN: nobody has that name; -EPERM: on the system bus, somebody who isn't root.
 */
int connect_bus(const char *address, sd_bus **ret, char **ret_owner, struct pw_error *err);

/* To the agent itself. */
int connect_socket(const char *path, sd_bus **ret, struct pw_error *err);
