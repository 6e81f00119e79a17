/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Nexthop objects, by which routes may go
 *
 * A route names an object, that a device, or others if it's a group; and what an object stands for
 * may change without a word about the routes. Sets here are arrays of uint32_t.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "netlink/sock.h"

/* 0 or -ENOMEM. */
int nexthops_remember(struct array *set, uint32_t what);
bool nexthops_has(const struct array *set, uint32_t what);

/* Adds to @ids those that are in its groups, and to @devices the indices of all. */
int nexthops_resolve(struct nlsock *s, struct array *ids, struct array *devices,
		     struct pw_error *err);
