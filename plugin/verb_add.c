/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ADD
 *
 * The steps in the order in which they happen. The record is there before the first thing that
 * could be left over, and everything that can be left over is found again through it. IPAM's
 * process starts before that, but isn't told what for; it gives its address while the link is made.
 * Whatever fails, what was done is undone and the first error
 * is the one that is reported.
 */
#include <string.h>

#include "base/error.h"
#include "netlink/sock.h"
#include "report.h"
#include "steps.h"
#include "teardown.h"
#include "verb.h"
#include "wiring.h"

static int take_lock(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;

	w->lock_fd = session_lock(&w->session, w->plan.host_ifname, err);
	return w->lock_fd < 0 ? w->lock_fd : 0;
}

static int gather_facts(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	int r;

	r = record_boot_id(w->boot_id, err);
	if (r == 0)
		r = netconf_digest(w->conf, w->digest, err);
	if (r == 0)
		r = facts_gather(w->session.host, w->conf, &w->facts, err);
	if (r == 0)
		r = plan_links(w->req, w->conf, &w->facts, &w->plan, err);
	return r;
}

static void describe_teardown(struct wiring *w, const struct record *rec, struct teardown *t)
{
	*t = (struct teardown){
		.ipam = w->ipam.path ? &w->ipam : NULL,
		.id = { w->conf->name, w->req->container_id, w->req->ifname },
		.netns = w->req->netns,
		.record = rec,
		.addresses = rec ? &rec->addresses : NULL,
		.masqueraded = rec ? rec->ip_masq : w->conf->ip_masq,
		.keep_lock = true,
		.session = &w->session,
		.lock_fd = w->lock_fd,
		.log = w->log,
	};
	memcpy(t->host_ifname, w->plan.host_ifname, sizeof(t->host_ifname));
}

/*
 * A record of this attachment, whose interface isn't in the pod: an ADD was killed, and no DEL
 * came. What it left goes before anything new is made.
 */
static int clear_leftover(void *wiring, struct pw_error *err)
{
	_cleanup_(record_done) struct record rec = {};
	struct wiring *w = wiring;
	const struct attachment id = { w->conf->name, w->req->container_id, w->req->ifname };
	struct teardown t;
	int r;

	r = record_read(w->session.records_fd, w->plan.host_ifname, &rec, NULL);
	if (r == 0)
		return 0;
	if (r > 0 && !attachment_equal(&rec.id, &id))
		return pw_fail(err, EEXIST, PW_E_AGAIN,
			       "host interface %s belongs to container %s of network %s: "
			       "their names collide, another container id won't",
			       w->plan.host_ifname, rec.id.container_id, rec.id.network);
	describe_teardown(w, r > 0 ? &rec : NULL, &t);
	return teardown_run(&t, err);
}

static const struct step add_steps[] = {
	{ "lock", take_lock },
	{ "pod-socket", wire_pod_socket },
	{ "ipam-start", wire_ipam_start },
	{ "facts", gather_facts },
	{ "leftover", clear_leftover },
	{ "record", wire_record },
	{ "ipam-call", wire_ipam_call },
	{ "link", wire_link },
	{ "ipam-wait", wire_ipam_wait },
	{ "forwarding", wire_forwarding },
	{ "pod-sysctl", wire_pod_sysctl },
	{ "pod-address", wire_pod_address },
	{ "pod-up", wire_pod_up },
	{ "pod-neighbour", wire_pod_neighbour },
	{ "pod-route", wire_pod_route },
	{ "host-config", wire_host_config },
	{ "masq", wire_masq },
	{ "host-up", wire_host_up },
	{ "host-address", wire_host_address },
	{ "host-neighbour", wire_host_neighbour },
	{ "host-route", wire_host_route },
	{ "announce", wire_announce },
	{ "carrier", wire_carrier },
	{ "record-prepare", wire_record_prepare },
	{ "ipam-end", wire_ipam_end },
	{ "record-ready", wire_record_ready },
};

/* No errors of its own: what failed first is what counts, and a DEL will come. */
static int take_back(struct wiring *w)
{
	struct teardown t;

	/* an IPAM that is still at it must come to its end before it can be told to forget */
	if (w->ipam_called && w->call.child.pid > 0)
		(void)ipam_end(&w->call, NULL, NULL);

	describe_teardown(w, &w->record, &t);
	t.addresses = &w->plan.addresses;
	t.masqueraded = w->masqueraded;
	t.no_link = !w->link_made;
	if (!w->ipam_called)
		t.ipam = NULL;
	return teardown_run(&t, NULL);
}

/* The lock's file goes last, unless there is an attachment (an older one, even) that has it. */
static void undo(struct wiring *w)
{
	_cleanup_(record_done) struct record rec = {};
	int r;

	if (w->lock_fd < 0)
		return;
	if (w->recorded)
		r = take_back(w);
	else
		r = record_read(w->session.records_fd, w->plan.host_ifname, &rec, NULL);
	if (r != 0)
		return;
	session_lock_remove(&w->session, w->plan.host_ifname);
}

static int prepare(struct call *call, struct wiring *w, struct pw_error *err)
{
	const struct attachment id = { w->conf->name, w->req->container_id, w->req->ifname };
	int r;

	w->netns_fd = session_pod_netns(w->req, err);
	if (w->netns_fd < 0)
		return w->netns_fd;
	if (w->conf->ipam_type) {
		r = ipam_init(w->req, w->conf, call->text, call->len, &w->ipam, err);
		if (r < 0)
			return r;
	}
	attachment_host_ifname(&id, w->plan.host_ifname);
	return session_open(w->conf, true, &w->session, err);
}

int verb_add(struct call *call, struct json_object **ret, struct pw_error *err)
{
	_cleanup_(result_done) struct result prev = {};
	_cleanup_(wiring_done) struct wiring w = WIRING_NONE;
	int r = 0;

	w.req = &call->req;
	w.conf = &call->conf;
	w.log = call->log;
	if (w.conf->prev_result)
		r = result_decode(w.conf->prev_result, w.conf->spec, "prevResult", PW_E_CONFIG,
				  &prev, err);
	if (r == 0)
		r = prepare(call, &w, err);
	if (r == 0)
		r = steps_run(add_steps, ARRAY_COUNT(add_steps), &w, call->log, err);
	if (r == 0)
		r = report_add(&w, &prev, ret, err);
	if (r < 0)
		undo(&w);
	return r;
}
