/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netconf.h"

#include <inttypes.h>
#include <json-c/linkhash.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "json/jenc.h"
#include "net/ipaddr.h"
#include "net/name.h"

static int decode_gateway(struct json_object *v, const struct jdec_path *at, void *out,
			  struct jdec_sink *sink)
{
	static const char *const names[] = { "linklocal", "ipam", NULL };
	unsigned int choice;
	int r = jdec_choice(v, at, names, &choice, sink);

	if (r == 0)
		*(enum gateway_mode *)out = (enum gateway_mode)choice;
	return r;
}

static int decode_dir(struct json_object *v, const struct jdec_path *at, void *out,
		      struct jdec_sink *sink)
{
	const char *s;
	int r = jdec_string(v, at, &s, sink);

	if (r < 0)
		return r;
	if (s[0] != '/' || strlen(s) >= PATH_MAX - 64)
		return jdec_finding(sink, at, "\"%.100s\" is not an absolute path", s);
	*(const char **)out = s;
	return 0;
}

static int decode_cidrs(struct json_object *v, const struct jdec_path *at, void *out,
			struct jdec_sink *sink)
{
	return jdec_each(v, at, sizeof(struct cidr), jdec_cidr_or_host, out, sink);
}

/* One address, or a list with at most one a family. */
static int decode_host_address(struct json_object *v, const struct jdec_path *at, void *out,
			       struct jdec_sink *sink)
{
	_cleanup_(array_done) struct array list = {};
	struct ipaddr found[2] = {}, one;
	const struct ipaddr *a = &one;
	size_t n = 1;
	int r;

	if (json_object_is_type(v, json_type_array)) {
		r = jdec_each(v, at, sizeof(struct ipaddr), jdec_ipaddr, &list, sink);
		a = list.v;
		n = list.n;
	} else {
		r = jdec_ipaddr(v, at, &one, sink);
	}
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		struct ipaddr *slot = &found[a[i].family == AF_INET6];

		if (slot->family)
			return jdec_finding(sink, at, "more than one address of a family");
		*slot = a[i];
	}
	memcpy(out, found, sizeof(found));
	return 0;
}

static int decode_metric(struct json_object *v, const struct jdec_path *at, void *out,
			 struct jdec_sink *sink)
{
	struct netconf *conf = out;
	int r = jdec_u32(v, at, &conf->route_metric, sink);

	conf->has_route_metric = r == 0;
	return r;
}

static int decode_plugin_type(struct json_object *v, const struct jdec_path *at, void *out,
			      struct jdec_sink *sink)
{
	const char *s;
	int r = jdec_string(v, at, &s, sink);

	if (r < 0)
		return r;
	if (!name_is_plugin(s))
		return jdec_finding(sink, at, "\"%.100s\" is not the name of a plugin", s);
	*(const char **)out = s;
	return 0;
}

static int decode_ipam(struct json_object *v, const struct jdec_path *at, void *out,
		       struct jdec_sink *sink)
{
	static const struct jdec_field fields[] = {
		{ "type", decode_plugin_type, 0, JDEC_REQUIRED },
		{ 0 },
	};

	/* {} is what a generator writes for "none" */
	if (json_object_is_type(v, json_type_object) && json_object_object_length(v) == 0)
		return 0;
	return jdec_object(v, at, fields, out, sink);
}

static int decode_object(struct json_object *v, const struct jdec_path *at, void *out,
			 struct jdec_sink *sink)
{
	if (!json_object_is_type(v, json_type_object))
		return jdec_wrong_type(sink, at, "an object", v);
	*(struct json_object **)out = v;
	return 0;
}

static int decode_mac(struct json_object *v, const struct jdec_path *at, void *out,
		      struct jdec_sink *sink)
{
	struct netconf *conf = out;
	int r = jdec_mac(v, at, &conf->mac, sink);

	if (r == 0)
		conf->has_mac = true;
	return r;
}

/* What a pod may ask for by annotation: nothing that would loosen the operator's rules. */
static int decode_pod_options(struct json_object *v, const struct jdec_path *at, void *out,
			      struct jdec_sink *sink)
{
	static const struct jdec_field fields[] = {
		{ "fastPath", jdec_fast_path, offsetof(struct netconf, options.fast_path), 0 },
		{ 0 },
	};

	return jdec_object(v, at, fields, out, sink);
}

static int decode_runtime_config(struct json_object *v, const struct jdec_path *at, void *out,
				 struct jdec_sink *sink)
{
	static const struct jdec_field fields[] = {
		{ "ips", decode_cidrs, offsetof(struct netconf, runtime_ips), 0 },
		{ "mac", decode_mac, 0, 0 },
		{ "podwire", decode_pod_options, 0, 0 },
		{ 0 },
	};

	return jdec_object(v, at, fields, out, sink);
}

