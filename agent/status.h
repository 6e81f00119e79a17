/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How the agent is, in a line for systemd; and in the log, when slots run out and are there again.
 */
#include <stdbool.h>

#include "log.h"
#include "model/model.h"

struct status {
	char text[128];
	bool full; /* and that was said */
};

/* Tells what has changed since the last time. */
void status_tell(struct status *s, struct model *m, const struct log *log);
