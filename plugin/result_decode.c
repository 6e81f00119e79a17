/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/error.h"
#include "result.h"

#define IPS_MAX 256 /* addresses of one attachment; more is a mistake, or malice */
#define ROUTES_MAX 1024

void result_done(struct result *res)
{
	array_done(&res->interfaces);
	array_done(&res->ips);
	array_done(&res->routes);
	json_object_put(res->dns);
	json_object_put(res->root);
	*res = (struct result){};
}

static int decode_interface(struct json_object *v, const struct jdec_path *at, void *out,
			    struct jdec_sink *sink)
{
	static const struct jdec_field fields[] = {
		{ "name", jdec_string, offsetof(struct result_interface, name), JDEC_REQUIRED },
		{ "mac", jdec_string, offsetof(struct result_interface, mac), 0 },
		{ "sandbox", jdec_string, offsetof(struct result_interface, sandbox), 0 },
		{ "mtu", jdec_u32, offsetof(struct result_interface, mtu), 0 },
		{ "socketPath", jdec_string, offsetof(struct result_interface, socket_path), 0 },
		{ "pciID", jdec_string, offsetof(struct result_interface, pci_id), 0 },
		{ 0 },
	};
	struct result_interface *itf = out;
	int r = jdec_object(v, at, fields, out, sink);

	if (r == 0 && itf->sandbox && !*itf->sandbox)
		itf->sandbox = NULL;
	return r;
}

/* "" stands for none in gateways that Go's reference types have written. */
static int decode_gateway(struct json_object *v, const struct jdec_path *at, void *out,
			  struct jdec_sink *sink)
{
	if (json_object_is_type(v, json_type_string) && json_object_get_string_len(v) == 0)
		return 0;
	return jdec_ipaddr(v, at, out, sink);
}

static int decode_index(struct json_object *v, const struct jdec_path *at, void *out,
			struct jdec_sink *sink)
{
	uint32_t n;
	int r = jdec_u32(v, at, &n, sink);

	if (r < 0)
		return r;
	if (n > INT32_MAX)
		return jdec_finding(sink, at, "%u is not an index", n);
	*(int *)out = (int)n;
	return 0;
}

static int decode_ip(struct json_object *v, const struct jdec_path *at, void *out,
		     struct jdec_sink *sink)
{
	static const struct jdec_field fields[] = {
		{ "interface", decode_index, offsetof(struct result_ip, interface), 0 },
		{ "address", jdec_cidr, offsetof(struct result_ip, address), JDEC_REQUIRED },
		{ "gateway", decode_gateway, offsetof(struct result_ip, gateway), 0 },
		{ 0 },
	};
	struct result_ip *ip = out;
	int r;

	ip->interface = -1;
	r = jdec_object(v, at, fields, out, sink);
	if (r == 0 && ip->gateway.family && ip->gateway.family != ip->address.ip.family)
		return jdec_finding(sink, at, "address and gateway are of different families");
	return r;
}

#define NUMBER(name, bit)                                                                      \
	static int decode_##name(struct json_object *v, const struct jdec_path *at, void *out, \
				 struct jdec_sink *sink)                                       \
	{                                                                                      \
		struct result_route *route = out;                                              \
		int r = jdec_u32(v, at, &route->name, sink);                                   \
                                                                                               \
		if (r == 0)                                                                    \
			route->has |= (bit);                                                   \
		return r;                                                                      \
	}
NUMBER(mtu, ROUTE_HAS_MTU)
NUMBER(advmss, ROUTE_HAS_ADVMSS)
NUMBER(priority, ROUTE_HAS_PRIORITY)
NUMBER(table, ROUTE_HAS_TABLE)
NUMBER(scope, ROUTE_HAS_SCOPE)
#undef NUMBER

static int decode_route(struct json_object *v, const struct jdec_path *at, void *out,
			struct jdec_sink *sink)
{
	static const struct jdec_field fields[] = {
		{ "dst", jdec_cidr, offsetof(struct result_route, dst), JDEC_REQUIRED },
		{ "gw", decode_gateway, offsetof(struct result_route, gw), 0 },
		{ "mtu", decode_mtu, 0, 0 },
		{ "advmss", decode_advmss, 0, 0 },
		{ "priority", decode_priority, 0, 0 },
		{ "table", decode_table, 0, 0 },
		{ "scope", decode_scope, 0, 0 },
		{ 0 },
	};
	struct result_route *route = out;
	int r = jdec_object(v, at, fields, out, sink);

	if (r < 0)
		return r;
	if (route->gw.family && route->gw.family != route->dst.ip.family)
		return jdec_finding(sink, at, "dst and gw are of different families");
	route->dst = cidr_network(&route->dst); /* 10.1.2.3/16 is what Go reads as 10.1.0.0/16 */
	return 0;
}

static int decode_interfaces(struct json_object *v, const struct jdec_path *at, void *out,
			     struct jdec_sink *sink)
{
	return jdec_each(v, at, sizeof(struct result_interface), decode_interface, out, sink);
}

static int decode_ips(struct json_object *v, const struct jdec_path *at, void *out,
		      struct jdec_sink *sink)
{
	if (json_object_is_type(v, json_type_array) && json_object_array_length(v) > IPS_MAX)
		return jdec_finding(sink, at, "more than %d addresses", IPS_MAX);
	return jdec_each(v, at, sizeof(struct result_ip), decode_ip, out, sink);
}