static int decode_args_cni(struct json_object *v, const struct jdec_path *at, void *out,
			   struct jdec_sink *sink)
{
	static const struct jdec_field fields[] = {
		{ "ips", decode_cidrs, offsetof(struct netconf, args_ips), 0 },
		{ "mac", decode_mac, 0, 0 },
		{ 0 },
	};

	return jdec_object(v, at, fields, out, sink);
}

static int decode_args(struct json_object *v, const struct jdec_path *at, void *out,
		       struct jdec_sink *sink)
{
	static const struct jdec_field fields[] = {
		{ "cni", decode_args_cni, 0, 0 },
		{ 0 },
	};

	/* args is anybody's: only args.cni has a form */
	if (!json_object_is_type(v, json_type_object))
		return 0;
	return jdec_object(v, at, fields, out, sink);
}

static int decode_valid_attachment(struct json_object *v, const struct jdec_path *at, void *out,
				   struct jdec_sink *sink)
{
	static const struct jdec_field fields[] = {
		{ "containerID", jdec_string, offsetof(struct valid_attachment, container_id),
		  JDEC_REQUIRED },
		{ "ifname", jdec_string, offsetof(struct valid_attachment, ifname), JDEC_REQUIRED },
		{ 0 },
	};

	return jdec_object(v, at, fields, out, sink);
}

static int decode_valid(struct json_object *v, const struct jdec_path *at, void *out,
			struct jdec_sink *sink)
{
	struct netconf *conf = out;
	int r;

	r = jdec_each(v, at, sizeof(struct valid_attachment), decode_valid_attachment,
		      &conf->valid_attachments, sink);
	conf->has_valid_attachments = r == 0;
	return r;
}

/* Both names of it; the newer one counts where both are there. */
static int decode_valid_legacy(struct json_object *v, const struct jdec_path *at, void *out,
			       struct jdec_sink *sink)
{
	struct netconf *conf = out;

	return conf->has_valid_attachments ? 0 : decode_valid(v, at, out, sink);
}

#define FIELD(member) offsetof(struct netconf, member)
static const struct jdec_field netconf_fields[] = {
	{ "ipMasq", jdec_bool, FIELD(ip_masq), 0 },
	{ "masqExclude", decode_cidrs, FIELD(masq_exclude), 0 },
	{ "gateway", decode_gateway, FIELD(gateway), 0 },
	{ "hostAddress", decode_host_address, FIELD(host_address), 0 },
	{ "routeMetric", decode_metric, 0, 0 },
	{ "requireAgent", jdec_bool, FIELD(require_agent), 0 },
	{ "runtimeDir", decode_dir, FIELD(runtime_dir), 0 },
	{ "stateDir", decode_dir, FIELD(state_dir), 0 },
	{ "ipam", decode_ipam, FIELD(ipam_type), 0 },
	{ "dns", decode_object, FIELD(dns), 0 },
	{ "args", decode_args, 0, 0 },
	{ "runtimeConfig", decode_runtime_config, 0, 0 },
	{ "prevResult", decode_object, FIELD(prev_result), 0 },
	{ "cni.dev/valid-attachments", decode_valid, 0, 0 },
	{ "cni.dev/attachments", decode_valid_legacy, 0, 0 },
	{ 0 },
};
#undef FIELD

int netconf_decode(struct json_object *v, const struct jdec_path *at, struct netconf *conf,
		   struct jdec_sink *sink)
{
	const struct cidr *excluded;
	int r;

	r = options_decode(v, at, &conf->options, sink);
	if (json_object_is_type(v, json_type_object) &&
	    jdec_object(v, at, netconf_fields, conf, sink) < 0)
		r = -EINVAL;

	excluded = conf->masq_exclude.v;
	for (size_t i = 0; i < conf->masq_exclude.n; i++) {
		struct jdec_path key = { .up = at, .key = "masqExclude" };
		struct jdec_path here = { .up = &key, .index = i };
		struct cidr net = cidr_network(&excluded[i]);

		if (!cidr_equal(&net, &excluded[i]))
			r = jdec_finding(sink, &here, "%s has host bits set; meant is %s?",
					 CIDR_STR(&excluded[i]), CIDR_STR(&net));
	}
	return r;
}

/* cniVersion decides how everything else is answered, so it goes first. */
static int take_version(struct netconf *conf, struct pw_error *err)
{
	struct json_object *v = jdec_member(conf->root, "cniVersion");
	struct jdec_path at = { .key = "cniVersion" };
	struct jdec_sink sink = {};
	const char *s = "";
	char all[80];

	conf->spec = SPEC_ABSENT;
	if (v && jdec_string(v, &at, &s, &sink) < 0) {
		conf->spec = SPEC_NEWEST;
		*err = sink.first;
		return -EINVAL;
	}
	if (!*s)
		return 0;
	if (spec_parse(s, &conf->spec) < 0) {
		conf->spec = SPEC_NEWEST;
		pw_fail(err, EPROTONOSUPPORT, PW_E_VERSION, "incompatible CNI versions");
		pw_details(err, "config is \"%.40s\", plugin supports %s", s,
			   spec_list(all, sizeof(all)));
		return -EPROTONOSUPPORT;
	}
	return 0;
}

