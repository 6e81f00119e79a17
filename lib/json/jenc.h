/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Structs into JSON: json-c's builders with one kind of failure, -ENOMEM, so that a chain of calls
 * can be or-ed together and checked once. A NULL object is passed on as a failure.
 */
#include <json-c/json_object.h>
#include <stdbool.h>
#include <stdint.h>

/* Both take ownership of @v, also when they fail. */
int jenc_add(struct json_object *to, const char *key, struct json_object *v);
int jenc_append(struct json_object *to, struct json_object *v);

int jenc_string(struct json_object *to, const char *key, const char *s);
/* Only where @s is neither NULL nor empty. */
int jenc_string_opt(struct json_object *to, const char *key, const char *s);
int jenc_int(struct json_object *to, const char *key, int64_t n);
int jenc_bool(struct json_object *to, const char *key, bool b);

/* One line, with slashes as they are; borrowed from @v. */
const char *jenc_text(struct json_object *v);
