/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpumap.h"

#include "source/cpus.h"

int cpumap_set(struct cpumap *c, const struct config *config, struct model *m, struct datapath *dp,
	       struct pw_error *err)
{
	struct cpumap want = { .queue = config->cpu_queue };
	int r = cpus_find(config, m, want.cpu, ARRAY_COUNT(want.cpu), &want.n, err);

	if (r == 0)
		r = datapath_set_cpus(dp, want.cpu, want.n, want.queue, err);
	if (r == 0)
		*c = want;
	return r;
}
