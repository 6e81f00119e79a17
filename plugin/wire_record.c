/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "netlink/sock.h"
#include "wiring.h"
static void describe(struct wiring *w, enum record_state state)
{
	const struct cni_args *args = &w->req->args;

	w->record = (struct record){
		.state = state,
		.boot_id = w->boot_id,
		.config_digest = w->digest,
		.id = { w->conf->name, w->req->container_id, w->req->ifname },
		.netns = w->req->netns,
		.host_ifname = w->plan.host_ifname,
		.pod_namespace = args->pod_namespace,
		.pod_name = args->pod_name,
		.pod_uid = args->pod_uid,
		.pod_mac = w->plan.pod_mac,
		.host_mac = w->plan.host_mac,
		.addresses = w->plan.addresses, /* borrowed: never released from here */
		.ip_masq = w->conf->ip_masq,
		.masq_exclude = w->plan.masq_exclude, /* likewise */
		.options = w->conf->options,          /* likewise */
	};
	w->record.options.mtu = w->plan.mtu;
}

int wire_record(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	describe(w, RECORD_ADDING);
	w->recorded = true;
	return record_write(w->session.records_fd, &w->record, err);
}

/* All but the rename, so that nothing but that is left once the last has ended. */
int wire_record_prepare(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;

	describe(w, RECORD_READY);
	return record_prepare(w->session.records_fd, &w->record, err);
}

int wire_record_ready(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;

	return record_commit(w->session.records_fd, w->plan.host_ifname, err);
}

void wiring_done(struct wiring *w)
{
	ipam_call_done(&w->call);
	ipam_done(&w->ipam);
	plan_done(&w->plan);
	result_done(&w->given);
	array_done(&w->neighbourhoods);
	nlsock_free(w->pod);
	closep(&w->netns_fd);
	session_done(&w->session);
	closep(&w->lock_fd); /* last: with it the attachment is another's to touch */
	*w = WIRING_NONE;
}
