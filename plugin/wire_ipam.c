/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "wiring.h"

/* dhcp sends its requests through the link, so it can't run before there is one. */
static bool needs_link(const struct netconf *conf)
{
	return strcmp(conf->ipam_type, "dhcp") == 0;
}

/*
 * A process takes longer to start (a Go program: 2 ms and more) than everything that comes before
 * the record, so it starts first. Without its input it doesn't know whom to give an address, and
 * if we end before it gets that, it ends as well.
 */
int wire_ipam_start(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	const struct ipam_target target = { w->req->container_id, w->req->netns, w->req->ifname };

	if (!w->conf->ipam_type)
		return 0;
	return ipam_begin(&w->ipam, "ADD", &target, w->lock_fd, true, &w->call, err);
}

static int call_it(struct wiring *w, struct pw_error *err)
{
	w->ipam_called = true;
	return ipam_release(&w->call, err);
}

int wire_ipam_call(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;

	return w->conf->ipam_type && !needs_link(w->conf) ? call_it(w, err) : 0;
}

/* Without IPAM: the addresses that were asked for, if any; else the pod gets its link only. */
static int take_requested(struct wiring *w, struct pw_error *err)
{
	const struct array *list =
		w->conf->runtime_ips.n ? &w->conf->runtime_ips : &w->conf->args_ips;
	const struct cidr *ip = list->v;
	size_t n = list->n;
	struct result_ip *to;

	if (!n && w->req->args.ip.ip.family) {
		ip = &w->req->args.ip;
		n = 1;
	}
	if (!n)
		return 0;
	to = array_grow(&w->given.ips, sizeof(*to), n);
	if (!to)
		return pw_oom(err);
	for (size_t i = 0; i < n; i++)
		to[i] = (struct result_ip){ .interface = -1, .address = ip[i] };
	return 0;
}

static int take_result(struct wiring *w, struct pw_error *err)
{
	_cleanup_(json_object_putp) struct json_object *v = NULL;
	char what[96];
	int r = 0;

	snprintf(what, sizeof(what), "result of IPAM plugin %.64s", w->conf->ipam_type);
	w->ipam_ended = !ipam_listen(&w->call, &v);
	if (w->ipam_ended)
		r = ipam_end(&w->call, &v, err);
	if (r == 0)
		r = result_decode(v, w->call.spec, what, PW_E_IPAM, &w->given, err);
	if (r == 0 && w->given.ips.n == 0)
		r = pw_fail(err, EBADMSG, PW_E_IPAM, "IPAM plugin %s gave no address",
			    w->conf->ipam_type);
	return r;
}

int wire_ipam_wait(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	int r = 0;

	if (!w->conf->ipam_type)
		r = take_requested(w, err);
	else if (needs_link(w->conf))
		r = wire_pod_up(w, err);
	if (r == 0 && w->conf->ipam_type && needs_link(w->conf))
		r = wire_host_up(w, err);
	if (r == 0 && w->conf->ipam_type && needs_link(w->conf))
		r = call_it(w, err);
	if (r == 0 && w->conf->ipam_type)
		r = take_result(w, err);
	if (r == 0)
		r = plan_network(w->conf, &w->facts, &w->given, &w->plan, err);
	return r;
}

/* What printed a result may still fail. */
int wire_ipam_end(void *wiring, struct pw_error *err)
{
	_cleanup_(json_object_putp) struct json_object *same = NULL;
	struct wiring *w = wiring;

	if (!w->conf->ipam_type || w->ipam_ended)
		return 0;
	return ipam_end(&w->call, &same, err);
}
