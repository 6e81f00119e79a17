/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What was asked for while the agent runs, for the next time: a file of the agent's own. */
#include <stddef.h>
#include <stdint.h>

struct pw_error;

#define KEEP_CPUS "90-cpus.json"

/*
 * Writes KEEP_CPUS in the directory beside the configuration @path; without any CPUs, removes it.
 * A later file of that directory still wins.
 */
int keep_cpus(const char *path, const uint32_t *cpu, size_t n, struct pw_error *err);
