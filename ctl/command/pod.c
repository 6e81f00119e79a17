/* SPDX-License-Identifier: GPL-2.0-or-later */
/* podwirectl pod X: everything about one of the pods' interfaces. */
#include <errno.h>
#include <inttypes.h>

#include "client/client.h"
#include "command/arguments.h"
#include "command/commands.h"
#include "view/fields.h"
#include "view/json.h"
#include "view/text.h"

struct pod {
	char *path;
	struct agent_objects objects; /* one attachment */
	struct agent_statistics statistics;
	struct pw_error unread; /* why there are none */
};

static void pod_done(struct pod *pod)
{
	agent_statistics_done(&pod->statistics);
	agent_objects_done(&pod->objects);
	free(pod->path);
}

/* Counters that can't be read are no reason to keep back all the rest; an agent that is gone is. */
static int ask(struct client *client, const char *name, struct pod *pod, struct pw_error *err)
{
	int r = client_find(client, name, &pod->path, err);

	if (r >= 0)
		r = client_attachment(client, pod->path, &pod->objects, err);
	if (r < 0)
		return r;
	r = client_statistics(client, pod->path, AGENT_ATTACHMENT, &pod->statistics, &pod->unread);
	return r == -ENOTCONN || r == -ENOMEM ? pw_gather(err, &pod->unread) : 0;
}

static void add_counters(struct fields *f, const struct pod *pod)
{
	if (pod->unread.errnum)
		fields_addf(f, "Counters", "not readable: %s", pod->unread.msg);
	for (size_t i = 0; i < pod->statistics.n; i++) {
		const struct agent_counter *c = &pod->statistics.counters[i];

		fields_addf(f, c->name, "%" PRIu64, c->value);
	}
}

static int print_text(const struct ctl *ctl, const struct pod *pod, struct pw_error *err)
{
	const struct look look = look_of(ctl);
	const struct agent_attachment *a = pod->objects.attachments;
	_cleanup_(freep) char *addresses = text_join(a->addresses.v, a->addresses.n);
	_cleanup_(fields_done) struct fields f = {};

	fields_add(&f, "Namespace", PAINT_NONE, a->namespace);
	fields_add(&f, "Name", PAINT_NONE, a->name);
	fields_add(&f, "UID", PAINT_NONE, a->uid);
	fields_add(&f, "Container", PAINT_NONE, a->container_id);
	fields_add(&f, "Network", PAINT_NONE, a->network);
	fields_add(&f, "Interface", PAINT_NONE, a->interface);
	fields_addf(&f, "Host interface", "%s, index %" PRId32, a->host_interface, a->ifindex);
	fields_add(&f, "Addresses", PAINT_NONE, addresses);
	fields_add(&f, "State", paint_of_state(a->state), a->state);
	fields_add(&f, "Path", PAINT_NONE, a->route);
	fields_add(&f, "Reason", PAINT_NONE, a->reason);
	fields_add(&f, "Detail", PAINT_NONE, a->detail);
	fields_add(&f, "Source check", PAINT_NONE, a->source_check);
	add_counters(&f, pod);
	return fields_print(&f, &look, stdout) < 0 ? pw_oom(err) : 0;
}

/* "statistics" is null where there are none to read. */
static int print_json(const struct pod *pod, struct pw_error *err)
{
	struct json_object *v = json_object_new_object(), *list = json_object_new_array();
	struct json_object *one =
		json_of_properties(agent_attachment_properties, pod->objects.attachments);
	int r;

	if (pod->unread.errnum)
		r = one ? json_object_object_add(one, "statistics", NULL) : -ENOMEM;
	else
		r = jenc_add(one, "statistics", json_of_statistics(&pod->statistics));
	r |= jenc_append(list, one);
	r |= jenc_add(v, "attachments", list);
	if (r == 0)
		return json_print(v, stdout, err);
	json_object_put(v);
	return pw_oom(err);
}

int cmd_pod(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err)
{
	_cleanup_(client_freep) struct client *client = NULL;
	_cleanup_(pod_done) struct pod pod = {};
	int r = arguments_only(argc, argv, 1, err);

	if (r >= 0)
		r = client_open(ctl, &client, err);
	if (r >= 0)
		r = ask(client, argv[optind], &pod, err);
	if (r < 0)
		return r;
	return ctl->json ? print_json(&pod, err) : print_text(ctl, &pod, err);
}
