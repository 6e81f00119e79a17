/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * RUNTIME_DIR/agent.lock: held while the agent lives, and its time of change says when that was
 * last. The plugin's STATUS goes by both.
 */
struct pw_error;

#define AGENT_LOCK "agent.lock"

/* A descriptor to keep; -EAGAIN: another agent has it. */
int alive_take(int runtime_fd, struct pw_error *err);
void alive_touch(int lock_fd);
