/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Where a node's runtime looks for plugins and for networks: as it was told, as containerd's or
 * CRI-O's configuration has it, or as the distribution does.
 */
#include <limits.h>
#include <stdbool.h>

struct pw_error;

struct places {
	char bin_dir[PATH_MAX];
	char conf_dir[PATH_MAX];
	const char *bin_from, *conf_from; /* who says so: "containerd", "Debian", ... */
	bool imports; /* containerd's configuration includes files that weren't looked at */
};

/* @bin_dir and @conf_dir: the operator's choice; NULL: none. */
int places_find(int rootfd, const char *bin_dir, const char *conf_dir, struct places *ret,
		struct pw_error *err);
