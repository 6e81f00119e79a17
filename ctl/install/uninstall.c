/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "install/beside.h"
#include "install/install.h"
#include "install/node.h"
#include "install/plugin.h"
#include "install/put.h"
#include "install/say.h"
#include "install/walk.h"
#include "store/record.h"

struct work {
	const struct uninstall *un;
	struct say *say;
	struct node node;
};

static void work_done(struct work *w)
{
	node_done(&w->node);
}

static int remove_file(struct work *w, int dirfd, const char *name, const char *what,
		       const char *path, const char *why, struct pw_error *err)
{
	if (unlinkat(dirfd, name, 0) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot remove %s: %m", path);
	if (fsync(dirfd) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot sync the directory of %s: %m", path);
	w->say->changed = true;
	say(w->say, what, path, "removed", why ? "%s" : NULL, why);
	return 0;
}

/* One that was changed by hand is removed as well: it would have a plugin called that is gone. */
static int remove_network(struct work *w, struct pw_error *err)
{
	char path[PATH_MAX + sizeof(CONFLIST_NAME)];
	_cleanup_(freep) char *text = NULL;
	enum conflist_kind kind;
	size_t len;
	int r = -ENOENT;

	(void)snprintf(path, sizeof(path), "%s/" CONFLIST_NAME, w->node.places.conf_dir);
	if (w->node.conf_fd >= 0) {
		put_abandon(w->node.conf_fd, CONFLIST_NAME);
		r = file_read_at(w->node.conf_fd, CONFLIST_NAME, CONFLIST_MAX, &text, &len, err);
	}
	if (r == -ENOENT) {
		say(w->say, "network", path, "absent", NULL);
		return 0;
	}
	if (r < 0)
		return pw_context(err, "%s", w->node.places.conf_dir);
	kind = conflist_judge(text, len);
	if (kind == CONFLIST_FOREIGN) {
		say(w->say, "network", path, "left", "as it is no network of podwire's");
		return 0;
	}
	return remove_file(w, w->node.conf_fd, CONFLIST_NAME, "network", path,
			   kind == CONFLIST_CHANGED ? "which had been changed by hand" : NULL, err);
}

static int remove_uplink_xdp(struct work *w, struct pw_error *err)
{
	_cleanup_(closep) int dir = walk_open_dir(w->node.rootfd, UPLINK_XDP_DIR, false, NULL);
	_cleanup_(freep) char *text = NULL;
	size_t len;

	if (dir < 0 || file_read_at(dir, UPLINK_XDP_NAME, CONFLIST_MAX, &text, &len, NULL) < 0 ||
	    strcmp(text, UPLINK_XDP_TEXT) != 0)
		return 0;
	return remove_file(w, dir, UPLINK_XDP_NAME, "agent", UPLINK_XDP_DIR "/" UPLINK_XDP_NAME,
			   NULL, err);
}

static int count(const char *host_ifname, struct record *rec, const struct pw_error *why, void *arg)
{
	(void)host_ifname;
	(void)rec;
	(void)why;
	++*(size_t *)arg;
	return 0;
}

static int count_attachments(struct work *w, size_t *ret, struct pw_error *err)
{
	_cleanup_(closep) int dir = -EBADF;
	char path[PATH_MAX];

	*ret = 0;
	if ((size_t)snprintf(path, sizeof(path), "%s/attachments", w->un->state_dir) >=
	    sizeof(path))
		return pw_fail(err, ENAMETOOLONG, PW_E_IO, "%.60s: %m", w->un->state_dir);
	dir = walk_open_dir(w->node.rootfd, path, false, err);
	if (dir == -ENOENT)
		return 0;
	return dir < 0 ? dir : record_each(dir, count, ret, err);
}

/* Who still has the plugin called: pods that will have to be taken down, another network. */
static int check_users(struct work *w, const char *path, struct pw_error *err)
{
	char name[NAME_MAX + 1];
	size_t n;
	int r;

	r = count_attachments(w, &n, err);
	if (r < 0)
		return r;
	if (n > 0)
		return pw_fail(err, EBUSY, PW_E_IO,
			       "%s stays: %zu attachment%s of pods need%s it to be taken down. "
			       "Remove the pods, then run this again (--force removes it now)",
			       path, n, n == 1 ? "" : "s", n == 1 ? "s" : "");
	r = w->node.conf_fd < 0 ? 0 : beside_find_user(w->node.conf_fd, name, sizeof(name), err);
	if (r > 0)
		return pw_fail(err, EBUSY, PW_E_IO,
			       "%s stays: %s/%s still names it (--force removes it all the same)",
			       path, w->node.places.conf_dir, name);
	return r;
}

static int remove_plugin(struct work *w, struct pw_error *err)
{
	char path[PATH_MAX + sizeof(PLUGIN_NAME)];
	enum plugin_place there = PLUGIN_ABSENT;
	int r = 0;

	(void)snprintf(path, sizeof(path), "%s/" PLUGIN_NAME, w->node.places.bin_dir);
	if (w->node.bin_fd >= 0) {
		put_abandon(w->node.bin_fd, PLUGIN_NAME);
		r = plugin_look(w->node.bin_fd, w->node.places.bin_dir, NULL, &there, err);
	}
	if (r < 0)
		return r;
	switch (there) {
	case PLUGIN_ABSENT:
		say(w->say, "plugin", path, "absent", NULL);
		return 0;
	case PLUGIN_FOREIGN:
		say(w->say, "plugin", path, "left",
		    "as it is a link, or doesn't say that it's podwire");
		return 0;
	case PLUGIN_PACKAGED:
		say(w->say, "plugin", path, "left", "as it is the package's");
		return 0;
	case PLUGIN_SAME:
	case PLUGIN_OTHER:
		break;
	}
	r = w->un->force ? 0 : check_users(w, path, err);
	return r < 0 ? r : remove_file(w, w->node.bin_fd, PLUGIN_NAME, "plugin", path, NULL, err);
}

int uninstall_run(const struct uninstall *un, struct say *say_to, struct pw_error *err)
{
	_cleanup_(work_done) struct work w = { .un = un, .say = say_to, .node = NODE_NONE };
	int r;

	r = node_open(un->root, un->bin_dir, un->conf_dir, &w.node, err);
	if (r == 0)
		r = remove_network(&w, err);
	if (r == 0)
		r = remove_uplink_xdp(&w, err);
	if (r == 0)
		r = remove_plugin(&w, err);
	return r;
}
