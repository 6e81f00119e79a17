/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What is pinned where
 *
 *     BPFFS/layout-N/MAP            maps
 *     BPFFS/layout-N/links/LINK     what attaches programs to devices, see attach.h
 *     BPFFS/layout-N-new/...        a move to layout N that isn't done
 *     BPFFS/clsact/IFINDEX          an empty directory: a qdisc that we added, see filter.h
 *
 * A layout becomes valid by the rename that takes "-new" away, and only then does the old one go.
 */
#include <limits.h>
#include <stdbool.h>

#define PINS_CLSACT "clsact"

struct pw_error;

struct pins {
	char root[PATH_MAX - 64]; /* BPFFS */
	char now[PATH_MAX];       /* BPFFS/layout-N, or with "-new" while moving */
	char old[PATH_MAX];       /* the one to move from; empty: none */
	bool fresh;               /* `now` wasn't there */
};

/* Finds out, and makes the directory to work in. */
int pins_open(const char *bpffs, unsigned int layout, struct pins *ret, struct pw_error *err);
/* The move is done: `now` gets its lasting name, `old` goes. */
int pins_settle(struct pins *p, unsigned int layout, struct pw_error *err);
/* Unpins all in a directory of ours, one level of directories deep, and removes it. */
int pins_remove(const char *dir, struct pw_error *err);
/* All of ours below @bpffs, and itself if nothing else is there. */
int pins_remove_all(const char *bpffs, struct pw_error *err);

/* Calls @each with each name in a directory, which may be missing; a negative return ends it. */
int pins_each(const char *dir, int (*each)(const char *name, void *arg, struct pw_error *err),
	      void *arg, struct pw_error *err);
