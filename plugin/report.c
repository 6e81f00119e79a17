/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report.h"

#include <string.h>
#include <sys/socket.h>

#include "base/error.h"

struct mac_text {
	char host[MAC_STRLEN], pod[MAC_STRLEN];
};

static int add_interfaces(const struct wiring *w, const struct mac_text *mac, struct result *res)
{
	struct result_interface *itf = array_grow(&res->interfaces, sizeof(*itf), 2);

	if (!itf)
		return -ENOMEM;
	itf[0] = (struct result_interface){ .name = w->host_link.name,
					    .mac = mac->host,
					    .mtu = w->host_link.mtu };
	itf[1] = (struct result_interface){
		.name = w->pod_link.name,
		.mac = mac->pod,
		.mtu = w->pod_link.mtu,
		.sandbox = w->req->netns,
	};
	return 0;
}

/* Each with the gateway that its routes go through. */
static int add_ips(const struct wiring *w, struct result *res)
{
	const struct result_ip *given = w->given.ips.v;
	struct result_ip *ip;

	if (!w->given.ips.n)
		return 0;
	ip = array_grow(&res->ips, sizeof(*ip), w->given.ips.n);
	if (!ip)
		return -ENOMEM;
	for (size_t i = 0; i < w->given.ips.n; i++) {
		ip[i] = given[i];
		ip[i].interface = (int)res->interfaces.n - 1;
		if (w->conf->gateway == GATEWAY_LINKLOCAL)
			ip[i].gateway = plan_gateway[ip[i].address.ip.family == AF_INET6];
	}
	return 0;
}

/* The planned route that came of this one of IPAM's; NULL: none did. */
static const struct plan_route *find_planned(const struct wiring *w,
					     const struct result_route *given)
{
	const struct plan_route *planned = w->plan.pod_routes.v;

	for (size_t i = 0; i < w->plan.pod_routes.n; i++) {
		if (planned[i].route.gateway.family && plan_is_for(&planned[i], w->conf, given))
			return &planned[i];
	}
	return NULL;
}

/* IPAM's routes, as far as they were made, with the gateways that they were really given. */
static int add_routes(const struct wiring *w, struct result *res)
{
	const struct result_route *given = w->given.routes.v;

	for (size_t i = 0; i < w->given.routes.n; i++) {
		const struct plan_route *planned = find_planned(w, &given[i]);
		struct result_route *route;

		if (!planned)
			continue;
		route = array_grow(&res->routes, sizeof(*route), 1);
		if (!route)
			return -ENOMEM;
		*route = given[i];
		route->gw = planned->route.gateway;
	}
	return 0;
}

static void choose_dns(const struct wiring *w, struct result *res)
{
	struct json_object *dns = w->given.dns;

	if (w->conf->dns && json_object_object_length(w->conf->dns) > 0)
		dns = w->conf->dns;
	if (!dns || (res->dns && json_object_object_length(dns) == 0))
		return;
	json_object_put(res->dns);
	res->dns = json_object_get(dns);
}

int report_add(const struct wiring *w, struct result *prev, struct json_object **ret,
	       struct pw_error *err)
{
	struct mac_text mac;

	mac_format(&w->host_link.mac, mac.host);
	mac_format(&w->pod_link.mac, mac.pod);
	if (add_interfaces(w, &mac, prev) < 0 || add_ips(w, prev) < 0 || add_routes(w, prev) < 0)
		return pw_oom(err);
	choose_dns(w, prev);
	return result_encode(prev, w->conf->spec, ret, err);
}
