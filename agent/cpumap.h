/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The CPUs that frames are spread over: from the configuration into the map. */
#include "config/config.h"
#include "sink/datapath.h"

/* What is in the map. */
struct cpumap {
	uint32_t cpu[PW_CPUS_MAX];
	size_t n;
	uint32_t queue; /* frames, each CPU's */
};

int cpumap_set(struct cpumap *c, const struct config *config, struct model *m, struct datapath *dp,
	       struct pw_error *err);
