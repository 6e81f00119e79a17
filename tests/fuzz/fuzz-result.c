/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an IPAM plugin prints and what a runtime keeps as prevResult, read as each version of the
 * specification.
 *
 * Held to: what was read and is written in a version comes back the same from there, no address or
 * route is lost on the way but where the version has no room for it, and a plan that is made from
 * it has each address.
 */
#include <string.h>

#include "base/error.h"
#include "fuzz.h"
#include "json/jenc.h"
#include "plan.h"
#include "result.h"

static void require_values(const struct result *res)
{
	const struct result_route *route = res->routes.v;
	const struct result_ip *ip = res->ips.v;

	for (size_t i = 0; i < res->ips.n; i++) {
		require(ip[i].address.len <= ipaddr_bits(&ip[i].address.ip));
		require(!ip[i].gateway.family || ip[i].gateway.family == ip[i].address.ip.family);
		require(ip[i].interface == -1 || (size_t)ip[i].interface < res->interfaces.n);
	}
	for (size_t i = 0; i < res->routes.n; i++) {
		struct cidr net = cidr_network(&route[i].dst);

		require(cidr_equal(&net, &route[i].dst));
		require(!route[i].gw.family || route[i].gw.family == route[i].dst.ip.family);
	}
}

static char *encode(const struct result *res, enum spec spec)
{
	_cleanup_(json_object_putp) struct json_object *v = NULL;
	struct pw_error err = {};
	char *text;
	int r;

	r = result_encode(res, spec, &v, &err);
	if (r < 0) {
		require_error(&err, r);
		require(spec < SPEC_0_3_0 && res->ips.n == 0);
		return NULL;
	}
	text = strdup(jenc_text(v));
	require(text);
	return text;
}

static void decode(const char *text, enum spec spec, struct result *ret)
{
	_cleanup_(json_object_putp) struct json_object *v = NULL;

	require(jdec_parse(text, strlen(text), "", &v, NULL) == 0);
	require(result_decode(v, spec, "result", PW_E_CONFIG, ret, NULL) == 0);
}

static void require_same_text(const char *a, const char *b)
{
	/* an empty one isn't written */
	require(strcmp(a ? a : "", b ? b : "") == 0);
}

static void require_same_ip(const struct result_ip *a, const struct result_ip *b)
{
	require(cidr_equal(&a->address, &b->address));
	require(ipaddr_equal(&a->gateway, &b->gateway));
}

static void require_same_lists(const struct result *a, const struct result *b, enum spec spec)
{
	const struct result_interface *itf[] = { a->interfaces.v, b->interfaces.v };
	const struct result_route *route[] = { a->routes.v, b->routes.v };
	const struct result_ip *ip[] = { a->ips.v, b->ips.v };

	require(a->interfaces.n == b->interfaces.n);
	for (size_t i = 0; i < a->interfaces.n; i++) {
		require_same_text(itf[0][i].name, itf[1][i].name);
		require_same_text(itf[0][i].mac, itf[1][i].mac);
		require_same_text(itf[0][i].sandbox, itf[1][i].sandbox);
		require(spec < SPEC_1_1_0 || itf[0][i].mtu == itf[1][i].mtu);
	}
	require(a->ips.n == b->ips.n);
	for (size_t i = 0; i < a->ips.n; i++) {
		require_same_ip(&ip[0][i], &ip[1][i]);
		require(ip[0][i].interface == ip[1][i].interface);
	}
	require(a->routes.n == b->routes.n);
	for (size_t i = 0; i < a->routes.n; i++) {
		require(cidr_equal(&route[0][i].dst, &route[1][i].dst));
		require(ipaddr_equal(&route[0][i].gw, &route[1][i].gw));
		require(spec < SPEC_1_1_0 || (route[0][i].has == route[1][i].has &&
					      route[0][i].table == route[1][i].table &&
					      route[0][i].priority == route[1][i].priority));
	}
}

/* Of each family the first: more have no room in the old form. */
static void require_same_firsts(const struct result *a, const struct result *b)
{
	const struct result_ip *from = a->ips.v, *to = b->ips.v;

	for (size_t i = 0; i < b->ips.n; i++) {
		size_t k = 0;

		while (k < a->ips.n && from[k].address.ip.family != to[i].address.ip.family)
			k++;
		require(k < a->ips.n);
		require_same_ip(&from[k], &to[i]);
	}
	require(b->ips.n == 1 || b->ips.n == 2);
}

static void require_round_trip(const struct result *res, enum spec spec)
{
	_cleanup_(result_done) struct result back = {};
	_cleanup_(freep) char *text = encode(res, spec), *again = NULL;

	if (!text)
		return;
	decode(text, spec, &back);
	require_values(&back);
	if (spec >= SPEC_0_3_0)
		require_same_lists(res, &back, spec);
	else
		require_same_firsts(res, &back);
	require(!res->dns || json_object_equal(res->dns, back.dns));
	again = encode(&back, spec);
	require(again && strcmp(again, text) == 0);
}

static bool is_planned(const struct plan *plan, const struct cidr *address)
{
	const struct cidr *have = plan->addresses.v;

	for (size_t i = 0; i < plan->addresses.n; i++) {
		if (cidr_equal(&have[i], address))
			return true;
	}
	return false;
}

static void require_plan(const struct result *res, enum gateway_mode mode)
{
	_cleanup_(plan_done) struct plan plan = { .mtu = 1500 };
	const struct netconf conf = {
		.name = "n", .gateway = mode, .options = OPTIONS_DEFAULT, .ip_masq = true
	};
	const struct facts facts = { .mtu = 1500 };
	const struct result_ip *ip = res->ips.v;
	struct pw_error err = {};
	int r;

	r = plan_network(&conf, &facts, res, &plan, &err);
	if (r < 0) {
		require_error(&err, r);
		return;
	}
	for (size_t i = 0; i < res->ips.n; i++) {
		require(is_planned(&plan, &ip[i].address));
		require(plan.family[ip[i].address.ip.family == AF_INET6]);
	}
	require(plan.host_routes.n == plan.addresses.n);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(json_object_putp) struct json_object *v = NULL;

	if (jdec_parse((const char *)data, size, "", &v, NULL) < 0)
		return 0;
	for (enum spec spec = 0; spec < _SPEC_MAX; spec++) {
		_cleanup_(result_done) struct result res = {};
		struct pw_error err = {};
		int r = result_decode(v, spec, "result", PW_E_IPAM, &res, &err);

		if (r < 0) {
			require_error(&err, r);
			continue;
		}
		require_values(&res);
		for (enum spec to = 0; to < _SPEC_MAX; to++)
			require_round_trip(&res, to);
		require_plan(&res, GATEWAY_LINKLOCAL);
		require_plan(&res, GATEWAY_IPAM);
	}
	return 0;
}
