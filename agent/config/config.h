/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The agent's configuration: FILE, and over it each *.json in the directory beside it (FILE less
 * ".json", and ".d"), in the order of their names; a later file wins key by key. No file is no
 * fault: then all is default. What is wrong is told with file, line and key, all of it at once.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"

enum uplink_xdp {
	UPLINK_XDP_AUTO,   /* tc, until it was measured that XDP gains */
	UPLINK_XDP_NATIVE, /* attach in the driver, which resets some NICs */
	UPLINK_XDP_OFF,
};

struct config {
	struct array uplinks; /* char[16]: interface names; none: the devices of default routes */
	struct array uplink_routes; /* struct cidr: the devices of the routes to these as well */
	enum uplink_xdp uplink_xdp;
	struct array cpus;       /* uint32_t; none: those of the uplinks' NUMA node less isolated */
	bool no_cpus;            /* "cpus": [] was said: no cpumap entries */
	uint32_t cpu_queue;      /* frames, 1 to 16384; default 2048 */
	uint32_t netlink_buffer; /* bytes for events, 4096 to 1 GiB; default 4 MiB */
};

/* What @each (may be NULL) is called with is one line, "FILE:LINE: KEY: what is wrong". */
typedef void (*config_finding_t)(const char *finding, void *arg);

/*
 * Reads it all into @ret, which is untouched on failure: -EINVAL where something is wrong, the
 * first finding in @err. A file that others than root can write is wrong as well, as is a link.
 * Unknown keys are findings.
 */
int config_load(const char *path, config_finding_t each, void *arg, struct config *ret,
		struct pw_error *err);
void config_done(struct config *c);

/* The directory beside @path; to be freed. NULL when out of memory. */
char *config_dir(const char *path);

/* As the key "cpus" would; without any, the default. 0 or -ENOMEM, with @c as it was. */
int config_set_cpus(struct config *c, const uint32_t *cpu, size_t n);
