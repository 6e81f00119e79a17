/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "install/install.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "install/beside.h"
#include "install/node.h"
#include "install/plugin.h"
#include "install/put.h"
#include "install/say.h"
#include "install/walk.h"
#include "json/jdec.h"

struct work {
	const struct install *in;
	struct say *say;
	struct node node;
	struct plugin plugin;
	enum plugin_place there; /* in the plugin's place */
	int staged;              /* the plugin beside its place, to try it; -EBADF: not needed */
	char *text;              /* the network that there will be; NULL: none of ours */
	size_t len;
	bool write; /* @text is new */
	char plugin_path[PATH_MAX + sizeof(PLUGIN_NAME)];
	char conflist_path[PATH_MAX + sizeof(CONFLIST_NAME)];
};

static void work_done(struct work *w)
{
	/* where it has taken its place there's nothing to abandon */
	if (w->staged >= 0)
		put_abandon(w->node.bin_fd, PLUGIN_NAME);
	closep(&w->staged);
	plugin_done(&w->plugin);
	node_done(&w->node);
	free(w->text);
}

static int render(struct work *w, struct pw_error *err)
{
	if (w->in->n_pods == 0)
		return pw_fail(err, EINVAL, PW_E_ENV,
			       "--pod-cidr is missing: the prefix of this node's pods");
	w->text = conflist_render(w->in->pods, w->in->n_pods);
	if (!w->text)
		return pw_oom(err);
	w->len = strlen(w->text);
	w->write = true;
	return 0;
}

static int keep(struct work *w, char *old, size_t len, const char *why)
{
	free(w->text);
	w->text = old;
	w->len = len;
	w->write = false;
	say(w->say, "network", w->conflist_path, "kept", why ? "%s" : NULL, why);
	return 0;
}

static int choose_over(struct work *w, char **old, size_t len, struct pw_error *err)
{
	enum conflist_kind kind = conflist_judge(*old, len);
	int r;

	if (kind == CONFLIST_FOREIGN && !w->in->force)
		return pw_fail(err, EEXIST, PW_E_IO,
			       "%s is no network of podwire's: --force replaces it",
			       w->conflist_path);
	if (w->in->n_pods == 0 && kind != CONFLIST_FOREIGN)
		return keep(w, take_ptr(*old), len, NULL);
	r = render(w, err);
	if (r < 0)
		return r;
	if (w->len == len && memcmp(w->text, *old, len) == 0)
		return keep(w, take_ptr(*old), len, "already as it should be");
	if (kind == CONFLIST_CHANGED && !w->in->force)
		return keep(w, take_ptr(*old), len,
			    "since it was changed by hand: --force replaces it");
	return 0;
}

/* Which network there will be. */
static int choose_network(struct work *w, struct pw_error *err)
{
	_cleanup_(freep) char *old = NULL;
	size_t len;
	int r;

	if (w->in->plugin_only)
		return 0;
	if (w->node.conf_fd < 0)
		return render(w, err);
	r = file_read_at(w->node.conf_fd, CONFLIST_NAME, CONFLIST_MAX, &old, &len, err);
	if (r == -ENOENT)
		return render(w, err);
	if (r < 0)
		return pw_context(err, "%s", w->node.places.conf_dir);
	return choose_over(w, &old, len, err);
}

/* All that can be wrong with the node is found before anything is written. */
static int check_node(struct work *w, struct pw_error *err)
{
	_cleanup_(json_object_putp) struct json_object *v = NULL;
	int r;

	if (w->node.bin_fd < 0)
		return pw_fail(err, ENOENT, PW_E_IO,
			       "there is no directory %s: install the CNI plugins (Debian: "
			       "containernetworking-plugins) or name their directory by --bin-dir",
			       w->node.places.bin_dir);
	r = choose_network(w, err);
	if (r == 0 && w->text)
		r = jdec_parse(w->text, w->len, CONFLIST_NAME, &v, err);
	if (r == 0 && !w->in->plugin_only && w->node.conf_fd >= 0)
		r = beside_check_first(w->node.conf_fd, w->node.places.conf_dir, w->say, err);
	if (r == 0)
		r = beside_check(w->node.rootfd, w->node.places.bin_dir, v, err);
	if (r == 0)
		r = plugin_look(w->node.bin_fd, w->node.places.bin_dir, &w->plugin, &w->there, err);
	if (r == 0 && w->there == PLUGIN_FOREIGN && !w->in->force)
		return pw_fail(
			err, EEXIST, PW_E_IO,
			"%s is a link, or doesn't say that it's podwire: --force replaces it",
			w->plugin_path);
	return r;
}

static bool needs_plugin(const struct work *w)
{
	return w->there != PLUGIN_SAME && w->there != PLUGIN_PACKAGED;
}

