/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json/jenc.h"

#include <errno.h>

int jenc_add(struct json_object *to, const char *key, struct json_object *v)
{
	if (to && v && json_object_object_add(to, key, v) == 0)
		return 0;
	json_object_put(v);
	return -ENOMEM;
}

int jenc_append(struct json_object *to, struct json_object *v)
{
	if (to && v && json_object_array_add(to, v) == 0)
		return 0;
	json_object_put(v);
	return -ENOMEM;
}

int jenc_string(struct json_object *to, const char *key, const char *s)
{
	return jenc_add(to, key, json_object_new_string(s));
}

int jenc_string_opt(struct json_object *to, const char *key, const char *s)
{
	return s && *s ? jenc_string(to, key, s) : 0;
}

int jenc_int(struct json_object *to, const char *key, int64_t n)
{
	return jenc_add(to, key, json_object_new_int64(n));
}

int jenc_bool(struct json_object *to, const char *key, bool b)
{
	return jenc_add(to, key, json_object_new_boolean(b));
}

const char *jenc_text(struct json_object *v)
{
	return json_object_to_json_string_ext(v, JSON_C_TO_STRING_PLAIN |
							 JSON_C_TO_STRING_NOSLASHESCAPE);
}
