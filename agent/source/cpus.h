/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Which CPUs the cpumap is to have. */
#include "config/config.h"
#include "model/model.h"

/* "0-3,8" as a set; -EINVAL. At most @max numbers, in order and each once. */
int cpus_parse(const char *text, uint32_t *cpu, size_t max, size_t *ret_n);

/* -EINVAL (PW_E_ENV): more than there can be, one twice, or one that this machine can't have. */
int cpus_check(const uint32_t *cpu, size_t n, struct pw_error *err);

/*
 * Those of the config, or of the NUMA node of the first uplink that has one, less isolated ones; of
 * all of them, those that are online.
 */
int cpus_find(const struct config *config, struct model *m, uint32_t *cpu, size_t max,
	      size_t *ret_n, struct pw_error *err);
