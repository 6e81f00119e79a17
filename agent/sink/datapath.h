/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The maps and programs in the kernel
 *
 * All maps are pinned below BPFFS/layout-N, N being PW_LAYOUT, so that they outlive the agent; an
 * agent that finds them goes on with them. Of another layout, older or newer, the state is copied
 * into new maps beside, the programs that are attached are swapped one by one, each atomically, and
 * then the old go. Closing gives up descriptors and nothing else.
 */
#include <stdbool.h>

#include "base/cleanup.h"
#include "model/model.h"

struct datapath;

enum datapath_program {
	PROGRAM_FROM_POD,
	PROGRAM_TO_POD,
	PROGRAM_FROM_UPLINK,
	PROGRAM_TO_UPLINK,
	PROGRAM_UPLINK_XDP,
	_PROGRAM_MAX,
};

/* @bpffs: a directory on a bpf file system; made where it's missing. */
int datapath_open(const char *bpffs, struct datapath **ret, struct pw_error *err);
struct datapath *datapath_close(struct datapath *dp);
DEFINE_CLEANUP(struct datapath *, datapath_close);

/* What a former agent put into the slots. */
int datapath_adopt(struct datapath *dp, struct model *m, struct pw_error *err);

/* A port's slot, address list and all; and a slot that nobody has any more. */
int datapath_set_port(struct datapath *dp, const struct port *port, struct pw_error *err);
int datapath_clear_slot(struct datapath *dp, const struct model_freed *freed, struct pw_error *err);
/* Whether frames may be redirected to a device. */
int datapath_set_device(struct datapath *dp, int ifindex, bool takes_frames, struct pw_error *err);
/* The CPUs of the cpumap, and the frames that each one's queue holds. */
int datapath_set_cpus(struct datapath *dp, const uint32_t *cpu, size_t n, uint32_t queue,
		      struct pw_error *err);

/* The sum over all CPUs. */
int datapath_count(struct datapath *dp, uint32_t slot, enum pw_direction direction,
		   struct pw_count *ret, struct pw_error *err);
/* "I am alive", for the programs. */
void datapath_beat(struct datapath *dp);

int datapath_program(const struct datapath *dp, enum datapath_program program);
/* The directory of pinned links: a descriptor for looking, a path for libbpf. */
int datapath_links_fd(const struct datapath *dp);
const char *datapath_links_path(const struct datapath *dp);
const char *datapath_bpffs(const struct datapath *dp);

/* Removes all that is pinned below @bpffs, of every layout; what is attached by it goes with it. */
int datapath_remove(const char *bpffs, struct pw_error *err);
