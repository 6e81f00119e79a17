/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A port's counters by name. */
#include "sink/datapath.h"

int statistics_each(struct datapath *dp, const struct port *port,
		    void (*each)(const char *name, uint64_t value, void *arg), void *arg,
		    struct pw_error *err);
