/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A pod's addresses without their prefix lengths. */
#include "base/array.h"

struct pw_error;

/* @cidrs (struct cidr) may be NULL. @ret (struct ipaddr) must be empty; the caller's to release. */
int addresses_strip(const struct array *cidrs, struct array *ret, struct pw_error *err);
