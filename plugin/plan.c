/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the pod is wired as it is
 *
 * A veth pair has one neighbour at each end, so nothing has to be found out by ARP or NDP. The
 * gateway is the same link-local address in each pod and needs no place in the pod's subnet; routes
 * through it are marked onlink, so that a second attachment with the same gateway can't clash. The
 * pod's own subnet goes through the gateway as well, since no other pod is on its link.
 *
 * A plugin behind us that moves the pod's routes to another table (sbr) drops the onlink mark, and
 * those routes that it can't tie to an address: so there is a route to the gateway too, which gives
 * way to another attachment's, and each route names its source.
 */
#include "plan.h"

#include <linux/rtnetlink.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/error.h"

#define IPV6_MTU_MIN 1280 /* bytes (RFC 8200) */

const struct ipaddr plan_gateway[2] = {
	{ .family = AF_INET, .b = { 169, 254, 1, 1 } },
	{ .family = AF_INET6, .b = { 0xfe, 0x80, [15] = 1 } },
};

static const struct cidr multicast[2] = {
	{ .ip = { .family = AF_INET, .b = { 224 } }, .len = 4 },
	{ .ip = { .family = AF_INET6, .b = { 0xff } }, .len = 8 },
};

static void name_pod(const struct request *req, struct plan *plan)
{
	const struct cni_args *args = &req->args;

	if (args->pod_namespace && args->pod_name)
		snprintf(plan->alias, sizeof(plan->alias), "podwire %s/%s", args->pod_namespace,
			 args->pod_name);
	else
		snprintf(plan->alias, sizeof(plan->alias), "podwire %s", req->container_id);
	for (char *c = plan->alias; *c; c++) {
		if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
			*c = '?';
	}
}

int plan_links(const struct request *req, const struct netconf *conf, const struct facts *facts,
	       struct plan *plan, struct pw_error *err)
{
	const struct attachment id = { conf->name, req->container_id, req->ifname };
	int r;

	attachment_host_ifname(&id, plan->host_ifname);
	plan->pod_ifname = req->ifname;
	plan->mtu = facts->mtu;
	plan->queues = conf->options.queues ? conf->options.queues : 1;
	name_pod(req, plan);

	r = mac_random(&plan->host_mac, err);
	if (r == 0)
		r = mac_random(&plan->pod_mac, err);
	if (conf->has_mac)
		plan->pod_mac = conf->mac;
	else if (req->args.has_mac)
		plan->pod_mac = req->args.mac;
	return r;
}

/* Link-local gateways of IPv6 are on link by nature. */
static bool needs_route(const struct ipaddr *gateway)
{
	return gateway->family == AF_INET || !ipaddr_is_linklocal(gateway);
}

static int push_route(struct plan *plan, const struct route *route, bool may_shift,
		      struct pw_error *err)
{
	struct plan_route *slot = array_grow(&plan->pod_routes, sizeof(*slot), 1);

	if (!slot)
		return pw_oom(err);
	*slot = (struct plan_route){ .route = *route, .may_shift = may_shift };
	return 0;
}

static int add_gateway(struct plan *plan, const struct ipaddr *gateway, const struct ipaddr *src,
		       struct pw_error *err)
{
	const struct route to_gateway = {
		.dst = cidr_host(gateway),
		.src = *src,
		.scope = gateway->family == AF_INET ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE,
	};
	struct ipaddr *have = plan->gateways.v, *slot;

	for (size_t i = 0; i < plan->gateways.n; i++) {
		if (ipaddr_equal(&have[i], gateway))
			return 0;
	}
	slot = array_grow(&plan->gateways, sizeof(*slot), 1);
	if (!slot)
		return pw_oom(err);
	*slot = *gateway;
	return needs_route(gateway) ? push_route(plan, &to_gateway, true, err) : 0;
}

static int add_pod_route(struct plan *plan, const struct route *route, bool may_shift,
			 struct pw_error *err)
{
	const struct plan_route *have;
	int r;

	r = add_gateway(plan, &route->gateway, &route->src, err);
	if (r < 0)
		return r;
	have = plan->pod_routes.v;
	for (size_t i = 0; i < plan->pod_routes.n; i++) {
		if (cidr_equal(&have[i].route.dst, &route->dst) &&
		    have[i].route.table == route->table && have[i].route.metric == route->metric)
			return 0; /* the first one counts */
	}
	return push_route(plan, route, may_shift, err);
}

