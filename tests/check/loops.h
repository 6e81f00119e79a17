/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* For cppcheck's eyes only, which doesn't read foreign headers: what their loops look like. */
#define json_object_object_foreach(object, key, value) \
	struct json_object *value;                     \
	for (char *key = first_key(object, &value); key != NULL; key = next_key(object, &value))
#define nla_for_each_nested(at, nest, left) \
	for (at = first_attr(nest, &left); attr_is_ok(at, left); at = next_attr(at, &left))
