/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DEL
 *
 * Works with whatever is left: without namespace, record, or either. What isn't known from the
 * record is taken from prevResult, and what isn't known at all is looked for by the host end's
 * name.
 */
#include <string.h>

#include "base/error.h"
#include "result.h"
#include "session.h"
#include "teardown.h"
#include "verb.h"

/* Addresses of the result of ADD that the runtime kept; one that can't be read says nothing. */
static int take_previous(const struct netconf *conf, struct array *addresses, struct pw_error *err)
{
	_cleanup_(result_done) struct result prev = {};
	const struct result_ip *ip;
	struct cidr *to;

	if (!conf->prev_result ||
	    result_decode(conf->prev_result, conf->spec, "prevResult", PW_E_CONFIG, &prev, NULL) <
		    0 ||
	    !prev.ips.n)
		return 0;
	to = array_grow(addresses, sizeof(*to), prev.ips.n);
	if (!to)
		return pw_oom(err);
	ip = prev.ips.v;
	for (size_t i = 0; i < prev.ips.n; i++)
		to[i] = ip[i].address;
	return 0;
}

static void use_record(struct teardown *t, const struct record *rec)
{
	if (!attachment_equal(&rec->id, &t->id)) {
		t->foreign = true;
		t->addresses = NULL;
		return;
	}
	t->record = rec;
	t->masqueraded = rec->ip_masq || t->masqueraded;
	if (rec->addresses.n)
		t->addresses = &rec->addresses;
}

static int take_down(struct call *call, struct session *s, const struct ipam *ipam,
		     bool keep_record, struct pw_error *err)
{
	_cleanup_(array_done) struct array previous = {};
	_cleanup_(record_done) struct record rec = {};
	_cleanup_(closep) int lock_fd = -EBADF;
	struct teardown t = {
		.ipam = ipam,
		.id = { call->conf.name, call->req.container_id, call->req.ifname },
		.netns = call->req.netns,
		.addresses = &previous,
		.masqueraded = call->conf.ip_masq,
		.keep_record = keep_record,
		.session = s,
		.log = call->log,
	};
	int r;

	attachment_host_ifname(&t.id, t.host_ifname);
	lock_fd = session_lock(s, t.host_ifname, err);
	if (lock_fd < 0)
		return lock_fd;
	t.lock_fd = lock_fd;

	r = take_previous(&call->conf, &previous, err);
	if (r < 0)
		return r;
	/* an unreadable record is as good as none, and goes */
	if (s->records_fd >= 0 && record_read(s->records_fd, t.host_ifname, &rec, NULL) > 0)
		use_record(&t, &rec);
	return teardown_run(&t, err);
}

int verb_del(struct call *call, struct json_object **ret, struct pw_error *err)
{
	_cleanup_(session_done) struct session s = SESSION_NONE;
	_cleanup_(ipam_done) struct ipam ipam = {};
	struct pw_error missing = {}, no_records = {};
	int r;

	(void)ret;
	if (call->conf.ipam_type)
		(void)ipam_init(&call->req, &call->conf, call->text, call->len, &ipam, &missing);
	r = session_open_anyway(&call->conf, &s, &no_records, err);
	if (r == 0)
		r = take_down(call, &s, ipam.path ? &ipam : NULL, missing.errnum, err);
	if (r < 0)
		return r;
	/* the rest is done, but the address is still taken, or a record is still there */
	pw_gather(&missing, &no_records);
	if (missing.errnum)
		*err = missing;
	return -missing.errnum;
}
