/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "json/jenc.h"
#include "result.h"

static struct json_object *encode_interface(const struct result_interface *itf, enum spec spec)
{
	_cleanup_(json_object_putp) struct json_object *v = json_object_new_object();
	int r = 0;

	r |= jenc_string(v, "name", itf->name);
	r |= jenc_string_opt(v, "mac", itf->mac);
	if (spec >= SPEC_1_1_0 && itf->mtu)
		r |= jenc_int(v, "mtu", itf->mtu);
	r |= jenc_string_opt(v, "sandbox", itf->sandbox);
	if (spec >= SPEC_1_1_0) {
		r |= jenc_string_opt(v, "socketPath", itf->socket_path);
		r |= jenc_string_opt(v, "pciID", itf->pci_id);
	}
	return r < 0 ? NULL : take_ptr(v);
}

static struct json_object *encode_ip(const struct result_ip *ip, enum spec spec)
{
	_cleanup_(json_object_putp) struct json_object *v = json_object_new_object();
	int r = 0;

	if (spec < SPEC_1_0_0)
		r |= jenc_string(v, "version", ip->address.ip.family == AF_INET ? "4" : "6");
	if (ip->interface >= 0)
		r |= jenc_int(v, "interface", ip->interface);
	r |= jenc_string(v, "address", CIDR_STR(&ip->address));
	if (ip->gateway.family)
		r |= jenc_string(v, "gateway", IPADDR_STR(&ip->gateway));
	return r < 0 ? NULL : take_ptr(v);
}

static struct json_object *encode_route(const struct result_route *route, enum spec spec)
{
	_cleanup_(json_object_putp) struct json_object *v = json_object_new_object();
	const struct {
		unsigned int bit;
		const char *key;
		uint32_t value;
	} numbers[] = {
		{ ROUTE_HAS_MTU, "mtu", route->mtu },
		{ ROUTE_HAS_ADVMSS, "advmss", route->advmss },
		{ ROUTE_HAS_PRIORITY, "priority", route->priority },
		{ ROUTE_HAS_TABLE, "table", route->table },
		{ ROUTE_HAS_SCOPE, "scope", route->scope },
	};
	int r = 0;

	r |= jenc_string(v, "dst", CIDR_STR(&route->dst));
	if (route->gw.family)
		r |= jenc_string(v, "gw", IPADDR_STR(&route->gw));
	for (size_t i = 0; i < ARRAY_COUNT(numbers); i++) {
		if (spec >= SPEC_1_1_0 && (route->has & numbers[i].bit))
			r |= jenc_int(v, numbers[i].key, numbers[i].value);
	}
	return r < 0 ? NULL : take_ptr(v);
}

static int encode_lists(struct json_object *to, const struct result *res, enum spec spec)
{
	struct json_object *interfaces = json_object_new_array();
	struct json_object *ips = json_object_new_array();
	struct json_object *routes = json_object_new_array();
	const struct result_interface *itf = res->interfaces.v;
	const struct result_route *route = res->routes.v;
	const struct result_ip *ip = res->ips.v;
	int r = 0;

	for (size_t i = 0; i < res->interfaces.n; i++)
		r |= jenc_append(interfaces, encode_interface(&itf[i], spec));
	for (size_t i = 0; i < res->ips.n; i++)
		r |= jenc_append(ips, encode_ip(&ip[i], spec));
	for (size_t i = 0; i < res->routes.n; i++)
		r |= jenc_append(routes, encode_route(&route[i], spec));
	r |= jenc_add(to, "interfaces", interfaces);
	r |= jenc_add(to, "ips", ips);
	if (res->routes.n)
		r |= jenc_add(to, "routes", routes);
	else
		json_object_put(routes);
	return r;
}

/* The first address of @family with the routes of that family; none: nothing. */
static int encode_old_ip(struct json_object *to, const char *key, const struct result *res,
			 uint8_t family)
{
	const struct result_route *route = res->routes.v;
	const struct result_ip *ip = res->ips.v;
	struct json_object *v, *routes;
	size_t i;
	int r = 0;

	for (i = 0; i < res->ips.n && ip[i].address.ip.family != family; i++)
		;
	if (i == res->ips.n)
		return 0;

	v = json_object_new_object();
	routes = json_object_new_array();
	r |= jenc_string(v, "ip", CIDR_STR(&ip[i].address));
	if (ip[i].gateway.family)
		r |= jenc_string(v, "gateway", IPADDR_STR(&ip[i].gateway));
	for (i = 0; i < res->routes.n; i++) {
		if (route[i].dst.ip.family == family)
			r |= jenc_append(routes, encode_route(&route[i], SPEC_0_2_0));
	}
	if (routes && json_object_array_length(routes) > 0)
		r |= jenc_add(v, "routes", routes);
	else
		json_object_put(routes);
	return r | jenc_add(to, key, v);
}

int result_encode(const struct result *res, enum spec spec, struct json_object **ret,
		  struct pw_error *err)
{
	_cleanup_(json_object_putp) struct json_object *v = json_object_new_object();
	int r = 0;

	if (spec < SPEC_0_3_0 && res->ips.n == 0)
		return pw_fail(err, EINVAL, PW_E_VERSION,
			       "a result without an address cannot be given in version %s",
			       spec_names[spec]);

	r |= jenc_string(v, "cniVersion", spec_names[spec]);
	if (spec < SPEC_0_3_0) {
		r |= encode_old_ip(v, "ip4", res, AF_INET);
		r |= encode_old_ip(v, "ip6", res, AF_INET6);
	} else {
		r |= encode_lists(v, res, spec);
	}
	r |= jenc_add(v, "dns", res->dns ? json_object_get(res->dns) : json_object_new_object());
	if (r < 0)
		return pw_oom(err);
	*ret = take_ptr(v);
	return 0;
}
