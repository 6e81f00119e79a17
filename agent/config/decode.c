/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text is gone over twice: lines.c keeps where its keys stand, json-c makes their values. Then
 * it is walked by the keys that lines.c saw, since json-c keeps only the last of two; the line of
 * what is looked at goes ahead of the decoders, and each finding of theirs is told with it.
 */
#include "config/decode.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/lines.h"
#include "json/jdec.h"
#include "net/ipaddr.h"
#include "net/name.h"

#define CPU_MAX 1023
#define CPU_QUEUE_MAX 16384 /* what a cpumap takes */
#define NETLINK_BUFFER_MIN 4096
#define NETLINK_BUFFER_MAX (1u << 30)
#define IFNAME_SIZE 16

struct walk {
	const char *file;
	const struct lines *lines;
	const struct lines_key *key; /* the one that is decoded, */
	unsigned int line;           /* and the line of it or of its element */
	struct findings *findings;
};

int findings_add(struct findings *f, enum pw_code code, const char *fmt, ...)
{
	char text[sizeof(f->first.msg)];
	struct pw_error one = {};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);

	pw_fail(&one, EINVAL, code, "%s", text);
	pw_gather(&f->first, &one);
	if (f->each)
		f->each(one.msg, f->arg);
	return -EINVAL;
}

/* Of a struct jdec_sink, whose @arg the walk is. */
static void tell(const char *finding, void *arg)
{
	const struct walk *w = arg;

	findings_add(w->findings, PW_E_CONFIG, "%s:%u: %s", w->file, w->line, finding);
}

/* What is looked at next is this element of the key's value; each decoder of elements says so. */
static void at_element(const struct jdec_path *at, const struct jdec_sink *sink)
{
	struct walk *w = sink->arg;

	w->line = lines_element(w->lines, w->key, at->index);
}

static int decode_range(struct json_object *v, const struct jdec_path *at, uint32_t min,
			uint32_t max, uint32_t *out, struct jdec_sink *sink)
{
	int64_t n;

	if (!json_object_is_type(v, json_type_int))
		return jdec_wrong_type(sink, at, "an integer", v);
	n = json_object_get_int64(v);
	if (n < min || n > max)
		return jdec_finding(sink, at, "%" PRId64 " is not in %" PRIu32 "..%" PRIu32, n, min,
				    max);
	*out = (uint32_t)n;
	return 0;
}

static int decode_uplink(struct json_object *v, const struct jdec_path *at, void *out,
			 struct jdec_sink *sink)
{
	const char *s;
	int r;

	at_element(at, sink);
	r = jdec_string(v, at, &s, sink);
	if (r < 0)
		return r;
	if (!name_is_ifname(s))
		return jdec_finding(sink, at, "\"%.80s\" is not the name of an interface", s);
	memcpy(out, s, strlen(s) + 1);
	return 0;
}

static bool is_among(const char (*name)[IFNAME_SIZE], size_t n, const char *s)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(name[i], s) == 0)
			return true;
	}
	return false;
}

static int decode_uplinks(struct json_object *v, const struct jdec_path *at, void *out,
			  struct jdec_sink *sink)
{
	const char(*name)[IFNAME_SIZE];
	struct array *uplinks = out;
	int r = jdec_each(v, at, IFNAME_SIZE, decode_uplink, uplinks, sink);

	if (r < 0)
		return r;
	name = uplinks->v;
	for (size_t i = 0; i < uplinks->n; i++) {
		struct jdec_path here = { .up = at, .index = i };

		at_element(&here, sink);
		if (is_among(name, i, name[i]))
			r = jdec_finding(sink, &here, "\"%s\" is in the list twice", name[i]);
	}
	return r;
}

static int decode_route(struct json_object *v, const struct jdec_path *at, void *out,
			struct jdec_sink *sink)
{
	struct cidr *c = out, net;
	int r;

	at_element(at, sink);
	r = jdec_cidr(v, at, c, sink);
	if (r < 0)
		return r;
	net = cidr_network(c);
	if (!cidr_equal(&net, c))
		return jdec_finding(sink, at, "%s has host bits set; meant is %s?", CIDR_STR(c),
				    CIDR_STR(&net));
	return 0;
}

static int decode_routes(struct json_object *v, const struct jdec_path *at, void *out,
			 struct jdec_sink *sink)
{
	return jdec_each(v, at, sizeof(struct cidr), decode_route, out, sink);
}

static int decode_xdp(struct json_object *v, const struct jdec_path *at, void *out,
		      struct jdec_sink *sink)
{
	static const char *const names[] = { "auto", "native", "off", NULL };
	unsigned int choice;
	int r = jdec_choice(v, at, names, &choice, sink);

	if (r == 0)
		*(enum uplink_xdp *)out = (enum uplink_xdp)choice;
	return r;
}

