/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "install/conflist.h"

#include <json-c/linkhash.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "json/jdec.h"
#include "net/name.h"

#define HEAD                                                          \
	"{\n"                                                         \
	"  \"cniVersion\": \"1.0.0\",\n"                              \
	"  \"name\": \"pods\",\n"                                     \
	"  \"plugins\": [\n"                                          \
	"    {\n"                                                     \
	"      \"type\": \"podwire\",\n"                              \
	"      \"ipMasq\": true,\n"                                   \
	"      \"capabilities\": { \"ips\": true, \"mac\": true },\n" \
	"      \"ipam\": {\n"                                         \
	"        \"type\": \"host-local\",\n"                         \
	"        \"ranges\": [\n"
#define ROUTES         \
	"        ],\n" \
	"        \"routes\": ["
#define TAIL        \
	"]\n"       \
	"      }\n" \
	"    }\n"   \
	"  ]\n"     \
	"}\n"

char *conflist_render(const struct cidr *pods, size_t n)
{
	_cleanup_(freep) char *text = NULL;
	size_t size = 0;
	FILE *f;

	f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	(void)fputs(HEAD, f);
	for (size_t i = 0; i < n; i++)
		(void)fprintf(f, "          [{ \"subnet\": \"%s\" }]%s\n", CIDR_STR(&pods[i]),
			      i + 1 < n ? "," : "");
	(void)fputs(ROUTES, f);
	for (size_t i = 0; i < n; i++)
		(void)fprintf(f, "%s{ \"dst\": \"%s\" }", i ? ", " : "",
			      pods[i].ip.family == AF_INET ? "0.0.0.0/0" : "::/0");
	(void)fputs(TAIL, f);
	if (fclose(f) != 0)
		return NULL;
	return take_ptr(text);
}

int conflist_parse_pods(const char *text, struct cidr *ret, struct pw_error *err)
{
	struct cidr c, network;

	if (cidr_parse(text, &c) < 0)
		return pw_fail(err, EINVAL, PW_E_ENV, "%.60s is not ADDRESS/LENGTH", text);
	network = cidr_network(&c);
	if (!cidr_equal(&c, &network))
		return pw_fail(err, EINVAL, PW_E_ENV, "%s has host bits set: did you mean %s?",
			       text, CIDR_STR(&network));
	/* host-local keeps the first and the last address, and takes the next for a gateway */
	if (c.len + 2u > ipaddr_bits(&c.ip))
		return pw_fail(err, EINVAL, PW_E_ENV, "%s has no room for pods", text);
	if (c.len == 0 || ipaddr_is_multicast(&c.ip) || ipaddr_is_linklocal(&c.ip))
		return pw_fail(err, EINVAL, PW_E_ENV, "%s is no prefix that pods can have", text);
	*ret = c;
	return 0;
}

bool conflist_is_name(const char *name)
{
	static const char *const endings[] = { ".conf", ".conflist", ".json" };
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < ARRAY_COUNT(endings); i++) {
		if (strcmp(dot, endings[i]) == 0)
			return true;
	}
	return false;
}

static bool is_string(struct json_object *v, const char *text)
{
	return json_object_is_type(v, json_type_string) &&
	       strcmp(json_object_get_string(v), text) == 0;
}

/* The parser bounds how deep it nests. */
bool conflist_names(struct json_object *v, const char *type)
{
	if (json_object_is_type(v, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(v); i++) {
			if (conflist_names(json_object_array_get_idx(v, i), type))
				return true;
		}
	}
	if (!json_object_is_type(v, json_type_object))
		return false;
	json_object_object_foreach(v, key, member) {
		if (strcmp(key, "type") == 0 ? is_string(member, type)
					     : conflist_names(member, type))
			return true;
	}
	return false;
}

static int one_type(struct json_object *v, conflist_type_t each, void *arg)
{
	struct json_object *type = jdec_member(v, "type");

	if (!json_object_is_type(type, json_type_string) ||
	    !name_is_plugin(json_object_get_string(type)))
		return 0;
	return each(json_object_get_string(type), arg);
}

int conflist_types(struct json_object *v, conflist_type_t each, void *arg)
{
	struct json_object *plugins = jdec_member(v, "plugins");

	if (!json_object_is_type(plugins, json_type_array))
		return 0;
	for (size_t i = 0; i < json_object_array_length(plugins); i++) {
		struct json_object *plugin = json_object_array_get_idx(plugins, i);
		int r = one_type(plugin, each, arg);

		if (r == 0)
			r = one_type(jdec_member(plugin, "ipam"), each, arg);
		if (r < 0)
			return r;
	}
	return 0;
}

/* The prefixes of a list as we write it: how many, or 0. */
static size_t pods_of(struct json_object *v, struct cidr pods[CONFLIST_PODS_MAX])
{
	struct json_object *ranges = jdec_member(v, "plugins");
	size_t n;

	if (!json_object_is_type(ranges, json_type_array) || json_object_array_length(ranges) == 0)
		return 0;
	ranges = jdec_member(jdec_member(json_object_array_get_idx(ranges, 0), "ipam"), "ranges");
	if (!json_object_is_type(ranges, json_type_array))
		return 0;
	n = json_object_array_length(ranges);
	for (size_t i = 0; i < n && n <= CONFLIST_PODS_MAX; i++) {
		struct json_object *one = json_object_array_get_idx(ranges, i);

		if (!json_object_is_type(one, json_type_array) ||
		    json_object_array_length(one) != 1)
			return 0;
		one = jdec_member(json_object_array_get_idx(one, 0), "subnet");
		if (!json_object_is_type(one, json_type_string) ||
		    cidr_parse(json_object_get_string(one), &pods[i]) < 0)
			return 0;
	}
	return n <= CONFLIST_PODS_MAX ? n : 0;
}

enum conflist_kind conflist_judge(const char *text, size_t len)
{
	_cleanup_(json_object_putp) struct json_object *v = NULL;
	struct cidr pods[CONFLIST_PODS_MAX];
	_cleanup_(freep) char *again = NULL;
	size_t n;

	if (jdec_parse(text, len, "config", &v, NULL) < 0 || !conflist_names(v, "podwire"))
		return CONFLIST_FOREIGN;
	n = pods_of(v, pods);
	again = n ? conflist_render(pods, n) : NULL;
	return again && strlen(again) == len && memcmp(again, text, len) == 0 ? CONFLIST_OURS
									      : CONFLIST_CHANGED;
}
