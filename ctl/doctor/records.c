/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin's records and the node's ends of pods: each has the other. */
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "doctor/doctor.h"
#include "doctor/root.h"
#include "store/record.h"

/* How many of a kind, and the first of them. */
struct count {
	size_t n;
	char first[HOST_IFNAME_LEN];
	char why[512];
};

struct walk {
	struct doctor *d;
	char boot_id[BOOT_ID_LEN];
	struct count unreadable, stale, linkless;
};

static void count(struct count *c, const char *host_ifname, const char *why)
{
	if (c->n++ > 0)
		return;
	(void)snprintf(c->first, sizeof(c->first), "%s", host_ifname);
	(void)snprintf(c->why, sizeof(c->why), "%s", why);
}

static void take_facts(struct doctor_facts *facts, const struct record *rec)
{
	const struct cidr *address = rec->addresses.v;

	for (size_t i = 0; i < rec->addresses.n; i++)
		facts->pods[address[i].ip.family == AF_INET6] = true;
	facts->unchecked_pods |= !rec->options.source_check || rec->options.allowed_sources.n > 0;
	facts->records++;
}

static int take_record(const char *host_ifname, struct record *rec, const struct pw_error *why,
		       void *arg)
{
	struct walk *w = arg;

	if (!rec) {
		count(&w->unreadable, host_ifname, why->msg);
		return 0;
	}
	if (*w->boot_id && strcmp(rec->boot_id, w->boot_id) != 0) {
		count(&w->stale, host_ifname, "");
		return 0;
	}
	take_facts(&w->d->facts, rec);
	/* the record comes before the link */
	if (rec->state == RECORD_READY && if_nametoindex(host_ifname) == 0)
		count(&w->linkless, host_ifname, "");
	return 0;
}

static void say_kinds(struct doctor *d, const struct walk *w)
{
	if (w->unreadable.n) {
		doctor_say(d, SEVERITY_WARNING, "record-unreadable",
			   "%zu records can't be read, their pods get no fast path. The first: %s",
			   w->unreadable.n, w->unreadable.why);
		doctor_remedy(d, "recreate the pod; remove %s/attachments/%s.json if there is none",
			      d->options.state_dir, w->unreadable.first);
	}
	if (w->stale.n) {
		doctor_say(d, SEVERITY_WARNING, "record-stale",
			   "%zu records are from before the last boot, as %s: their addresses may "
			   "not have been released",
			   w->stale.n, w->stale.first);
		doctor_remedy(d,
			      "restart the container runtime, which has the plugin clean up (DEL, "
			      "or GC of CNI 1.1.0)");
	}
	if (w->linkless.n) {
		doctor_say(
			d, SEVERITY_WARNING, "record-without-link",
			"%zu records have no link, as %s: somebody removed it, and the pod has no "
			"network",
			w->linkless.n, w->linkless.first);
		doctor_remedy(d, "recreate the pod (its record has the name)");
	}
}

/* Links of ours that the plugin knows nothing of. */
static void links_without_record(struct doctor *d, int dirfd)
{
	struct if_nameindex *links = if_nameindex();
	struct count lost = {};

	for (struct if_nameindex *l = links; l && l->if_index; l++) {
		char file[IF_NAMESIZE + sizeof(".json")];

		if (!attachment_is_host_ifname(l->if_name))
			continue;
		(void)snprintf(file, sizeof(file), "%s.json", l->if_name);
		if (dirfd < 0 || faccessat(dirfd, file, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
			count(&lost, l->if_name, "");
	}
	if (links)
		if_freenameindex(links);
	if (lost.n == 0)
		return;
	doctor_say(d, SEVERITY_WARNING, "link-without-record",
		   "%zu links vethpw* have no record, as %s: their pods get no fast path", lost.n,
		   lost.first);
	doctor_remedy(
		d, "recreate the pod; if nothing uses it (ip -s link show %s): ip link delete %s",
		lost.first, lost.first);
}

void check_records(struct doctor *d)
{
	_cleanup_(closep) int fd = -EBADF;
	struct walk w = { .d = d };
	struct pw_error err = {};
	char dir[512];
	int r;

	(void)record_boot_id(w.boot_id, NULL);
	fd = record_open_dir(root_path(d, d->options.state_dir, dir, sizeof(dir)), false, &err);
	if (fd < 0 && fd != -ENOENT) {
		doctor_say(d, geteuid() == 0 ? SEVERITY_BROKEN : SEVERITY_UNKNOWN,
			   "state-dir-refused", "%s: records are not looked at: %s", dir, err.msg);
		doctor_remedy(d, "%s",
			      geteuid() == 0 ? "chown root: and chmod go-w for that directory"
					     : "run podwirectl as root");
		return;
	}
	r = fd < 0 ? 0 : record_each(fd, take_record, &w, &err);
	if (r < 0)
		doctor_say(d, SEVERITY_UNKNOWN, "state-dir-refused", "%s", err.msg);
	say_kinds(d, &w);
	links_without_record(d, fd);
	doctor_say(d, SEVERITY_OK, "records", "%zu pods' interfaces have a record of this boot",
		   d->facts.records);
}
