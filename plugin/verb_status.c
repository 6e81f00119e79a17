/* SPDX-License-Identifier: GPL-2.0-or-later */
/* STATUS: can an ADD be served, and are pods that are there connected? */
#include <string.h>

#include "base/error.h"
#include "forwarding.h"
#include "ipam.h"
#include "session.h"
#include "store/agent_lock.h"
#include "store/record.h"
#include "verb.h"

#define AGENT_GRACE_S 60 /* an agent that restarts isn't a node that is down */

/* What needs the agent says so itself; pods work without it. */
static int check_agent(const struct call *call, const struct session *s, struct pw_error *err)
{
	long down;

	if (!call->conf.require_agent)
		return 0;
	down = agent_lock_down_for(s->runtime_fd, err);
	if (down == -ENOENT)
		return pw_fail(
			err, ENOTCONN, PW_E_UNAVAILABLE,
			"the node agent has not run since boot, and the network requires it");
	if (down > AGENT_GRACE_S)
		return pw_fail(
			err, ENOTCONN, PW_E_UNAVAILABLE,
			"the node agent has been down for %ld s, and the network requires it",
			down);
	return down < 0 ? (int)down : 0;
}

/*
 * Which families the pods that are here have. Records of before a reboot don't count: forwarding is
 * off then until the next ADD, and a node that says that it is limited would never get one.
 */
struct families {
	char boot_id[BOOT_ID_LEN];
	bool used[2];
};

static int note_families(const char *host_ifname, struct record *rec, const struct pw_error *why,
			 void *arg)
{
	struct families *f = arg;
	const struct cidr *address;

	(void)host_ifname;
	(void)why;
	if (!rec || strcmp(rec->boot_id, f->boot_id) != 0)
		return 0;
	address = rec->addresses.v;
	for (size_t i = 0; i < rec->addresses.n; i++)
		f->used[address[i].ip.family == AF_INET6] = true;
	return f->used[0] && f->used[1]; /* positive: goes on all the same */
}

static int check_forwarding(const struct session *s, struct pw_error *err)
{
	struct families f = {};
	int r;

	if (s->records_fd < 0)
		return 0;
	r = record_boot_id(f.boot_id, err);
	if (r == 0)
		r = record_each(s->records_fd, note_families, &f, err);
	if (r < 0)
		return r;
	r = forwarding_is_on(s->host, f.used, err);
	if (r == 0)
		return pw_fail(err, ENETDOWN, PW_E_LIMITED,
			       "forwarding was switched off, and there are pods that need it");
	return r < 0 ? r : 0;
}

static int check_ipam(const struct call *call, struct pw_error *err)
{
	_cleanup_(ipam_done) struct ipam ipam = {};
	const struct ipam_target nobody = { "", "", "" };
	int r;

	if (!call->conf.ipam_type)
		return 0;
	r = ipam_init(&call->req, &call->conf, call->text, call->len, &ipam, err);
	if (r < 0) {
		err->code = PW_E_UNAVAILABLE;
		return r;
	}
	r = ipam_is_current(&ipam, err);
	if (r < 0)
		return r;
	if (r == 0) {
		(void)fprintf(call->notes, "podwire: IPAM plugin %s has no STATUS: not asked\n",
			      call->conf.ipam_type);
		return 0;
	}
	return ipam_run(&ipam, "STATUS", &nobody, -EBADF, NULL, err);
}

int verb_status(struct call *call, struct json_object **ret, struct pw_error *err)
{
	_cleanup_(session_done) struct session s = SESSION_NONE;
	int r;

	(void)ret;
	r = session_open(&call->conf, false, &s, err);
	if (r < 0) {
		err->code = PW_E_UNAVAILABLE;
		return r;
	}
	r = check_forwarding(&s, err);
	if (r == 0)
		r = check_agent(call, &s, err);
	if (r == 0)
		r = check_ipam(call, err);
	return r;
}
