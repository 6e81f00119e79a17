/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json/jdec.h"

#include <inttypes.h>
#include <json-c/json_tokener.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "net/ipaddr.h"
#include "net/mac.h"

#define JDEC_DEPTH 32 /* deeper than any config, shallow enough for any stack */

DEFINE_CLEANUP(struct json_tokener *, json_tokener_free);

int jdec_parse(const char *text, size_t len, const char *what, struct json_object **ret,
	       struct pw_error *err)
{
	_cleanup_(json_object_putp) struct json_object *v = NULL;
	_cleanup_(json_tokener_freep) struct json_tokener *tok = NULL;
	enum json_tokener_error e;
	size_t end;

	if (len > INT32_MAX)
		return pw_fail(err, EFBIG, PW_E_DECODE, "%s is too large", what);
	tok = json_tokener_new_ex(JDEC_DEPTH);
	if (!tok)
		return pw_oom(err);
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);

	v = json_tokener_parse_ex(tok, text, (int)len);
	e = json_tokener_get_error(tok);
	end = json_tokener_get_parse_end(tok);
	/* A number at the very end is only known to be over when something follows it. */
	if (e == json_tokener_continue) {
		v = json_tokener_parse_ex(tok, "", 1);
		e = json_tokener_get_error(tok);
		end = len;
	}
	/* A NUL is an end to json-c, whatever stands behind it. */
	if (e == json_tokener_success && end < len)
		e = json_tokener_error_parse_unexpected;
	if (e != json_tokener_success)
		return pw_fail(err, EINVAL, PW_E_DECODE, "%s is not JSON: byte %zu: %s", what, end,
			       json_tokener_error_desc(e));
	if (!v)
		return pw_fail(err, EINVAL, PW_E_DECODE, "%s is null", what);
	*ret = take_ptr(v);
	return 0;
}

/* Writes the path from the root on, "a.b[2].c"; returns how long it is. */
static size_t format_path(const struct jdec_path *at, char *buf, size_t size)
{
	size_t n = at->up ? format_path(at->up, buf, size) : 0;
	char *to = n < size ? buf + n : NULL;
	int r;

	if (at->key)
		r = snprintf(to, to ? size - n : 0, n && *at->key ? ".%s" : "%s", at->key);
	else
		r = snprintf(to, to ? size - n : 0, "[%zu]", at->index);
	return n + (r > 0 ? (size_t)r : 0);
}

int jdec_finding(struct jdec_sink *sink, const struct jdec_path *at, const char *fmt, ...)
{
	char path[128] = "", text[256];
	struct pw_error err = {};
	va_list ap;

	if (at)
		format_path(at, path, sizeof(path));
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);

	pw_fail(&err, EINVAL, PW_E_CONFIG, "%s%s%s", path, *path ? ": " : "", text);
	pw_gather(&sink->first, &err);
	sink->count++;
	if (sink->each)
		sink->each(err.msg, sink->arg);
	return -EINVAL;
}

static const char *type_name(struct json_object *v)
{
	switch (json_object_get_type(v)) {
	case json_type_null:
		return "null";
	case json_type_boolean:
		return "a boolean";
	case json_type_double:
		return "a number with a fraction";
	case json_type_int:
		return "an integer";
	case json_type_object:
		return "an object";
	case json_type_array:
		return "an array";
	case json_type_string:
		return "a string";
	}
	return "something unknown";
}

int jdec_wrong_type(struct jdec_sink *sink, const struct jdec_path *at, const char *want,
		    struct json_object *v)
{
	return jdec_finding(sink, at, "expected %s, got %s", want, type_name(v));
}

struct json_object *jdec_member(struct json_object *v, const char *key)
{
	struct json_object *m = NULL;

	if (v && json_object_is_type(v, json_type_object))
		json_object_object_get_ex(v, key, &m);
	return m;
}

int jdec_object(struct json_object *v, const struct jdec_path *at, const struct jdec_field *fields,
		void *out, struct jdec_sink *sink)
{
	int r = 0;

	if (!json_object_is_type(v, json_type_object))
		return jdec_wrong_type(sink, at, "an object", v);

	for (; fields->key; fields++) {
		struct jdec_path here = { .up = at, .key = fields->key };
		struct json_object *m = jdec_member(v, fields->key);

		if (m && fields->decode(m, &here, (char *)out + fields->offset, sink) < 0)
			r = -EINVAL;
		else if (!m && (fields->flags & JDEC_REQUIRED))
			r = jdec_finding(sink, &here, "missing");
	}
	return r;
}

int jdec_each(struct json_object *v, const struct jdec_path *at, size_t size, jdec_fn element,
	      struct array *out, struct jdec_sink *sink)
{
	_cleanup_(freep) char *items = NULL;
	size_t n;
	int r = 0;

