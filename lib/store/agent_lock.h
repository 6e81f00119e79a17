/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Is the node agent alive? It holds an flock on RUNTIME_DIR/agent.lock as long as it runs and sets
 * the file's time while it does, so this needs neither a bus nor an answer from anybody.
 */
struct pw_error;

/*
 * Seconds since the agent was there last: 0 while it runs; -ENOENT, without a message, where it
 * never ran since boot.
 */
long agent_lock_down_for(int runtime_fd, struct pw_error *err);
