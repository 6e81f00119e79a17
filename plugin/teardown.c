/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "teardown.h"

#include <linux/netlink.h>
#include <string.h>

#include "addresses.h"
#include "base/error.h"
#include "conntrack/conntrack.h"
#include "masquerade.h"
#include "netlink/netns.h"
#include "netlink/sock.h"
#include "rtnl/link.h"
#include "rtnl/route.h"
#include "steps.h"
#include "unlink.h"

static int start_ipam(void *subject, struct pw_error *err)
{
	struct teardown *t = subject;
	const struct ipam_target target = { t->id.container_id, t->netns, t->id.ifname };

	if (!t->ipam)
		return 0;
	return ipam_begin(t->ipam, "DEL", &target, t->lock_fd, true, &t->call, err);
}

static int open_netfilter(struct teardown *t, struct pw_error *err)
{
	return t->netfilter ? 0 : nlsock_open(NETLINK_NETFILTER, &t->netfilter, err);
}

/* The rules go with the last link of theirs, so this comes after the link. */
static int sweep_masquerade(void *subject, struct pw_error *err)
{
	struct teardown *t = subject;
	int r;

	if (!t->masqueraded || t->foreign)
		return 0;
	r = open_netfilter(t, err);
	return r < 0 ? r : masquerade_sweep(t->netfilter, t->session->runtime_fd, err);
}

/* Whether another pod has the address by now; then its flows are that pod's. */
static bool has_moved(struct teardown *t, const struct ipaddr *ip)
{
	struct route_lookup via = {};
	struct link_info link;

	return route_lookup(t->session->host, ip, &via, NULL) > 0 &&
	       link_find_index(t->session->host, via.ifindex, &link, NULL) > 0 &&
	       attachment_is_host_ifname(link.name);
}

/* The addresses that nobody has now. */
static int collect_free(struct teardown *t, struct array *ret, struct pw_error *err)
{
	struct ipaddr *ip;
	size_t n = 0;
	int r;

	r = addresses_strip(t->addresses, ret, err);
	if (r < 0)
		return r;
	ip = ret->v;
	for (size_t i = 0; i < ret->n; i++) {
		if (!has_moved(t, &ip[i]))
			ip[n++] = ip[i];
	}
	ret->n = n;
	return 0;
}

/* A client's UDP flow would stay bound to an address that another pod may get next. */
static int flush_conntrack(void *subject, struct pw_error *err)
{
	_cleanup_(array_done) struct array ips = {};
	struct teardown *t = subject;
	int r;

	if (t->foreign || !t->addresses || !t->addresses->n)
		return 0;
	r = collect_free(t, &ips, err);
	if (r < 0 || !ips.n)
		return r;
	r = open_netfilter(t, err);
	if (r == 0)
		r = conntrack_flush_udp(t->netfilter, ips.v, ips.n, err);
	return r;
}

/*
 * The host end is gone or was renamed, so look from the other side: a veth of this name with the
 * address that we gave it.
 */
static int remove_from_pod(struct teardown *t, struct pw_error *err)
{
	_cleanup_(nlsock_freep) struct nlsock *pod = NULL;
	_cleanup_(closep) int netns_fd = -EBADF;
	struct link_info link;
	int r;

	if (!t->record || !*t->netns)
		return 0;
	netns_fd = netns_open(t->netns, NULL);
	if (netns_fd < 0 || netns_is_own(netns_fd, NULL) != 0)
		return 0;
	r = netns_socket(netns_fd, NETLINK_ROUTE, &pod, err);
	if (r < 0)
		return r;
	nlsock_set_place(pod, " in pod");
	r = link_find(pod, t->id.ifname, &link, err);
	if (r <= 0 || strcmp(link.kind, "veth") != 0 || !mac_equal(&link.mac, &t->record->pod_mac))
		return r;
	return link_remove(pod, t->id.ifname, err);
}

static int remove_link(void *subject, struct pw_error *err)
{
	struct teardown *t = subject;
	struct pw_error ignored;
	int r;

	if (t->foreign || t->no_link)
		return 0;
	/* lets IPAM's start fall into the wait for the link */
	if (t->ipam)
		(void)ipam_advance(&t->call, &ignored);
	r = unlink_link(t->session->host, t->host_ifname, err);
	if (r == 0)
		r = remove_from_pod(t, err);
	t->link_left = r < 0;
	return r;
}

static int finish_ipam(void *subject, struct pw_error *err)
{
	struct teardown *t = subject;

	if (!t->ipam || t->call.phase == IPAM_IDLE || t->link_left)
		return 0;
	return ipam_end(&t->call, NULL, err);
}

static int remove_record(void *subject, struct pw_error *err)
{
	struct teardown *t = subject;
	int r = 0;

	if (t->failed.errnum || t->foreign || t->keep_record)
		return 0;
	if (t->session->records_fd >= 0)
		r = record_remove(t->session->records_fd, t->host_ifname, err);
	if (r == 0 && !t->keep_lock)
		session_lock_remove(t->session, t->host_ifname);
	return r;
}

int teardown_run(struct teardown *t, struct pw_error *err)
{
	static const struct step steps[] = {
		{ "del-ipam-start", start_ipam }, { "del-link", remove_link },
		{ "del-masq", sweep_masquerade }, { "del-conntrack", flush_conntrack },
		{ "del-ipam", finish_ipam },
	};
	static const struct step last = { "del-record", remove_record };
	struct pw_error one = {};

	t->call = IPAM_CALL_NONE;
	t->netfilter = NULL;
	t->link_left = !t->foreign && !t->no_link;
	t->failed = (struct pw_error){};
	(void)steps_run_all(steps, ARRAY_COUNT(steps), t, t->log, &t->failed);
	(void)steps_run_all(&last, 1, t, t->log, &one);
	ipam_call_done(&t->call);
	t->netfilter = nlsock_free(t->netfilter);

	pw_gather(&t->failed, &one);
	if (err && t->failed.errnum)
		*err = t->failed;
	return -t->failed.errnum;
}
