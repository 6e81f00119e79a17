/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "install/node.h"

#include <fcntl.h>
#include <sys/file.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "install/walk.h"

/* -EBADF: there's none, which is no fault. */
static int open_locked(int rootfd, const char *path, bool create, struct pw_error *err)
{
	_cleanup_(closep) int fd = walk_open_dir(rootfd, path, create, err);

	if (fd == -ENOENT && !create)
		return -EBADF;
	if (fd < 0)
		return fd;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return pw_fail(err, errno, PW_E_AGAIN,
			       "somebody else is installing or uninstalling in %s", path);
	return take_fd(fd);
}

int node_create_conf_dir(struct node *n, struct pw_error *err)
{
	if (n->conf_fd >= 0)
		return 0;
	n->conf_fd = open_locked(n->rootfd, n->places.conf_dir, true, err);
	return n->conf_fd < 0 ? n->conf_fd : 0;
}

int node_open(const char *root, const char *bin_dir, const char *conf_dir, struct node *ret,
	      struct pw_error *err)
{
	_cleanup_(node_done) struct node n = NODE_NONE;
	int r;

	n.rootfd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (n.rootfd < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open directory %s: %m", root);
	r = places_find(n.rootfd, bin_dir, conf_dir, &n.places, err);
	if (r < 0)
		return r;
	n.bin_fd = open_locked(n.rootfd, n.places.bin_dir, false, err);
	if (n.bin_fd < 0 && n.bin_fd != -EBADF)
		return n.bin_fd;
	n.conf_fd = open_locked(n.rootfd, n.places.conf_dir, false, err);
	if (n.conf_fd < 0 && n.conf_fd != -EBADF)
		return n.conf_fd;
	*ret = n;
	n = NODE_NONE;
	return 0;
}

void node_done(struct node *n)
{
	closep(&n->conf_fd);
	closep(&n->bin_fd);
	closep(&n->rootfd);
	*n = NODE_NONE;
}
