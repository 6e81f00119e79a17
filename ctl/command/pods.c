/* SPDX-License-Identifier: GPL-2.0-or-later */
/* podwirectl pods: a row for each of the pods' interfaces. */
#include <stdio.h>
#include <string.h>

#include "client/client.h"
#include "command/arguments.h"
#include "command/commands.h"
#include "view/json.h"
#include "view/table.h"
#include "view/text.h"

struct options {
	const char *namespace; /* NULL: all */
	bool names;
};

/* What a terminal of 80 columns has room for comes first. */
static const struct column columns[] = {
	{ "NAMESPACE", 0, 9 },    { "NAME", 0, 24 },          { "ADDRESSES", 0, 10 },
	{ "STATE", 0, 0 },        { "PATH", 0, 0 },           { "REASON", 0, 0 },
	{ "INTERFACE", 1, 0 },    { "HOST-INTERFACE", 2, 0 }, { "NETWORK", 3, 0 },
	{ "SOURCE-CHECK", 4, 0 }, { "CONTAINER", 5, 12 },
};

static int parse(int argc, char *argv[], struct options *ret, struct pw_error *err)
{
	static const struct option known[] = {
		{ "namespace", required_argument, NULL, 'n' },
		{ "names", no_argument, NULL, 'l' },
		{},
	};
	int c = arguments_next(argc, argv, ":n:", known, true, err);

	*ret = (struct options){};
	for (; c >= 0; c = arguments_next(argc, argv, ":n:", known, false, err)) {
		if (c == 'n')
			ret->namespace = optarg;
		else
			ret->names = true;
	}
	return c < -1 ? c : arguments_count(argc, argv, 0, err);
}

static bool is_wanted(const struct options *options, const struct agent_attachment *a)
{
	return !options->namespace || strcmp(a->namespace, options->namespace) == 0;
}

/* Without the prefix's length, which says nothing of a pod. */
static char *addresses_of(const struct agent_attachment *a)
{
	_cleanup_(freep) char *all = text_join(a->addresses.v, a->addresses.n);
	char *to = all;

	for (const char *s = all; s && *s; s++) {
		if (*s == '/')
			s += strspn(s + 1, "0123456789");
		else
			*to++ = *s;
	}
	if (all)
		*to = '\0';
	return take_ptr(all);
}

static void add_row(struct table *t, const struct agent_attachment *a)
{
	_cleanup_(freep) char *addresses = addresses_of(a);

	table_add(t, a->namespace, PAINT_NONE);
	/* what "pod" finds it by where there's no room for more */
	table_add(t, *a->name ? a->name : a->host_interface, PAINT_NONE);
	table_add(t, addresses, PAINT_NONE);
	table_add(t, a->state, paint_of_state(a->state));
	table_add(t, a->route, PAINT_NONE);
	table_add(t, a->reason, PAINT_NONE);
	table_add(t, a->interface, PAINT_NONE);
	table_add(t, a->host_interface, PAINT_NONE);
	table_add(t, a->network, PAINT_NONE);
	table_add(t, a->source_check, PAINT_NONE);
	table_add(t, a->container_id, PAINT_NONE);
}

static int print_table(const struct ctl *ctl, const struct agent_objects *objects,
		       const struct options *options, struct pw_error *err)
{
	_cleanup_(table_done) struct table t = { columns, ARRAY_COUNT(columns), {}, false };
	const struct look look = look_of(ctl);

	for (size_t i = 0; i < objects->n_attachments; i++) {
		if (is_wanted(options, &objects->attachments[i]))
			add_row(&t, &objects->attachments[i]);
	}
	return table_print(&t, &look, stdout) < 0 ? pw_oom(err) : 0;
}

/* Whether a shell's words can carry it, and a terminal shows it as it is. */
static bool is_plain(const char *s)
{
	for (; *s; s++) {
		if (*s <= ' ' || *s > '~' || strchr("\"'`$\\&;|<>()*?[]!{}~#", *s))
			return false;
	}
	return true;
}

static bool same_pod(const struct agent_attachment *a, const struct agent_attachment *b)
{
	return strcmp(a->namespace, b->namespace) == 0 && strcmp(a->name, b->name) == 0;
}

/*
 * What "pod" takes, a line each, for completion: a pod's name, or the host interface of what has
 * none, or whose name is shared.
 */
static void print_name(const struct agent_objects *objects, size_t i)
{
	const struct agent_attachment *v = objects->attachments, *a = &v[i];
	bool shared = (i > 0 && same_pod(a, &v[i - 1])) ||
		      (i + 1 < objects->n_attachments && same_pod(a, &v[i + 1]));

	if (*a->namespace && *a->name && !shared && is_plain(a->namespace) && is_plain(a->name))
		(void)printf("%s/%s\n", a->namespace, a->name);
	else if (is_plain(a->host_interface))
		(void)printf("%s\n", a->host_interface);
}

static int print_json(const struct agent_objects *objects, const struct options *options,
		      struct pw_error *err)
{
	struct json_object *v = json_object_new_object(), *list = json_object_new_array();
	int r = 0;

	for (size_t i = 0; r == 0 && i < objects->n_attachments; i++) {
		const struct agent_attachment *a = &objects->attachments[i];

		if (is_wanted(options, a))
			r = jenc_append(list, json_of_properties(agent_attachment_properties, a));
	}
	r |= jenc_add(v, "attachments", list);
	if (r == 0)
		return json_print(v, stdout, err);
	json_object_put(v);
	return pw_oom(err);
}

static int print(const struct ctl *ctl, const struct agent_objects *objects,
		 const struct options *options, struct pw_error *err)
{
	if (!options->names)
		return ctl->json ? print_json(objects, options, err)
				 : print_table(ctl, objects, options, err);
	for (size_t i = 0; i < objects->n_attachments; i++) {
		if (is_wanted(options, &objects->attachments[i]))
			print_name(objects, i);
	}
	return 0;
}

int cmd_pods(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err)
{
	_cleanup_(client_freep) struct client *client = NULL;
	_cleanup_(agent_objects_done) struct agent_objects objects = {};
	struct options options;
	int r = parse(argc, argv, &options, err);

	if (r >= 0)
		r = client_open(ctl, &client, err);
	if (r >= 0)
		r = client_objects(client, &objects, err);
	return r < 0 ? r : print(ctl, &objects, &options, err);
}
