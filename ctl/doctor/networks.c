/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor/networks.h"

#include <stdio.h>
#include <string.h>

#include "json/jdec.h"
#include "net/name.h"

#define OURS "podwire"

void network_done(struct network *n)
{
	array_done(&n->plugins);
}

static const char *string_member(struct json_object *v, const char *key)
{
	struct json_object *member = jdec_member(v, key);

	return json_object_is_type(member, json_type_string) ? json_object_get_string(member) : "";
}

static int need(struct network *n, const char *name, bool ipam)
{
	struct network_plugin *p = n->plugins.v;

	if (!name_is_plugin(name) || strlen(name) >= sizeof(p->name))
		return 0; /* what a plugin's own validation finds */
	for (size_t i = 0; i < n->plugins.n; i++) {
		if (strcmp(p[i].name, name) == 0)
			return 0;
	}
	if (n->plugins.n == NETWORK_PLUGINS_MAX)
		return 0;
	p = array_grow(&n->plugins, sizeof(*p), 1);
	if (!p)
		return -ENOMEM;
	(void)snprintf(p->name, sizeof(p->name), "%s", name);
	p->ipam = ipam;
	return 0;
}

/* @type: where the object itself names none, as a delegate of flannel's */
static int take_plugin(struct json_object *v, const char *type, bool delegate, struct network *n)
{
	struct json_object *ipam = jdec_member(v, "ipam");
	const char *own = string_member(v, "type");
	int r = 0;

	if (*own)
		type = own;
	if (strcmp(type, OURS) == 0) {
		n->by_delegate = delegate && (!n->ours || n->by_delegate);
		n->ours = true;
		n->requires_agent |= json_object_get_boolean(jdec_member(v, "requireAgent"));
	}
	n->multus |= strcmp(type, "multus") == 0 || strcmp(type, "multus-shim") == 0;
	if (*type)
		r = need(n, type, false);
	if (r == 0 && ipam)
		r = need(n, string_member(ipam, "type"), true);
	return r;
}

static int take_delegates(struct json_object *v, struct network *n)
{
	struct json_object *one = jdec_member(v, "delegate");
	struct json_object *many = jdec_member(v, "delegates");
	int r = 0;

	if (strcmp(string_member(v, "type"), "flannel") == 0) {
		n->flannel = true;
		/* flannel's own default, and its addresses are always host-local's */
		r = take_plugin(one, "bridge", true, n);
		return r == 0 && !jdec_member(one, "ipam") ? need(n, "host-local", true) : r;
	}
	if (!json_object_is_type(many, json_type_array))
		return 0;
	for (size_t i = 0; i < json_object_array_length(many) && r == 0; i++) {
		struct json_object *network = json_object_array_get_idx(many, i);
		struct json_object *plugins = jdec_member(network, "plugins");

		if (!json_object_is_type(plugins, json_type_array)) {
			r = take_plugin(network, "", true, n);
			continue;
		}
		for (size_t k = 0; k < json_object_array_length(plugins) && r == 0; k++)
			r = take_plugin(json_object_array_get_idx(plugins, k), "", true, n);
	}
	return r;
}

int network_parse(const char *text, size_t len, const char *what, struct network *ret,
		  struct pw_error *err)
{
	_cleanup_(json_object_putp) struct json_object *v = NULL;
	_cleanup_(network_done) struct network n = {};
	struct json_object *plugins;
	int r;

	r = jdec_parse(text, len, what, &v, err);
	if (r < 0)
		return r;
	plugins = jdec_member(v, "plugins");
	if (json_object_is_type(plugins, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(plugins) && r == 0; i++) {
			struct json_object *plugin = json_object_array_get_idx(plugins, i);

			r = take_plugin(plugin, "", false, &n);
			if (r == 0)
				r = take_delegates(plugin, &n);
		}
	} else {
		r = take_plugin(v, "", false, &n);
		if (r == 0)
			r = take_delegates(v, &n);
	}
	if (r < 0)
		return pw_oom(err);
	if (n.plugins.n == 0)
		return pw_fail(err, EINVAL, PW_E_CONFIG, "%s names no plugin", what);
	*ret = n;
	n = (struct network){};
	return 0;
}
