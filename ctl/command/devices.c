/* SPDX-License-Identifier: GPL-2.0-or-later */
/* podwirectl devices: a row for each uplink. */
#include "client/client.h"
#include "command/arguments.h"
#include "command/commands.h"
#include "view/json.h"
#include "view/table.h"

/* FRAMES: whether it takes those that an XDP program of another device redirects to it. */
static const struct column columns[] = {
	{ "NAME", 0, 0 },   { "KIND", 0, 0 },  { "DRIVER", 0, 8 },
	{ "STATE", 0, 0 },  { "PATH", 0, 0 },  { "REASON", 0, 0 },
	{ "FRAMES", 1, 0 }, { "INDEX", 2, 0 }, { "DETAIL", 3, 20 },
};

static void add_row(struct table *t, const struct agent_device *d)
{
	char index[16];

	(void)snprintf(index, sizeof(index), "%d", (int)d->ifindex);
	table_add(t, d->name, PAINT_NONE);
	table_add(t, d->kind, PAINT_NONE);
	table_add(t, d->driver, PAINT_NONE);
	table_add(t, d->state, paint_of_state(d->state));
	table_add(t, d->route, PAINT_NONE);
	table_add(t, d->reason, PAINT_NONE);
	table_add(t, d->can_take_frames ? "yes" : "no", PAINT_NONE);
	table_add(t, index, PAINT_NONE);
	table_add(t, d->detail, PAINT_NONE);
}

static int print_table(const struct ctl *ctl, const struct agent_objects *objects,
		       struct pw_error *err)
{
	_cleanup_(table_done) struct table t = { columns, ARRAY_COUNT(columns), {}, false };
	const struct look look = look_of(ctl);

	for (size_t i = 0; i < objects->n_devices; i++)
		add_row(&t, &objects->devices[i]);
	return table_print(&t, &look, stdout) < 0 ? pw_oom(err) : 0;
}

static int print_json(const struct agent_objects *objects, struct pw_error *err)
{
	struct json_object *v = json_object_new_object(), *list = json_object_new_array();
	int r = 0;

	for (size_t i = 0; r == 0 && i < objects->n_devices; i++)
		r = jenc_append(list,
				json_of_properties(agent_device_properties, &objects->devices[i]));
	r |= jenc_add(v, "devices", list);
	if (r == 0)
		return json_print(v, stdout, err);
	json_object_put(v);
	return pw_oom(err);
}

int cmd_devices(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err)
{
	_cleanup_(client_freep) struct client *client = NULL;
	_cleanup_(agent_objects_done) struct agent_objects objects = {};
	int r = arguments_only(argc, argv, 0, err);

	if (r >= 0)
		r = client_open(ctl, &client, err);
	if (r >= 0)
		r = client_objects(client, &objects, err);
	if (r < 0)
		return r;
	return ctl->json ? print_json(&objects, err) : print_table(ctl, &objects, err);
}