static int decode_routes(struct json_object *v, const struct jdec_path *at, void *out,
			 struct jdec_sink *sink)
{
	if (json_object_is_type(v, json_type_array) && json_object_array_length(v) > ROUTES_MAX)
		return jdec_finding(sink, at, "more than %d routes", ROUTES_MAX);
	return jdec_each(v, at, sizeof(struct result_route), decode_route, out, sink);
}

static int decode_dns(struct json_object *v, const struct jdec_path *at, void *out,
		      struct jdec_sink *sink)
{
	if (!json_object_is_type(v, json_type_object))
		return jdec_wrong_type(sink, at, "an object", v);
	*(struct json_object **)out = json_object_get(v);
	return 0;
}

static const struct jdec_field result_fields[] = {
	{ "interfaces", decode_interfaces, offsetof(struct result, interfaces), 0 },
	{ "ips", decode_ips, offsetof(struct result, ips), 0 },
	{ "routes", decode_routes, offsetof(struct result, routes), 0 },
	{ "dns", decode_dns, offsetof(struct result, dns), 0 },
	{ 0 },
};

/* The old form: {"ip4": {"ip", "gateway", "routes"}, "ip6": ..., "dns"}. */
struct old_ip {
	struct cidr ip;
	struct ipaddr gateway;
	struct array routes;
};

static int add_old_ip(struct result *res, struct old_ip *old, const struct jdec_path *at,
		      struct jdec_sink *sink)
{
	struct result_ip *ip = array_grow(&res->ips, sizeof(*ip), 1);
	struct result_route *routes;

	if (!ip)
		return jdec_finding(sink, at, "out of memory");
	*ip = (struct result_ip){ .interface = -1, .address = old->ip, .gateway = old->gateway };
	if (old->routes.n == 0)
		return 0;
	routes = array_grow(&res->routes, sizeof(*routes), old->routes.n);
	if (!routes)
		return jdec_finding(sink, at, "out of memory");
	memcpy(routes, old->routes.v, old->routes.n * sizeof(*routes));
	return 0;
}

static int decode_old_ip(struct json_object *v, const struct jdec_path *at, void *out,
			 struct jdec_sink *sink)
{
	static const struct jdec_field fields[] = {
		{ "ip", jdec_cidr, offsetof(struct old_ip, ip), JDEC_REQUIRED },
		{ "gateway", decode_gateway, offsetof(struct old_ip, gateway), 0 },
		{ "routes", decode_routes, offsetof(struct old_ip, routes), 0 },
		{ 0 },
	};
	uint8_t family = strcmp(at->key, "ip4") == 0 ? AF_INET : AF_INET6;
	struct old_ip old = {};
	int r;

	r = jdec_object(v, at, fields, &old, sink);
	if (r == 0 &&
	    (old.ip.ip.family != family || (old.gateway.family && old.gateway.family != family)))
		r = jdec_finding(sink, at, "an address is of the other family");
	if (r == 0)
		r = add_old_ip(out, &old, at, sink);
	array_done(&old.routes);
	return r;
}

static const struct jdec_field old_fields[] = {
	{ "ip4", decode_old_ip, 0, 0 },
	{ "ip6", decode_old_ip, 0, 0 },
	{ "dns", decode_dns, offsetof(struct result, dns), 0 },
	{ 0 },
};

static int find_version(struct json_object *v, enum spec *spec, struct jdec_sink *sink)
{
	struct json_object *m = jdec_member(v, "cniVersion");
	struct jdec_path at = { .key = "cniVersion" };
	const char *s = "";

	if (!m)
		return 0;
	if (jdec_string(m, &at, &s, sink) < 0)
		return -EINVAL;
	if (*s && spec_parse(s, spec) < 0)
		return jdec_finding(sink, &at, "\"%.40s\" is not a version that we know", s);
	return 0;
}

/* An interface index that points nowhere would be used as it is by whoever comes next. */
static int check_indices(const struct result *res, struct jdec_sink *sink)
{
	struct jdec_path list = { .key = "ips" };
	const struct result_ip *ip = res->ips.v;

	for (size_t i = 0; i < res->ips.n; i++) {
		struct jdec_path element = { .up = &list, .index = i };
		struct jdec_path at = { .up = &element, .key = "interface" };

		if (ip[i].interface >= 0 && (size_t)ip[i].interface >= res->interfaces.n)
			return jdec_finding(sink, &at, "%d is not one of %zu interfaces",
					    ip[i].interface, res->interfaces.n);
	}
	return 0;
}

int result_decode(struct json_object *v, enum spec spec, const char *what, enum pw_code code,
		  struct result *ret, struct pw_error *err)
{
	_cleanup_(result_done) struct result res = { .root = json_object_get(v) };
	struct jdec_sink sink = {};
	int r;

	r = find_version(v, &spec, &sink);
	if (r == 0)
		r = jdec_object(v, NULL, spec < SPEC_0_3_0 ? old_fields : result_fields, &res,
				&sink);
	if (r == 0)
		r = check_indices(&res, &sink);
	if (r < 0)
		return pw_fail(err, EINVAL, code, "%s: %s", what, sink.first.msg);
	*ret = res;
	res = (struct result){};
	return 0;
}
