/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* An attachment by whatever people call it. Pure. */
#include "bus/errors.h"
#include "bus/objects.h"

#define FIND_PREFIX_MIN 4 /* characters of a container id */

/*
 * @name: a host interface, NAMESPACE/NAME of a pod, one of its addresses, its container's id, or if
 * none of these is called so, the beginning of a container's id. NULL: none, or several; @ret_fault
 * and @err say which.
 */
const struct object *find_attachment(const struct objects *objects, const char *name,
				     enum bus_fault *ret_fault, struct pw_error *err);