/* The plugin runs from where it will be, and has nothing against the network. */
static int try_plugin(struct work *w, struct pw_error *err)
{
	int fd = w->plugin.fd;

	if (needs_plugin(w) && !w->in->dry_run) {
		w->staged = put_prepare(w->node.bin_fd, PLUGIN_NAME, w->plugin.data, w->plugin.len,
					0755, err);
		if (w->staged < 0)
			return pw_context(err, "%s", w->node.places.bin_dir);
		fd = w->staged;
	}
	if (!plugin_answers(fd, w->plugin.path))
		return pw_fail(err, EINVAL, PW_E_IO,
			       "%s does not run here, or doesn't say that it's podwire",
			       w->plugin.path);
	return w->text ? plugin_validate(fd, w->plugin.path, w->text, w->len, err) : 0;
}

static int put_plugin(struct work *w, struct pw_error *err)
{
	const char *done = w->in->dry_run ? "would be written" : "written";
	int r;

	if (!needs_plugin(w)) {
		say(w->say, "plugin", w->plugin_path, "kept",
		    w->there == PLUGIN_SAME ? "already as it should be" : "as it is the package's");
		return 0;
	}
	if (!w->in->dry_run) {
		r = put_commit(w->node.bin_fd, PLUGIN_NAME, err);
		if (r < 0)
			return r;
	}
	w->say->changed = true;
	say(w->say, "plugin", w->plugin_path, done, "from %s", w->plugin.path);
	return 0;
}

static int write_file(int dirfd, const char *name, const char *text, size_t len,
		      struct pw_error *err)
{
	_cleanup_(closep) int fd = put_prepare(dirfd, name, text, len, 0644, err);

	return fd < 0 ? fd : put_commit(dirfd, name, err);
}

static int put_uplink_xdp(struct work *w, struct pw_error *err)
{
	static const char path[] = UPLINK_XDP_DIR "/" UPLINK_XDP_NAME;
	_cleanup_(closep) int dir = -EBADF;
	_cleanup_(freep) char *old = NULL;
	size_t len;
	int r;

	if (!w->in->uplink_xdp)
		return 0;
	dir = walk_open_dir(w->node.rootfd, UPLINK_XDP_DIR, !w->in->dry_run, err);
	if (dir >= 0 && file_read_at(dir, UPLINK_XDP_NAME, CONFLIST_MAX, &old, &len, NULL) == 0 &&
	    strcmp(old, UPLINK_XDP_TEXT) == 0) {
		say(w->say, "agent", path, "kept", "already as it should be");
		return 0;
	}
	w->say->changed = true;
	if (w->in->dry_run) {
		say(w->say, "agent", path, "would be written", NULL);
		return 0;
	}
	r = dir < 0 ? dir
		    : write_file(dir, UPLINK_XDP_NAME, UPLINK_XDP_TEXT, strlen(UPLINK_XDP_TEXT),
				 err);
	if (r == 0)
		say(w->say, "agent", path, "written", "which it reads at its start or reload");
	return r;
}

static int put_network(struct work *w, struct pw_error *err)
{
	int r;

	if (!w->write)
		return 0;
	w->say->changed = true;
	if (w->in->dry_run) {
		say(w->say, "network", w->conflist_path, "would be written", NULL);
		return 0;
	}
	r = node_create_conf_dir(&w->node, err);
	if (r == 0)
		r = write_file(w->node.conf_fd, CONFLIST_NAME, w->text, w->len, err);
	if (r < 0)
		return pw_context(err, "%s", w->node.places.conf_dir);
	say(w->say, "network", w->conflist_path, "written", NULL);
	return 0;
}

static void say_places(const struct work *w)
{
	const struct places *p = &w->node.places;

	say(w->say, "bin-dir", p->bin_dir, "taken", "%s%s", p->bin_from,
	    p->imports && !w->in->bin_dir ? ", whose imports were not looked at" : "");
	if (!w->in->plugin_only)
		say(w->say, "conf-dir", p->conf_dir, "taken", "%s", p->conf_from);
}

int install_run(const struct install *in, struct say *say_to, struct pw_error *err)
{
	_cleanup_(work_done) struct work w = {
		.in = in, .say = say_to, .node = NODE_NONE, .plugin = PLUGIN_NONE, .staged = -EBADF
	};
	int r;

	r = node_open(in->root, in->bin_dir, in->conf_dir, &w.node, err);
	if (r < 0)
		return r;
	(void)snprintf(w.plugin_path, sizeof(w.plugin_path), "%s/" PLUGIN_NAME,
		       w.node.places.bin_dir);
	(void)snprintf(w.conflist_path, sizeof(w.conflist_path), "%s/" CONFLIST_NAME,
		       w.node.places.conf_dir);
	say_places(&w);
	r = plugin_open(in->plugin, &w.plugin, err);
	if (r == 0)
		r = check_node(&w, err);
	if (r == 0)
		r = try_plugin(&w, err);
	if (r == 0)
		r = put_plugin(&w, err);
	if (r == 0)
		r = put_uplink_xdp(&w, err);
	if (r == 0)
		r = put_network(&w, err);
	return r;
}