/* The gateway of @ip in this mode; NULL where IPAM was to name one and didn't. */
static const struct ipaddr *gateway_of(const struct netconf *conf, const struct result_ip *ip)
{
	if (conf->gateway == GATEWAY_LINKLOCAL)
		return &plan_gateway[ip->address.ip.family == AF_INET6];
	return ip->gateway.family ? &ip->gateway : NULL;
}

static int check_address(const struct plan *plan, const struct cidr *address, struct pw_error *err)
{
	if (ipaddr_is_zero(&address->ip) || ipaddr_is_multicast(&address->ip))
		return pw_fail(err, EINVAL, PW_E_IPAM, "IPAM gave %s, which no pod can have",
			       CIDR_STR(address));
	if (address->ip.family == AF_INET6 && plan->mtu < IPV6_MTU_MIN)
		return pw_fail(err, EINVAL, PW_E_CONFIG,
			       "mtu: %u is too small for IPv6, which needs %d", plan->mtu,
			       IPV6_MTU_MIN);
	return 0;
}

static int add_host_route(const struct facts *facts, struct plan *plan, const struct cidr *address,
			  struct pw_error *err)
{
	struct route *slot = array_grow(&plan->host_routes, sizeof(*slot), 1);
	bool v6 = address->ip.family == AF_INET6;

	if (!slot)
		return pw_oom(err);
	*slot = (struct route){
		.dst = cidr_host(&address->ip),
		.src = facts->source[v6],
		.scope = v6 ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK, /* IPv6 knows no scopes here */
	};
	return 0;
}

static int add_ip(const struct netconf *conf, const struct facts *facts, const struct result_ip *ip,
		  struct plan *plan, struct pw_error *err)
{
	const struct ipaddr *gateway = gateway_of(conf, ip);
	struct cidr *slot;
	int r;

	r = check_address(plan, &ip->address, err);
	if (r < 0)
		return r;
	if (!gateway)
		return pw_fail(err, EINVAL, PW_E_IPAM,
			       "IPAM gave no gateway for %s, and the network says gateway: ipam",
			       CIDR_STR(&ip->address));
	slot = array_grow(&plan->addresses, sizeof(*slot), 1);
	if (!slot)
		return pw_oom(err);
	*slot = ip->address;
	plan->family[ip->address.ip.family == AF_INET6] = true;

	r = add_gateway(plan, gateway, &ip->address.ip, err);
	if (r == 0 && ip->address.len < ipaddr_bits(&ip->address.ip)) {
		const struct route subnet = {
			.dst = cidr_network(&ip->address),
			.gateway = *gateway,
			.src = ip->address.ip,
			.metric = conf->has_route_metric ? conf->route_metric : 0,
			.onlink = true,
		};
		r = add_pod_route(plan, &subnet, true, err);
	}
	return r < 0 ? r : add_host_route(facts, plan, &ip->address, err);
}

/* In mode "ipam": the route's own gateway, or that of the first address of its family. */
static const struct ipaddr *route_gateway(const struct netconf *conf, const struct result *given,
					  const struct result_route *route)
{
	const struct result_ip *ip = given->ips.v;

	if (conf->gateway == GATEWAY_LINKLOCAL)
		return &plan_gateway[route->dst.ip.family == AF_INET6];
	if (route->gw.family)
		return &route->gw;
	for (size_t i = 0; i < given->ips.n; i++) {
		if (ip[i].address.ip.family == route->dst.ip.family && ip[i].gateway.family)
			return &ip[i].gateway;
	}
	return NULL;
}

/* The pod's first address of this family; NULL: it has none. */
static const struct ipaddr *source_of(const struct plan *plan, uint8_t family)
{
	const struct cidr *address = plan->addresses.v;

	for (size_t i = 0; i < plan->addresses.n; i++) {
		if (address[i].ip.family == family)
			return &address[i].ip;
	}
	return NULL;
}

static uint32_t metric_of(const struct netconf *conf, const struct result_route *route)
{
	if (route->has & ROUTE_HAS_PRIORITY)
		return route->priority;
	return conf->has_route_metric ? conf->route_metric : 0;
}

