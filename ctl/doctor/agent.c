/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent: alive, of our version, and what it says of pods and uplinks. */
#include "doctor/agent.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "client/client.h"
#include "doctor/doctor.h"
#include "doctor/root.h"
#include "store/agent_lock.h"

#define RESTART "systemctl status podwired; journalctl -u podwired"

/* 1: it runs, 0: not, and that has been said; or it isn't known, -errno. */
static int alive(struct doctor *d)
{
	_cleanup_(closep) int fd = root_find(d, d->options.ctl->runtime_dir);
	enum severity severity = d->facts.requires_agent ? SEVERITY_BROKEN : SEVERITY_WARNING;
	struct pw_error err = {};
	long down = fd < 0 ? fd : agent_lock_down_for(fd, &err);

	if (down == 0)
		return 1;
	if (down < 0 && down != -ENOENT)
		return (int)down;
	if (down < 0)
		doctor_say(d, severity, "agent-not-running",
			   "podwired has not run since boot: pods go the kernel's way%s",
			   d->facts.requires_agent ? ", and a network requires it" : "");
	else
		doctor_say(d, severity, "agent-not-running",
			   "podwired has been down for %ld s: pods go the kernel's way%s", down,
			   d->facts.requires_agent ? ", and a network requires it" : "");
	doctor_remedy(d, "systemctl start podwired; if it doesn't stay: " RESTART);
	return 0;
}

/* A few of one kind. */
struct some {
	size_t n;
	char text[400];
};

static void add(struct some *s, const char *name, const char *why, const char *detail)
{
	size_t len = strlen(s->text);

	s->n++;
	(void)snprintf(s->text + len, sizeof(s->text) - len, "%s%s (%s%s%s)", len ? ", " : "", name,
		       why, *detail ? ": " : "", detail);
}

static void say_some(struct doctor *d, const struct some *s, const char *id, const char *what,
		     const char *remedy)
{
	if (s->n == 0) {
		doctor_say(d, SEVERITY_OK, id, "no pods %s", what);
		return;
	}
	doctor_say(d, SEVERITY_WARNING, id, "%zu pods %s: %s", s->n, what, s->text);
	doctor_remedy(d, "%s", remedy);
}

static void pods(struct doctor *d, const struct agent_objects *objects)
{
	struct some failed = {}, lost = {};

	for (size_t i = 0; i < objects->n_attachments; i++) {
		const struct agent_attachment *a = &objects->attachments[i];

		if (strcmp(a->state, "failed") == 0)
			add(&failed, a->host_interface, a->reason, a->detail);
		else if (strcmp(a->state, "no-record") == 0)
			add(&lost, a->host_interface, a->reason, a->detail);
	}
	say_some(d, &failed, "pod-failed", "could not be given podwire's programs",
		 "journalctl -u podwired says more; recreate the pod once that is mended");
	say_some(d, &lost, "pod-no-record", "have no record that the agent can read",
		 "recreate the pod: the plugin writes its record anew");
}

static void uplink(struct doctor *d, const struct agent_device *u)
{
	bool failed = strcmp(u->state, "failed") == 0;

	if (!failed && strcmp(u->reason, "foreign") != 0) {
		doctor_say(d, SEVERITY_OK, "uplink-path", "uplink %s (%s): path %s%s%s%s%s",
			   u->name, *u->driver ? u->driver : "unknown driver", u->route,
			   *u->reason ? ", since " : "", u->reason, *u->detail ? ": " : "",
			   u->detail);
		return;
	}
	doctor_say(
		d, SEVERITY_WARNING, failed ? "uplink-failed" : "uplink-foreign",
		failed ? "uplink %s could not be given podwire's programs: %s, %s"
		       : "uplink %s has somebody else's programs, and gets none of podwire's: %s, "
			 "%s",
		u->name, u->reason, u->detail);
	doctor_remedy(d,
		      failed ? "journalctl -u podwired says more (%s)"
			     : "ip -d link show %s; tc filter show dev and bpftool net tell whose "
			       "it is: remove it if nobody needs it",
		      u->name);
}

void agent_judge_manager(struct doctor *d, const struct agent_manager *m)
{
	if (strcmp(m->version, PW_VERSION) == 0) {
		doctor_say(d, SEVERITY_OK, "agent-version-differs", "podwired is %s", m->version);
	} else {
		doctor_say(d, SEVERITY_WARNING, "agent-version-differs",
			   "podwired is of version %s, and podwirectl of %s", m->version,
			   PW_VERSION);
		doctor_remedy(d, "systemctl restart podwired");
	}
	if (m->without_slot) {
		doctor_say(d, SEVERITY_WARNING, "agent-no-slots",
			   "%u pods and uplinks have no slot of the %u: they go the kernel's way",
			   m->without_slot, m->slots);
		doctor_remedy(d, "fewer pods on this node");
	} else {
		doctor_say(d, SEVERITY_OK, "agent-no-slots", "%u of %u slots are free",
			   m->free_slots, m->slots);
	}
	doctor_say(d, SEVERITY_OK, "agent-lost-events",
		   "the agent lost events %llu times, and looked at everything anew %llu times",
		   (unsigned long long)m->lost_events, (unsigned long long)m->resyncs);
}

void agent_judge_objects(struct doctor *d, const struct agent_objects *objects)
{
	pods(d, objects);
	for (size_t i = 0; i < objects->n_devices; i++)
		uplink(d, &objects->devices[i]);
}

static int ask(struct doctor *d, struct pw_error *err)
{
	_cleanup_(client_freep) struct client *client = NULL;
	_cleanup_(agent_manager_done) struct agent_manager m = {};
	_cleanup_(agent_objects_done) struct agent_objects objects = {};
	struct ctl ctl = *d->options.ctl;
	char runtime_dir[512];
	int r;

	ctl.runtime_dir = root_path(d, ctl.runtime_dir, runtime_dir, sizeof(runtime_dir));
	r = client_open(&ctl, &client, err);
	if (r >= 0)
		r = client_manager(client, &m, err);
	if (r >= 0)
		r = client_objects(client, &objects, err);
	if (r < 0)
		return r;
	agent_judge_manager(d, &m);
	agent_judge_objects(d, &objects);
	return 0;
}

void check_agent(struct doctor *d)
{
	struct pw_error err = {};
	int running = alive(d), r;

	if (running == 0)
		return;
	r = ask(d, &err);
	if (r < 0 && running > 0) {
		doctor_say(d, SEVERITY_WARNING, "agent-unreachable",
			   "podwired runs, and doesn't answer: %s", err.msg);
		doctor_remedy(d, RESTART);
	} else if (r < 0) {
		doctor_say(d, SEVERITY_UNKNOWN, "agent-not-running",
			   "whether podwired runs can't be seen (%s), and it doesn't answer: %s",
			   strerror(-running), err.msg);
		doctor_remedy(d, "run podwirectl as root");
	} else {
		doctor_say(d, SEVERITY_OK, "agent-not-running", "podwired runs, and answers");
	}
}
