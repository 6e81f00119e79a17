/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The result of an ADD. */
#include "wiring.h"

/* @prev: what came before us in the chain; its lists go first. It is used up. */
int report_add(const struct wiring *w, struct result *prev, struct json_object **ret,
	       struct pw_error *err);
