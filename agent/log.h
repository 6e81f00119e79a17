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

#define LOG_IDENTIFIER "podwired"

struct log {
	bool journal;
	int level; /* what is less urgent is left out */
};

/* To the journal where that has our standard error, and all but LOG_DEBUG. */
struct log log_default(void);

/* "emerg", "alert", "crit", "err", "warning", "notice", "info", "debug" */
const char *log_level_name(const struct log *log);
/* "journal", "console" */
const char *log_target_name(const struct log *log);

/* 0, or -EINVAL where there is no such one; a journal that isn't there is none. */
int log_set_level(struct log *log, const char *name);
int log_set_target(struct log *log, const char *name);

/* @port may be NULL. */
void log_line(const struct log *log, int priority, const struct port *port, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
