/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The agent: sources, model, sinks and bus put together, and the loop that turns them
 *
 * Whatever a source sees goes into the model at once; what follows from it is done when the source
 * has no more to say, in settle(): once for a hundred events as for one.
 */
#include "log.h"
#include "options.h"

struct agent;

int agent_new(const struct options_line *options, struct log *log, struct agent **ret,
	      struct pw_error *err);
struct agent *agent_free(struct agent *a);
DEFINE_CLEANUP(struct agent *, agent_free);

/* Until SIGTERM or SIGINT. What is attached and pinned stays. */
int agent_run(struct agent *a, struct pw_error *err);