static uint32_t table_of(const struct result_route *route)
{
	return route->has & ROUTE_HAS_TABLE ? route->table : 0;
}

bool plan_is_for(const struct plan_route *planned, const struct netconf *conf,
		 const struct result_route *given)
{
	return cidr_equal(&planned->route.dst, &given->dst) &&
	       planned->route.table == table_of(given) &&
	       planned->route.metric == metric_of(conf, given);
}

static int add_route(const struct netconf *conf, const struct result *given,
		     const struct result_route *route, struct plan *plan, struct pw_error *err)
{
	const struct ipaddr *src = source_of(plan, route->dst.ip.family);
	const struct ipaddr *gateway = route_gateway(conf, given, route);
	struct route r;

	/* A config for two families, and a range for one: the route is nothing to the pod. */
	if (!src)
		return 0;
	if (!gateway)
		return pw_fail(
			err, EINVAL, PW_E_IPAM,
			"IPAM gave no gateway for route %s, and the network says gateway: ipam",
			CIDR_STR(&route->dst));
	r = (struct route){
		.dst = route->dst,
		.gateway = *gateway,
		.src = *src,
		.onlink = true,
		.mtu = route->has & ROUTE_HAS_MTU ? route->mtu : 0,
		.advmss = route->has & ROUTE_HAS_ADVMSS ? route->advmss : 0,
		.metric = metric_of(conf, route),
		.table = table_of(route),
	};
	return add_pod_route(plan, &r, false, err);
}

struct masq_list plan_masq_list(const struct plan *plan, const struct netconf *conf)
{
	return (struct masq_list){
		.exclusions = plan->masq_exclude.v,
		.n_exclusions = plan->masq_exclude.n,
		.sources = conf->options.allowed_sources.v,
		.n_sources = conf->options.allowed_sources.n,
	};
}

/* A subnet of only the pod's address would make a list a pod, and it never sends that to us. */
static bool is_shared(const struct cidr *address)
{
	return address->len < ipaddr_bits(&address->ip);
}

static int add_masq(const struct netconf *conf, struct plan *plan, struct pw_error *err)
{
	const struct cidr *excluded = conf->masq_exclude.v, *own = plan->addresses.v;
	struct masq_list list;
	struct cidr *to;
	size_t n = 0;

	to = array_grow(&plan->masq_exclude, sizeof(*to),
			conf->masq_exclude.n + plan->addresses.n + ARRAY_COUNT(multicast));
	if (!to)
		return pw_oom(err);
	for (size_t i = 0; i < conf->masq_exclude.n; i++)
		to[n++] = excluded[i];
	for (size_t i = 0; i < plan->addresses.n; i++) {
		if (is_shared(&own[i]))
			to[n++] = cidr_network(&own[i]);
	}
	for (size_t i = 0; i < ARRAY_COUNT(multicast); i++)
		to[n++] = multicast[i];
	plan->masq_exclude.n = n;
	list = plan_masq_list(plan, conf);
	return masq_group(&list, &plan->masq_group, err);
}

int plan_network(const struct netconf *conf, const struct facts *facts, const struct result *given,
		 struct plan *plan, struct pw_error *err)
{
	const struct result_route *route = given->routes.v;
	const struct result_ip *ip = given->ips.v;
	int r = 0;

	for (size_t i = 0; i < given->ips.n && r == 0; i++)
		r = add_ip(conf, facts, &ip[i], plan, err);
	for (size_t i = 0; i < given->routes.n && r == 0; i++)
		r = add_route(conf, given, &route[i], plan, err);
	if (r == 0 && conf->ip_masq && plan->addresses.n)
		r = add_masq(conf, plan, err);

	/* Stands in for the agent's source check; it would judge allowed sources as well. */
	plan->rp_filter = -1;
	if (plan->family[0])
		plan->rp_filter = conf->options.source_check && !conf->options.allowed_sources.n;
	return r;
}

void plan_done(struct plan *plan)
{
	array_done(&plan->addresses);
	array_done(&plan->gateways);
	array_done(&plan->pod_routes);
	array_done(&plan->host_routes);
	array_done(&plan->masq_exclude);
}
