/* SPDX-License-Identifier: GPL-2.0-or-later */
/* podwirectl cpus: a row for each that frames are spread over. */
#include <inttypes.h>

#include "client/client.h"
#include "command/arguments.h"
#include "command/commands.h"
#include "view/json.h"
#include "view/table.h"

static const struct column columns[] = { { "CPU", 0, 0 }, { "QUEUE", 0, 0 } };

static void add_number(struct table *t, uint32_t number)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%" PRIu32, number);
	table_add(t, text, PAINT_NONE);
}

static int print_table(const struct ctl *ctl, const struct array *cpus, struct pw_error *err)
{
	_cleanup_(table_done) struct table t = { columns, ARRAY_COUNT(columns), {}, false };
	const struct agent_cpu *v = cpus->v;
	const struct look look = look_of(ctl);

	for (size_t i = 0; i < cpus->n; i++) {
		add_number(&t, v[i].cpu);
		add_number(&t, v[i].queue);
	}
	return table_print(&t, &look, stdout) < 0 ? pw_oom(err) : 0;
}

static int print_json(const struct array *cpus, struct pw_error *err)
{
	struct json_object *v = json_object_new_object(), *list = json_object_new_array();
	const struct agent_cpu *all = cpus->v;
	int r = 0;

	for (size_t i = 0; r == 0 && i < cpus->n; i++) {
		struct json_object *one = json_object_new_object();

		r = jenc_int(one, "cpu", all[i].cpu);
		r |= jenc_int(one, "queue", all[i].queue);
		r |= jenc_append(list, one);
	}
	r |= jenc_add(v, "cpus", list);
	if (r == 0)
		return json_print(v, stdout, err);
	json_object_put(v);
	return pw_oom(err);
}

int cmd_cpus(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err)
{
	_cleanup_(client_freep) struct client *client = NULL;
	_cleanup_(array_done) struct array cpus = {};
	int r = arguments_only(argc, argv, 0, err);

	if (r >= 0)
		r = client_open(ctl, &client, err);
	if (r >= 0)
		r = client_cpus(client, &cpus, err);
	if (r < 0)
		return r;
	return ctl->json ? print_json(&cpus, err) : print_table(ctl, &cpus, err);
}
