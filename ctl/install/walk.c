/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "install/walk.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "base/error.h"

#define LINKS_MAX 40 /* as in the kernel */
#define OTHERS_WRITE (S_IWGRP | S_IWOTH)

struct walk {
	int rootfd;          /* borrowed */
	int fd;              /* where we are */
	const char *path;    /* all of it, for messages */
	char left[PATH_MAX]; /* what is still to go */
	unsigned int links;
	bool create;
};

static void walk_done(struct walk *w)
{
	closep(&w->fd);
}

static int step_to(struct walk *w, int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	closep(&w->fd);
	w->fd = fd;
	return 0;
}

static int refuse(const struct walk *w, const struct stat *st, struct pw_error *err)
{
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return pw_fail(err, EPERM, PW_E_IO,
			       "%s: a directory on the way belongs to user %u: refused", w->path,
			       (unsigned int)st->st_uid);
	if ((st->st_mode & OTHERS_WRITE) && !(st->st_mode & S_ISVTX))
		return pw_fail(
			err, EPERM, PW_E_IO,
			"%s: a directory on the way is writable by others (mode %04o): refused",
			w->path, (unsigned int)(st->st_mode & 07777));
	return 0;
}

static int go_up(struct walk *w, struct pw_error *err)
{
	struct stat root, here;

	if (fstat(w->rootfd, &root) < 0 || fstat(w->fd, &here) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot stat %s: %m", w->path);
	if (root.st_dev == here.st_dev && root.st_ino == here.st_ino)
		return 0;
	if (step_to(w, w->fd, "..") < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open directory %s: %m", w->path);
	return 0;
}

/* What the link says goes in front of what is still to go. */
static int follow(struct walk *w, const char *name, const struct stat *here, struct pw_error *err)
{
	char target[PATH_MAX], left[PATH_MAX];
	ssize_t n;

	if (here->st_mode & OTHERS_WRITE)
		return pw_fail(err, ELOOP, PW_E_IO,
			       "%s: %s is a link in a directory that others may write to: refused",
			       w->path, name);
	if (++w->links > LINKS_MAX)
		return pw_fail(err, ELOOP, PW_E_IO, "%s: too many links", w->path);
	n = readlinkat(w->fd, name, target, sizeof(target) - 1);
	if (n < 0)
		return pw_fail(err, errno, PW_E_IO, "%s: cannot read link %s: %m", w->path, name);
	target[n] = '\0';
	if ((size_t)snprintf(left, sizeof(left), "%s/%s", target, w->left) >= sizeof(left))
		return pw_fail(err, ENAMETOOLONG, PW_E_IO, "cannot open directory %s: %m", w->path);
	memcpy(w->left, left, sizeof(left));
	if (target[0] == '/' && step_to(w, w->rootfd, ".") < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open directory %s: %m", w->path);
	return 0;
}

/* Goes to @name, which is "." and the like at times. */
static int go(struct walk *w, const char *name, struct pw_error *err)
{
	struct stat here, st;
	int r;

	if (fstat(w->fd, &here) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot stat %s: %m", w->path);
	r = refuse(w, &here, err);
	if (r < 0 || strcmp(name, ".") == 0)
		return r;
	if (strcmp(name, "..") == 0)
		return go_up(w, err);
	if (w->create && mkdirat(w->fd, name, 0755) < 0 && errno != EEXIST)
		return pw_fail(err, errno, PW_E_IO, "cannot create directory %s: %m", w->path);
	if (fstatat(w->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open directory %s: %m", w->path);
	if (S_ISLNK(st.st_mode))
		return follow(w, name, &here, err);
	if (step_to(w, w->fd, name) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open directory %s: %m", w->path);
	return 0;
}

static int walk_all(struct walk *w, struct pw_error *err)
{
	int r = 0;

	while (r == 0 && w->left[0]) {
		char name[PATH_MAX];
		size_t n = strcspn(w->left, "/");

		memcpy(name, w->left, n);
		name[n] = '\0';
		n += strspn(w->left + n, "/");
		memmove(w->left, w->left + n, strlen(w->left + n) + 1);
		if (name[0])
			r = go(w, name, err);
	}
	return r;
}

int walk_open_dir(int rootfd, const char *path, bool create, struct pw_error *err)
{
	_cleanup_(walk_done) struct walk w = {
		.rootfd = rootfd, .fd = -EBADF, .path = path, .create = create
	};
	struct stat st;
	int r, fd;

	if ((size_t)snprintf(w.left, sizeof(w.left), "%s", path) >= sizeof(w.left))
		return pw_fail(err, ENAMETOOLONG, PW_E_IO, "cannot open directory %s: %m", path);
	if (step_to(&w, rootfd, ".") < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open directory %s: %m", path);
	r = walk_all(&w, err);
	if (r < 0)
		return r;
	if (fstat(w.fd, &st) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot stat %s: %m", path);
	if (st.st_mode & OTHERS_WRITE)
		return pw_fail(err, EPERM, PW_E_IO, "%s is writable by others (mode %04o): refused",
			       path, (unsigned int)(st.st_mode & 07777));
	r = refuse(&w, &st, err);
	if (r < 0)
		return r;
	fd = openat(w.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open directory %s: %m", path);
	return fd;
}

int walk_open_file(int rootfd, const char *path)
{
	struct open_how how = {
		/* O_NONBLOCK: a FIFO in the file's place must not make us wait */
		.flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, rootfd, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}
