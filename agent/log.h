/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the agent says
 *
 * To the journal, with fields, where systemd listens on standard error; else as lines on standard
 * error. Fields beside MESSAGE and PRIORITY, where they apply: PODWIRE_INTERFACE,
 * PODWIRE_NAMESPACE, PODWIRE_POD, PODWIRE_CONTAINER_ID, PODWIRE_NETWORK.
 */
#include <stdbool.h>
#include <syslog.h>

#include "model/port.h"

struct log {
	bool journal;
};

/* @port may be NULL. */
void log_line(const struct log *log, int priority, const struct port *port, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
