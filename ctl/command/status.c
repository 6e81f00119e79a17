/* SPDX-License-Identifier: GPL-2.0-or-later */
/* podwirectl status: the agent, and how its pods and devices fare, in a dozen lines. */
#include <inttypes.h>

#include "client/client.h"
#include "command/arguments.h"
#include "command/commands.h"
#include "view/fields.h"
#include "view/json.h"
#include "view/tally.h"
#include "view/text.h"

/* Of attachments or of devices. */
struct counts {
	size_t n;
	struct tally states, paths, reasons;
};

struct status {
	struct agent_manager manager;
	struct agent_objects objects;
	struct counts pods, devices;
};

static void count(struct counts *counts, const char *state, const char *route, const char *reason)
{
	counts->n++;
	tally_add(&counts->states, state);
	tally_add(&counts->paths, route);
	tally_add(&counts->reasons, reason);
}

static void counts_done(struct counts *counts)
{
	tally_done(&counts->states);
	tally_done(&counts->paths);
	tally_done(&counts->reasons);
}

static void status_done(struct status *s)
{
	counts_done(&s->pods);
	counts_done(&s->devices);
	agent_objects_done(&s->objects);
	agent_manager_done(&s->manager);
}

static int ask(struct client *client, struct status *s, struct pw_error *err)
{
	int r = client_manager(client, &s->manager, err);

	if (r >= 0)
		r = client_objects(client, &s->objects, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < s->objects.n_attachments; i++) {
		const struct agent_attachment *a = &s->objects.attachments[i];

		count(&s->pods, a->state, a->route, a->reason);
	}
	for (size_t i = 0; i < s->objects.n_devices; i++) {
		const struct agent_device *d = &s->objects.devices[i];

		count(&s->devices, d->state, d->route, d->reason);
	}
	return 0;
}

/* "3 (1 failed, 2 ready)", and below it how their packets go. */
static void add_counts(struct fields *f, const char *label, struct counts *counts)
{
	_cleanup_(freep) char *states = tally_text(&counts->states);
	_cleanup_(freep) char *paths = tally_text(&counts->paths);
	_cleanup_(freep) char *reasons = tally_text(&counts->reasons);

	if (!states || !paths || !reasons) {
		f->failed = true;
		return;
	}
	if (counts->n == 0) {
		fields_add(f, label, PAINT_NONE, "none");
		return;
	}
	fields_addf(f, label, "%zu (%s)", counts->n, states);
	fields_addf(f, "by path", "%s", paths);
	if (*reasons)
		fields_addf(f, "by reason", "%s", reasons);
}

static int print_text(const struct ctl *ctl, const struct client *client, struct status *s,
		      struct pw_error *err)
{
	const struct look look = look_of(ctl);
	const struct agent_manager *m = &s->manager;
	_cleanup_(freep) char *features = text_join(m->features.v, m->features.n);
	_cleanup_(freep) char *cpus = text_ranges(m->cpus.v, m->cpus.n);
	_cleanup_(fields_done) struct fields f = {};

	fields_addf(&f, "Agent", "podwired %s, on %s", m->version, client_via(client));
	fields_add(&f, "Kernel", PAINT_NONE, m->kernel);
	fields_add(&f, "Features", PAINT_NONE, features);
	add_counts(&f, "Pods", &s->pods);
	add_counts(&f, "Devices", &s->devices);
	fields_addf(&f, "Slots", "%u of %u free", m->free_slots, m->slots);
	if (m->without_slot)
		fields_addf(&f, "without", "%u go the kernel's way until one is free",
			    m->without_slot);
	fields_add(&f, "CPUs", PAINT_NONE, cpus);
	fields_addf(&f, "Resyncs", "%" PRIu64 ", for lost events: %" PRIu64, m->resyncs,
		    m->lost_events);
	return fields_print(&f, &look, stdout) < 0 ? pw_oom(err) : 0;
}

static struct json_object *json_of_counts(struct counts *counts)
{
	struct json_object *v = json_object_new_object();
	int r = jenc_int(v, "count", (int64_t)counts->n);

	r |= jenc_add(v, "states", tally_json(&counts->states));
	r |= jenc_add(v, "paths", tally_json(&counts->paths));
	r |= jenc_add(v, "pathReasons", tally_json(&counts->reasons));
	if (r == 0)
		return v;
	json_object_put(v);
	return NULL;
}

static int print_json(struct status *s, struct pw_error *err)
{
	struct json_object *v = json_object_new_object(), *counts = json_object_new_object();
	int r = jenc_add(counts, "attachments", json_of_counts(&s->pods));

	r |= jenc_add(counts, "devices", json_of_counts(&s->devices));
	r |= jenc_add(v, "agent", json_of_properties(agent_manager_properties, &s->manager));
	r |= jenc_add(v, "counts", counts);
	if (r == 0)
		return json_print(v, stdout, err);
	json_object_put(v);
	return pw_oom(err);
}

int cmd_status(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err)
{
	_cleanup_(client_freep) struct client *client = NULL;
	_cleanup_(status_done) struct status s = {};
	int r = arguments_only(argc, argv, 0, err);

	if (r >= 0)
		r = client_open(ctl, &client, err);
	if (r >= 0)
		r = ask(client, &s, err);
	if (r < 0)
		return r;
	return ctl->json ? print_json(&s, err) : print_text(ctl, client, &s, err);
}