	if (!json_object_is_type(v, json_type_array))
		return jdec_wrong_type(sink, at, "an array", v);
	n = json_object_array_length(v);
	items = calloc(n ? n : 1, size);
	if (!items)
		return jdec_finding(sink, at, "out of memory");

	for (size_t i = 0; i < n; i++) {
		struct jdec_path here = { .up = at, .index = i };

		if (element(json_object_array_get_idx(v, i), &here, items + i * size, sink) < 0)
			r = -EINVAL;
	}
	if (r < 0)
		return r;
	array_done(out);
	*out = (struct array){ .v = take_ptr(items), .n = n };
	return 0;
}

int jdec_bool(struct json_object *v, const struct jdec_path *at, void *out, struct jdec_sink *sink)
{
	if (!json_object_is_type(v, json_type_boolean))
		return jdec_wrong_type(sink, at, "a boolean", v);
	*(bool *)out = json_object_get_boolean(v);
	return 0;
}

int jdec_u32(struct json_object *v, const struct jdec_path *at, void *out, struct jdec_sink *sink)
{
	int64_t n;

	if (!json_object_is_type(v, json_type_int))
		return jdec_wrong_type(sink, at, "an integer", v);
	n = json_object_get_int64(v);
	if (n < 0 || n > UINT32_MAX)
		return jdec_finding(sink, at, "%" PRId64 " is not in 0..%" PRIu32, n, UINT32_MAX);
	*(uint32_t *)out = (uint32_t)n;
	return 0;
}

int jdec_string(struct json_object *v, const struct jdec_path *at, void *out,
		struct jdec_sink *sink)
{
	const char *s = "";

	if (!json_object_is_type(v, json_type_string))
		return jdec_wrong_type(sink, at, "a string", v);
	s = json_object_get_string(v);
	if (strlen(s) != (size_t)json_object_get_string_len(v))
		return jdec_finding(sink, at, "contains a NUL character");
	*(const char **)out = s;
	return 0;
}

int jdec_any(struct json_object *v, const struct jdec_path *at, void *out, struct jdec_sink *sink)
{
	(void)at;
	(void)sink;
	*(struct json_object **)out = v;
	return 0;
}

int jdec_ipaddr(struct json_object *v, const struct jdec_path *at, void *out,
		struct jdec_sink *sink)
{
	const char *s = "";
	int r = jdec_string(v, at, &s, sink);

	if (r < 0)
		return r;
	if (ipaddr_parse(s, out) < 0)
		return jdec_finding(sink, at, "\"%s\" is not an IP address", s);
	return 0;
}

int jdec_cidr(struct json_object *v, const struct jdec_path *at, void *out, struct jdec_sink *sink)
{
	const char *s = "";
	int r = jdec_string(v, at, &s, sink);

	if (r < 0)
		return r;
	if (cidr_parse(s, out) < 0)
		return jdec_finding(sink, at, "\"%s\" is not an address with prefix length", s);
	return 0;
}

int jdec_cidr_or_host(struct json_object *v, const struct jdec_path *at, void *out,
		      struct jdec_sink *sink)
{
	const char *s = "";
	int r = jdec_string(v, at, &s, sink);

	if (r < 0)
		return r;
	if (cidr_parse_or_host(s, out) < 0)
		return jdec_finding(sink, at, "\"%s\" is not an address", s);
	return 0;
}

int jdec_mac(struct json_object *v, const struct jdec_path *at, void *out, struct jdec_sink *sink)
{
	const char *s = "";
	struct mac m;
	int r = jdec_string(v, at, &s, sink);

	if (r < 0)
		return r;
	if (mac_parse(s, &m) < 0 || !mac_is_unicast(&m))
		return jdec_finding(sink, at, "\"%s\" is not a unicast MAC address", s);
	*(struct mac *)out = m;
	return 0;
}

int jdec_choice(struct json_object *v, const struct jdec_path *at, const char *const *names,
		unsigned int *out, struct jdec_sink *sink)
{
	char all[128] = "";
	size_t n = 0;
	const char *s = "";
	int r = jdec_string(v, at, &s, sink);

	if (r < 0)
		return r;
	for (unsigned int i = 0; names[i]; i++) {
		if (strcmp(names[i], s) == 0) {
			*out = i;
			return 0;
		}
		n += (size_t)snprintf(all + n, sizeof(all) - n, "%s\"%s\"", i ? ", " : "",
				      names[i]);
		if (n >= sizeof(all))
			break;
	}
	return jdec_finding(sink, at, "\"%s\" is none of %s", s, all);
}
