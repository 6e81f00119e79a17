/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/options.h"

#include "json/jenc.h"
#include "net/ipaddr.h"

#define MTU_MIN 68 /* RFC 791; what the kernel takes for IPv4 */
#define MTU_MAX 65535

const char *const fast_path_names[] = { "auto", "xdp", "tc", "off", NULL };
const char *const netfilter_names[] = { "respect", "bypass", NULL };

int jdec_fast_path(struct json_object *v, const struct jdec_path *at, void *out,
		   struct jdec_sink *sink)
{
	unsigned int choice;
	int r = jdec_choice(v, at, fast_path_names, &choice, sink);

	if (r == 0)
		*(enum fast_path *)out = (enum fast_path)choice;
	return r;
}

static int decode_netfilter(struct json_object *v, const struct jdec_path *at, void *out,
			    struct jdec_sink *sink)
{
	unsigned int choice;
	int r = jdec_choice(v, at, netfilter_names, &choice, sink);

	if (r == 0)
		*(enum netfilter_mode *)out = (enum netfilter_mode)choice;
	return r;
}

static int decode_range(struct json_object *v, const struct jdec_path *at, uint32_t *out,
			uint32_t min, uint32_t max, struct jdec_sink *sink)
{
	uint32_t n;
	int r = jdec_u32(v, at, &n, sink);

	if (r < 0)
		return r;
	if (n < min || n > max)
		return jdec_finding(sink, at, "%u is not in %u..%u", n, min, max);
	*out = n;
	return 0;
}

/* 0 stands for the default in both: a generated config says so where it has no opinion. */
static int decode_mtu(struct json_object *v, const struct jdec_path *at, void *out,
		      struct jdec_sink *sink)
{
	if (json_object_is_type(v, json_type_int) && json_object_get_int64(v) == 0)
		return 0;
	return decode_range(v, at, out, MTU_MIN, MTU_MAX, sink);
}

static int decode_queues(struct json_object *v, const struct jdec_path *at, void *out,
			 struct jdec_sink *sink)
{
	return decode_range(v, at, out, 0, QUEUES_MAX, sink);
}

static int decode_sources(struct json_object *v, const struct jdec_path *at, void *out,
			  struct jdec_sink *sink)
{
	return jdec_each(v, at, sizeof(struct cidr), jdec_cidr_or_host, out, sink);
}

int options_decode(struct json_object *v, const struct jdec_path *at, struct options *out,
		   struct jdec_sink *sink)
{
	static const struct jdec_field fields[] = {
		{ "fastPath", jdec_fast_path, offsetof(struct options, fast_path), 0 },
		{ "netfilter", decode_netfilter, offsetof(struct options, netfilter), 0 },
		{ "sourceCheck", jdec_bool, offsetof(struct options, source_check), 0 },
		{ "allowedSources", decode_sources, offsetof(struct options, allowed_sources), 0 },
		{ "queues", decode_queues, offsetof(struct options, queues), 0 },
		{ "mtu", decode_mtu, offsetof(struct options, mtu), 0 },
		{ 0 },
	};

	return jdec_object(v, at, fields, out, sink);
}

struct json_object *options_encode(const struct options *o)
{
	_cleanup_(json_object_putp) struct json_object *v = json_object_new_object();
	const struct cidr *sources = o->allowed_sources.v;
	struct json_object *list = json_object_new_array();
	int r = 0;

	r |= jenc_string(v, "fastPath", fast_path_names[o->fast_path]);
	r |= jenc_string(v, "netfilter", netfilter_names[o->netfilter]);
	r |= jenc_bool(v, "sourceCheck", o->source_check);
	for (size_t i = 0; i < o->allowed_sources.n; i++)
		r |= jenc_append(list, json_object_new_string(CIDR_STR(&sources[i])));
	r |= jenc_add(v, "allowedSources", list);
	r |= jenc_int(v, "queues", o->queues);
	r |= jenc_int(v, "mtu", o->mtu);
	return r < 0 ? NULL : take_ptr(v);
}

void options_done(struct options *o)
{
	array_done(&o->allowed_sources);
}
