/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CHECK
 *
 * A plan is made from prevResult, as ADD makes it from IPAM's, and the kernel is compared with it.
 * A runtime may take a failure as final, so nothing passing is reported: no agent, no load.
 */
#include <linux/netlink.h>
#include <string.h>

#include "base/error.h"
#include "check.h"
#include "forwarding.h"
#include "ipam.h"
#include "masquerade.h"
#include "netlink/netns.h"
#include "netlink/sock.h"
#include "session.h"
#include "verb.h"

/* Index of the pod's interface in prevResult: its name, and its sandbox is this namespace. */
static int find_interface(const struct request *req, int netns_fd, const struct result *prev,
			  struct pw_error *err)
{
	const struct result_interface *itf = prev->interfaces.v;
	bool named = false;

	for (size_t i = 0; i < prev->interfaces.n; i++) {
		_cleanup_(closep) int fd = -EBADF;

		if (strcmp(itf[i].name, req->ifname) != 0)
			continue;
		named = true;
		if (!itf[i].sandbox)
			continue;
		fd = netns_open(itf[i].sandbox, NULL);
		if (strcmp(itf[i].sandbox, req->netns) == 0 ||
		    (fd >= 0 && netns_same(fd, netns_fd, NULL) == 1))
			return (int)i;
	}
	return pw_fail(err, EINVAL, PW_E_CHECK,
		       named ? "prevResult: no interface %s with sandbox %s"
			     : "prevResult: no interface %s (namespace %s)",
		       req->ifname, req->netns);
}

/* Only what is this interface's: in a chain there may be others. */
static void keep_own(struct result *prev, int interface)
{
	struct result_ip *ip = prev->ips.v;
	size_t n = 0;

	for (size_t i = 0; i < prev->ips.n; i++) {
		if (ip[i].interface == interface || ip[i].interface < 0)
			ip[n++] = ip[i];
	}
	prev->ips.n = n;
}

/* A route of a family that our interface has no address of is another plugin's. */
static void drop_other_routes(struct result *prev)
{
	struct result_route *route = prev->routes.v;
	const struct result_ip *ip = prev->ips.v;
	size_t n = 0;

	for (size_t i = 0; i < prev->routes.n; i++) {
		bool has = false;

		for (size_t a = 0; a < prev->ips.n; a++)
			has = has || ip[a].address.ip.family == route[i].dst.ip.family;
		if (has)
			route[n++] = route[i];
	}
	prev->routes.n = n;
}

static int check_kernel(struct call *call, struct check *c, struct pw_error *err)
{
	const struct plan *plan = c->plan;
	struct masq_list list = plan_masq_list(plan, &call->conf);
	int r;

	r = check_links(c, err);
	if (r == 0)
		r = check_addresses(c, err);
	if (r == 0)
		r = check_pod_routes(c, err);
	if (r == 0)
		r = check_host_routes(c, err);
	if (r == 0) {
		r = forwarding_is_on(c->host, plan->family, err);
		if (r == 0)
			r = pw_fail(err, ENETDOWN, PW_E_CHECK, "forwarding is off on the node");
		r = r < 0 ? r : 0;
	}
	if (r == 0 && plan->masq_group)
		r = check_group(c, err);
	if (r == 0 && plan->masq_group)
		r = masquerade_check(&list, err);
	return r;
}

static int check_pod(struct call *call, struct result *prev, struct pw_error *err)
{
	_cleanup_(session_done) struct session s = SESSION_NONE;
	_cleanup_(nlsock_freep) struct nlsock *pod = NULL;
	_cleanup_(plan_done) struct plan plan = {};
	_cleanup_(closep) int netns_fd = -EBADF;
	struct facts facts = { .mtu = UINT16_MAX };
	struct check c = { .plan = &plan, .prev = prev };
	int r;

	netns_fd = session_pod_netns(&call->req, err);
	if (netns_fd < 0)
		return netns_fd;
	r = find_interface(&call->req, netns_fd, prev, err);
	if (r < 0)
		return r;
	keep_own(prev, r);
	drop_other_routes(prev);

	r = session_open(&call->conf, false, &s, err);
	if (r == 0)
		r = netns_socket(netns_fd, NETLINK_ROUTE, &pod, err);
	if (r == 0)
		r = plan_links(&call->req, &call->conf, &facts, &plan, err);
	if (r == 0)
		r = plan_network(&call->conf, &facts, prev, &plan, err);
	if (r < 0)
		return r;
	nlsock_set_place(pod, " in pod");
	c.host = s.host;
	c.pod = pod;
	return check_kernel(call, &c, err);
}

static int check_ipam(struct call *call, struct pw_error *err)
{
	const struct ipam_target target = { call->req.container_id, call->req.netns,
					    call->req.ifname };
	_cleanup_(ipam_done) struct ipam ipam = {};
	int r;

	if (!call->conf.ipam_type)
		return 0;
	r = ipam_init(&call->req, &call->conf, call->text, call->len, &ipam, err);
	return r < 0 ? r : ipam_run(&ipam, "CHECK", &target, -EBADF, NULL, err);
}

int verb_check(struct call *call, struct json_object **ret, struct pw_error *err)
{
	_cleanup_(result_done) struct result prev = {};
	int r;

	(void)ret;
	if (!call->conf.prev_result)
		return pw_fail(err, EINVAL, PW_E_CONFIG, "prevResult: missing, and CHECK needs it");
	r = result_decode(call->conf.prev_result, call->conf.spec, "prevResult", PW_E_CONFIG, &prev,
			  err);
	if (r == 0)
		r = check_pod(call, &prev, err);
	if (r == 0)
		r = check_ipam(call, err);
	return r;
}
