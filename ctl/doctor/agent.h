/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What follows from what the agent says. Pure, but for what they add to @d. */
#include "client/agent.h"

struct doctor;

void agent_judge_manager(struct doctor *d, const struct agent_manager *m);
void agent_judge_objects(struct doctor *d, const struct agent_objects *objects);