static int decode_cpu(struct json_object *v, const struct jdec_path *at, void *out,
		      struct jdec_sink *sink)
{
	at_element(at, sink);
	return decode_range(v, at, 0, CPU_MAX, out, sink);
}

static int check_cpus_differ(const struct array *cpus, const struct jdec_path *at,
			     struct jdec_sink *sink)
{
	bool seen[CPU_MAX + 1] = {};
	const uint32_t *cpu = cpus->v;
	int r = 0;

	for (size_t i = 0; i < cpus->n; i++) {
		struct jdec_path here = { .up = at, .index = i };

		at_element(&here, sink);
		if (seen[cpu[i]])
			r = jdec_finding(sink, &here, "%" PRIu32 " is in the list twice", cpu[i]);
		seen[cpu[i]] = true;
	}
	return r;
}

static int decode_cpus(struct json_object *v, const struct jdec_path *at, void *out,
		       struct jdec_sink *sink)
{
	struct config *c = out;
	int r = jdec_each(v, at, sizeof(uint32_t), decode_cpu, &c->cpus, sink);

	if (r < 0)
		return r;
	c->no_cpus = c->cpus.n == 0;
	return check_cpus_differ(&c->cpus, at, sink);
}

static int decode_cpu_queue(struct json_object *v, const struct jdec_path *at, void *out,
			    struct jdec_sink *sink)
{
	return decode_range(v, at, 1, CPU_QUEUE_MAX, out, sink);
}

static int decode_netlink_buffer(struct json_object *v, const struct jdec_path *at, void *out,
				 struct jdec_sink *sink)
{
	return decode_range(v, at, NETLINK_BUFFER_MIN, NETLINK_BUFFER_MAX, out, sink);
}

static const struct jdec_field fields[] = {
	{ "uplinks", decode_uplinks, offsetof(struct config, uplinks), 0 },
	{ "uplinkRoutes", decode_routes, offsetof(struct config, uplink_routes), 0 },
	{ "uplinkXdp", decode_xdp, offsetof(struct config, uplink_xdp), 0 },
	{ "cpus", decode_cpus, 0, 0 },
	{ "cpuQueue", decode_cpu_queue, offsetof(struct config, cpu_queue), 0 },
	{ "netlinkBuffer", decode_netlink_buffer, offsetof(struct config, netlink_buffer), 0 },
	{ 0 },
};

static const struct jdec_field *field_of(const char *name)
{
	for (const struct jdec_field *f = fields; f->key; f++) {
		if (strcmp(f->key, name) == 0)
			return f;
	}
	return NULL;
}

/* The first of the keys with @name from @from on, or NULL. */
static const struct lines_key *find_key(const struct lines *lines, size_t from, const char *name)
{
	const struct lines_key *key = lines->keys.v;

	for (size_t i = from; i < lines->keys.n; i++) {
		if (strcmp(key[i].name, name) == 0)
			return &key[i];
	}
	return NULL;
}

static int decode_key(struct walk *w, size_t index, struct json_object *root, struct config *c,
		      struct jdec_sink *sink)
{
	const struct lines_key *key = (const struct lines_key *)w->lines->keys.v + index;
	struct jdec_path at = { .key = *key->name ? key->name : "\"\"" };
	const struct jdec_field *field = field_of(key->name);
	const struct lines_key *first = find_key(w->lines, 0, key->name);
	struct json_object *v;
	int r = 0;

	w->key = key;
	w->line = key->line;
	if (!field)
		return jdec_finding(sink, &at, "unknown key");
	if (first != key)
		r = jdec_finding(sink, &at, "is there twice, first on line %u", first->line);
	/* json-c has the value of the last */
	v = find_key(w->lines, index + 1, key->name) ? NULL : jdec_member(root, key->name);
	if (v && field->decode(v, &at, (char *)c + field->offset, sink) < 0)
		r = -EINVAL;
	return r;
}

int config_decode(const char *text, size_t len, const char *file, struct config *c,
		  struct findings *f)
{
	_cleanup_(json_object_putp) struct json_object *root = NULL;
	_cleanup_(lines_done) struct lines lines = {};
	struct walk w = { .file = file, .lines = &lines, .findings = f };
	struct jdec_sink sink = { .each = tell, .arg = &w };
	struct pw_error err = {};
	int r;

	r = lines_scan(text, len, &lines, &w.line, &err);
	if (r == -EINVAL)
		return findings_add(f, PW_E_DECODE, "%s:%u: %s", file, w.line, err.msg);
	if (r == 0)
		r = jdec_parse(text, len, "it", &root, &err);
	if (r == -ENOMEM)
		return pw_oom(&f->first);
	if (r < 0)
		return findings_add(f, PW_E_DECODE, "%s:1: %s", file, err.msg);

	for (size_t i = 0; i < lines.keys.n; i++) {
		if (decode_key(&w, i, root, c, &sink) < 0)
			r = -EINVAL;
	}
	return r;
}