enum spec netconf_version(const char *text, size_t len)
{
	struct netconf conf = { .spec = SPEC_NEWEST };
	struct pw_error ignored = {};

	if (jdec_parse(text, len, "", &conf.root, NULL) == 0 &&
	    json_object_is_type(conf.root, json_type_object))
		(void)take_version(&conf, &ignored);
	json_object_put(conf.root);
	return conf.spec;
}

static int decode_network_name(struct json_object *v, const struct jdec_path *at, void *out,
			       struct jdec_sink *sink)
{
	const char *s;
	int r = jdec_string(v, at, &s, sink);

	if (r < 0)
		return r;
	if (!name_is_cni(s))
		return jdec_finding(sink, at, "\"%.80s\" is not a valid network name", s);
	*(const char **)out = s;
	return 0;
}

int netconf_parse(const char *text, size_t len, struct netconf *ret, struct pw_error *err)
{
	static const struct jdec_field identity[] = {
		{ "name", decode_network_name, offsetof(struct netconf, name), JDEC_REQUIRED },
		{ "type", jdec_string, offsetof(struct netconf, type), 0 },
		{ 0 },
	};
	_cleanup_(netconf_done) struct netconf conf = {
		.spec = SPEC_NEWEST,
		.options = OPTIONS_DEFAULT,
		.runtime_dir = DEFAULT_RUNTIME_DIR,
		.state_dir = DEFAULT_STATE_DIR,
	};
	struct pw_error local = {};
	struct jdec_sink sink = {};
	int r;

	if (!err)
		err = &local;
	r = jdec_parse(text, len, "network config", &conf.root, err);
	if (r == 0 && !json_object_is_type(conf.root, json_type_object))
		r = pw_fail(err, EINVAL, PW_E_DECODE, "network config is not a JSON object");
	if (r == 0)
		r = take_version(&conf, err);
	ret->spec = conf.spec;
	if (r < 0)
		return r;

	r = jdec_object(conf.root, NULL, identity, &conf, &sink);
	if (netconf_decode(conf.root, NULL, &conf, &sink) < 0 || r < 0) {
		*err = sink.first;
		return -EINVAL;
	}
	*ret = conf;
	conf = (struct netconf){};
	return 0;
}

void netconf_done(struct netconf *conf)
{
	options_done(&conf->options);
	array_done(&conf->masq_exclude);
	array_done(&conf->runtime_ips);
	array_done(&conf->args_ips);
	array_done(&conf->valid_attachments);
	json_object_put(conf->root);
	*conf = (struct netconf){};
}

static bool is_operators(const char *key)
{
	static const char *const injected[] = { "cniVersion", "prevResult", "runtimeConfig",
						"args" };

	for (size_t i = 0; i < ARRAY_COUNT(injected); i++) {
		if (strcmp(key, injected[i]) == 0)
			return false;
	}
	return strncmp(key, "cni.dev/", strlen("cni.dev/")) != 0;
}

static int digest_value(struct json_object *v, bool (*counts)(const char *key), uint64_t *h);

/* Sums don't depend on an order. */
static int digest_members(struct json_object *v, bool (*counts)(const char *key), uint64_t *h)
{
	uint64_t sum = 0;
	int r = 0;

	json_object_object_foreach(v, key, member) {
		uint64_t one = hash_bytes(HASH_START, key, strlen(key) + 1);

		if (r < 0 || (counts && !counts(key)))
			continue;
		r = digest_value(member, NULL, &one);
		sum += hash_end(one);
	}
	*h = hash_bytes(*h, &sum, sizeof(sum));
	return r;
}

static int digest_value(struct json_object *v, bool (*counts)(const char *key), uint64_t *h)
{
	const char *text;
	int r = 0;

	*h = hash_bytes(*h, &(char){ (char)json_object_get_type(v) }, 1);
	if (json_object_is_type(v, json_type_object))
		return digest_members(v, counts, h);
	if (json_object_is_type(v, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(v) && r == 0; i++)
			r = digest_value(json_object_array_get_idx(v, i), NULL, h);
		*h = hash_bytes(*h, "]", 1);
		return r;
	}
	text = json_object_to_json_string_ext(v, JSON_C_TO_STRING_PLAIN);
	if (!text)
		return -ENOMEM;
	*h = hash_bytes(*h, text, strlen(text) + 1);
	return 0;
}

/* The order of keys is nothing, at any depth: a runtime may re-marshal a config. */
int netconf_digest(const struct netconf *conf, char ret[17], struct pw_error *err)
{
	uint64_t h = HASH_START;

	if (digest_value(conf->root, is_operators, &h) < 0)
		return pw_oom(err);
	snprintf(ret, 17, "%016" PRIx64, hash_end(h));
	return 0;
}
