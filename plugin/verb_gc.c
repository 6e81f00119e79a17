/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GC: what the runtime no longer knows goes. Only records of this network in this very config are
 * touched: another runtime on the node may have a network of the same name, and its pods aren't
 * in our list. A call without a list says nothing and removes nothing.
 */
#include <string.h>

#include "base/error.h"
#include "ipam.h"
#include "rtnl/link.h"
#include "session.h"
#include "teardown.h"
#include "verb.h"

struct collection {
	struct call *call;
	struct session *s;
	const struct ipam *ipam;
	char digest[DIGEST_LEN], boot_id[BOOT_ID_LEN];
	struct pw_error first;
	size_t failures;
};

static bool is_valid(const struct netconf *conf, const struct attachment *id)
{
	const struct valid_attachment *valid = conf->valid_attachments.v;

	for (size_t i = 0; i < conf->valid_attachments.n; i++) {
		if (strcmp(valid[i].container_id, id->container_id) == 0 &&
		    strcmp(valid[i].ifname, id->ifname) == 0)
			return true;
	}
	return false;
}

/* Under its lock, and as it is then: an ADD may have replaced what we read. */
static int take_down(struct collection *c, const struct record *seen, struct pw_error *err)
{
	_cleanup_(closep) int lock_fd = session_lock(c->s, seen->host_ifname, err);
	_cleanup_(record_done) struct record rec = {};
	struct teardown t;
	int r;

	if (lock_fd < 0)
		return lock_fd;
	r = record_read(c->s->records_fd, seen->host_ifname, &rec, err);
	if (r <= 0 || rec.state != seen->state || !mac_equal(&rec.pod_mac, &seen->pod_mac))
		return r < 0 ? r : 0;

	t = (struct teardown){
		.ipam = c->ipam,
		.id = rec.id,
		.netns = "", /* the path may be another's by now */
		.record = &rec,
		.addresses = &rec.addresses,
		.masqueraded = rec.ip_masq,
		.session = c->s,
		.lock_fd = lock_fd,
		.log = c->call->log,
	};
	memcpy(t.host_ifname, rec.host_ifname, strlen(rec.host_ifname) + 1);
	return teardown_run(&t, err);
}

/*
 * What can't be read names nobody, and nobody is missing from it when its link is gone too. One of
 * a newer version is somebody's all the same.
 */
static void clear_unreadable(struct collection *c, const char *host_ifname,
			     const struct pw_error *why)
{
	_cleanup_(closep) int lock_fd = -EBADF;
	struct link_info link;
	bool removed = false;

	if (why->errnum != EPROTONOSUPPORT && link_find(c->s->host, host_ifname, &link, NULL) == 0)
		lock_fd = session_lock(c->s, host_ifname, NULL);
	if (lock_fd >= 0) {
		removed = record_remove(c->s->records_fd, host_ifname, NULL) == 0;
		session_lock_remove(c->s, host_ifname);
	}
	(void)fprintf(c->call->notes,
		      removed ? "podwire: %s: removed, as there is no link of it\n"
			      : "podwire: %s: left alone\n",
		      why->msg);
}

static int collect(const char *host_ifname, struct record *rec, const struct pw_error *why,
		   void *arg)
{
	struct collection *c = arg;
	struct pw_error err = {};

	if (!rec) {
		clear_unreadable(c, host_ifname, why);
		return 0;
	}
	if (strcmp(rec->id.network, c->call->conf.name) != 0 || is_valid(&c->call->conf, &rec->id))
		return 0;
	/* of before a reboot: no pod of it can be alive, whoever's network it is */
	if (strcmp(rec->config_digest, c->digest) != 0 && strcmp(rec->boot_id, c->boot_id) == 0) {
		(void)fprintf(c->call->notes,
			      "podwire: %s: is of a network of this name with another config: "
			      "left alone\n",
			      host_ifname);
		return 0;
	}
	if (take_down(c, rec, &err) < 0) {
		pw_context(&err, "attachment %s %s", rec->id.container_id, rec->id.ifname);
		pw_gather(&c->first, &err);
		c->failures++;
		(void)fprintf(c->call->notes, "podwire: %s\n", err.msg);
	}
	return 0;
}

/* An IPAM plugin that has GC also finds what no record of ours speaks of. */
static void pass_on(struct collection *c)
{
	const struct ipam_target nobody = { "", "", "" };
	struct pw_error err = {};
	int r;

	r = ipam_is_current(c->ipam, &err);
	if (r > 0)
		r = ipam_run(c->ipam, "GC", &nobody, -EBADF, NULL, &err);
	if (r < 0) {
		pw_gather(&c->first, &err);
		c->failures++;
	}
}

int verb_gc(struct call *call, struct json_object **ret, struct pw_error *err)
{
	_cleanup_(session_done) struct session s = SESSION_NONE;
	_cleanup_(ipam_done) struct ipam ipam = {};
	struct collection c = { .call = call, .s = &s };
	int r = 0;

	(void)ret;
	if (!call->conf.has_valid_attachments) {
		(void)fprintf(call->notes, "podwire: GC without cni.dev/valid-attachments: "
					   "nothing is removed\n");
		return 0;
	}
	if (call->conf.ipam_type)
		r = ipam_init(&call->req, &call->conf, call->text, call->len, &ipam, err);
	if (r == 0)
		r = netconf_digest(&call->conf, c.digest, err);
	if (r == 0)
		r = record_boot_id(c.boot_id, err);
	if (r == 0)
		r = session_open(&call->conf, false, &s, err);
	if (r < 0)
		return r;

	c.ipam = ipam.path ? &ipam : NULL;
	if (s.records_fd >= 0) {
		r = record_each(s.records_fd, collect, &c, err);
		if (r < 0)
			return r;
	}
	if (c.ipam)
		pass_on(&c);
	if (c.failures) {
		*err = c.first;
		if (c.failures > 1)
			pw_details(err, "and %zu more that failed", c.failures - 1);
	}
	return -c.first.errnum;
}
