/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Answers as JSON: each property under its D-Bus name in lowerCamelCase
 *
 * Functions that make an object return NULL when out of memory, which lib/json's jenc passes on.
 */
#include <stdio.h>

#include "client/agent.h"
#include "json/jenc.h"

/* All that the table has, whether the agent told of it or not. */
struct json_object *json_of_properties(const struct property *table, const void *object);
struct json_object *json_of_statistics(const struct agent_statistics *statistics);

/*
 * One line. What a terminal would act on is escaped, which means the same. Takes @v, which may be
 * NULL: -ENOMEM.
 */
int json_print(struct json_object *v, FILE *f, struct pw_error *err);
