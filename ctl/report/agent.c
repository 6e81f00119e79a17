/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agent says of itself, of pods and of devices, with their counters. */
#include "client/client.h"
#include "json/jenc.h"
#include "report/report.h"
#include "view/json.h"

/* The pod's names aren't words to be found in a text: they may be anything. */
static struct json_object *attachment(struct report *report, const struct agent_attachment *a)
{
	struct agent_attachment copy = *a;

	copy.namespace = report_name(report, REDACT_NAMESPACE, a->namespace);
	copy.name = report_name(report, REDACT_POD, a->name);
	copy.uid = report_name(report, REDACT_UID, a->uid);
	copy.container_id = report_name(report, REDACT_CONTAINER, a->container_id);
	return json_of_properties(agent_attachment_properties, &copy);
}

static int add_statistics(struct client *client, const char *path, const char *interface,
			  struct json_object *to)
{
	_cleanup_(agent_statistics_done) struct agent_statistics statistics = {};
	struct pw_error err = {};

	/* gone in the meantime */
	if (client_statistics(client, path, interface, &statistics, &err) < 0)
		return jenc_string(to, "statisticsError", err.msg);
	return jenc_add(to, "statistics", json_of_statistics(&statistics));
}

static int add_attachments(struct report *report, struct client *client,
			   const struct agent_objects *objects, struct json_object *to)
{
	struct json_object *list = json_object_new_array();
	int r = 0;

	for (size_t i = 0; r == 0 && i < objects->n_attachments && i < REPORT_LIST_MAX; i++) {
		const struct agent_attachment *a = &objects->attachments[i];
		struct json_object *one = attachment(report, a);

		r |= add_statistics(client, a->path, AGENT_ATTACHMENT, one);
		r |= jenc_append(list, one);
	}
	if (objects->n_attachments > REPORT_LIST_MAX)
		report_omit(report, "%zu of %zu attachments",
			    objects->n_attachments - REPORT_LIST_MAX, objects->n_attachments);
	return jenc_add(to, "attachments", list) | r;
}

static int add_devices(struct report *report, struct client *client,
		       const struct agent_objects *objects, struct json_object *to)
{
	struct json_object *list = json_object_new_array();
	int r = 0;

	for (size_t i = 0; r == 0 && i < objects->n_devices && i < REPORT_LIST_MAX; i++) {
		const struct agent_device *d = &objects->devices[i];
		struct json_object *one = json_of_properties(agent_device_properties, d);

		r |= add_statistics(client, d->path, AGENT_DEVICE, one);
		r |= jenc_append(list, one);
	}
	if (objects->n_devices > REPORT_LIST_MAX)
		report_omit(report, "%zu of %zu devices", objects->n_devices - REPORT_LIST_MAX,
			    objects->n_devices);
	return jenc_add(to, "devices", list) | r;
}

static int add_all(struct report *report, struct client *client, struct json_object *to,
		   struct pw_error *err)
{
	_cleanup_(agent_manager_done) struct agent_manager manager = {};
	_cleanup_(agent_objects_done) struct agent_objects objects = {};
	int r = client_manager(client, &manager, err);

	if (r >= 0)
		r = client_objects(client, &objects, err);
	if (r < 0)
		return r;
	r = jenc_string(to, "via", client_via(client));
	r |= jenc_add(to, "manager", json_of_properties(agent_manager_properties, &manager));
	r |= add_attachments(report, client, &objects, to);
	r |= add_devices(report, client, &objects, to);
	return r < 0 ? pw_oom(err) : 0;
}

struct json_object *report_agent(struct report *report, const struct ctl *ctl)
{
	_cleanup_(client_freep) struct client *client = NULL;
	struct json_object *v = json_object_new_object();
	struct pw_error err = {};
	int r = client_open(ctl, &client, &err);

	if (r >= 0)
		r = add_all(report, client, v, &err);
	if (r < 0)
		report_omit(report, "what the agent knows: %s", err.msg);
	if (r == -ENOMEM || jenc_bool(v, "answers", r >= 0) < 0) {
		json_object_put(v);
		return NULL;
	}
	return v;
}
