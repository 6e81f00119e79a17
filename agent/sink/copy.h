/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* From one layout to another: values keep what both layouts know, and the rest is zero. */
struct pw_error;

/*
 * All of the map pinned at @from into @to_fd; of a map that isn't there, nothing. Keys of both must
 * be the same. @cpus: possible ones, whose values a per-CPU map has side by side.
 */
int copy_map(const char *from, int to_fd, int cpus, struct pw_error *err);
