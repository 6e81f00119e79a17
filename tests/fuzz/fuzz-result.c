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

static void require_round_trip(const struct result *res, enum spec spec)
{
	_cleanup_(result_done) struct result back = {};
	_cleanup_(freep) char *text = encode(res, spec), *again = NULL;

	if (!text)
		return;
	decode(text, spec, &back);
	require_values(&back);
	if (spec >= SPEC_0_3_0) {
		require(back.interfaces.n == res->interfaces.n);
		require(back.ips.n == res->ips.n);
		require(back.routes.n == res->routes.n);
	} else {
		require(back.ips.n == 1 || back.ips.n == 2);
	}
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
