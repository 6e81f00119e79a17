/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sink/pins.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/cleanup.h"
#include "base/error.h"

#define PREFIX "layout-"
#define MOVING "-new" /* (no dots: bpffs keeps names with dots for itself) */

DEFINE_CLEANUP(DIR *, closedir);

static int make_dir(const char *path, struct pw_error *err)
{
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return pw_fail(err, errno, PW_E_IO, "cannot make directory %s: %m", path);
	return 0;
}

static int check_fs(const char *path, struct pw_error *err)
{
	struct statfs fs;

	if (statfs(path, &fs) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot look at %s: %m", path);
	if (fs.f_type != BPF_FS_MAGIC)
		return pw_fail(err, ENOTDIR, PW_E_IO,
			       "%s is not on a bpf file system (mount -t bpf bpf /sys/fs/bpf)",
			       path);
	return 0;
}

/* Everything in @fd, and in its directories if @depth is left; @path is for the message. */
static int empty(int fd, const char *path, int depth, struct pw_error *err)
{
	_cleanup_(closedirp) DIR *d = fdopendir(fcntl(fd, F_DUPFD_CLOEXEC, 3));
	struct dirent *de;
	int r = 0;

	if (!d)
		return pw_fail(err, errno, PW_E_IO, "cannot read directory %s: %m", path);
	while (r == 0 && (de = readdir(d))) {
		_cleanup_(closep) int sub = -EBADF;

		if (strcmp(de->d_name, ".") == 0 || strcmp(de->d_name, "..") == 0)
			continue;
		sub = openat(fd, de->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub >= 0 && depth > 0)
			r = empty(sub, path, depth - 1, err);
		if (r == 0 && unlinkat(fd, de->d_name, sub >= 0 ? AT_REMOVEDIR : 0) < 0 &&
		    errno != ENOENT)
			r = pw_fail(err, errno, PW_E_IO, "cannot remove %s/%s: %m", path,
				    de->d_name);
	}
	return r;
}

int pins_remove(const char *dir, struct pw_error *err)
{
	_cleanup_(closep) int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open directory %s: %m", dir);
	r = empty(fd, dir, 1, err);
	if (r == 0 && rmdir(dir) < 0)
		r = pw_fail(err, errno, PW_E_IO, "cannot remove %s: %m", dir);
	return r;
}

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcmp(name + n - m, end) == 0;
}

int pins_each(const char *dir, int (*each)(const char *name, void *arg, struct pw_error *err),
	      void *arg, struct pw_error *err)
{
	_cleanup_(closedirp) DIR *d = opendir(dir);
	struct dirent *de;
	int r = 0;

	if (!d && errno == ENOENT)
		return 0;
	if (!d)
		return pw_fail(err, errno, PW_E_IO, "cannot read directory %s: %m", dir);
	while (r == 0 && (de = readdir(d))) {
		if (de->d_name[0] != '.')
			r = each(de->d_name, arg, err);
	}
	return r;
}

static int path_below(const char *root, const char *name, char path[PATH_MAX], struct pw_error *err)
{
	if ((size_t)snprintf(path, PATH_MAX, "%s/%s", root, name) >= PATH_MAX)
		return pw_fail(err, ENAMETOOLONG, PW_E_IO, "%s/%s: %m", root, name);
	return 1;
}

/* The path of a layout's directory: 1; 0: the name is of something else. */
static int layout_path(const char *root, const char *name, char path[PATH_MAX],
		       struct pw_error *err)
{
	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return 0;
	return path_below(root, name, path, err);
}

/* A move that was never done goes; its links are pinned in what it moved from as well. */
static int sort_out(const char *name, void *arg, struct pw_error *err)
{
	struct pins *p = arg;
	char path[PATH_MAX];
	int r = layout_path(p->root, name, path, err);

	if (r <= 0)
		return r;
	if (ends_in(name, MOVING))
		return pins_remove(path, err);
	if (strcmp(path, p->now) != 0)
		(void)snprintf(p->old, sizeof(p->old), "%s", path);
	return 0;
}

int pins_open(const char *bpffs, unsigned int layout, struct pins *ret, struct pw_error *err)
{
	char links[PATH_MAX + 8];
	struct stat st;
	int r;

	*ret = (struct pins){};
	if ((size_t)snprintf(ret->root, sizeof(ret->root), "%s", bpffs) >= sizeof(ret->root))
		return pw_fail(err, ENAMETOOLONG, PW_E_IO, "%s: %m", bpffs);
	(void)snprintf(ret->now, sizeof(ret->now), "%s/" PREFIX "%u", ret->root, layout);
	r = make_dir(bpffs, err);
	if (r == 0)
		r = check_fs(bpffs, err);
	if (r == 0)
		r = pins_each(bpffs, sort_out, ret, err);
	if (r < 0)
		return r;
	/* both there: the move was done, but for the end of the old one */
	ret->fresh = stat(ret->now, &st) < 0;
	if (!ret->fresh && *ret->old) {
		r = pins_remove(ret->old, err);
		*ret->old = '\0';
	}
	if (r == 0 && ret->fresh)
		(void)snprintf(ret->now, sizeof(ret->now), "%s/" PREFIX "%u" MOVING, ret->root,
			       layout);
	if (r == 0)
		r = make_dir(ret->now, err);
	(void)snprintf(links, sizeof(links), "%s/links", ret->now);
	return r < 0 ? r : make_dir(links, err);
}

int pins_settle(struct pins *p, unsigned int layout, struct pw_error *err)
{
	char lasting[PATH_MAX];

	if (!p->fresh)
		return 0;
	(void)snprintf(lasting, sizeof(lasting), "%s/" PREFIX "%u", p->root, layout);
	if (rename(p->now, lasting) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot rename %s: %m", p->now);
	memcpy(p->now, lasting, sizeof(p->now));
	p->fresh = false;
	return *p->old ? pins_remove(p->old, err) : 0;
}

static int remove_one(const char *name, void *arg, struct pw_error *err)
{
	char path[PATH_MAX];
	int r = layout_path(arg, name, path, err);

	if (r == 0 && strcmp(name, PINS_CLSACT) == 0)
		r = path_below(arg, name, path, err);
	return r <= 0 ? r : pins_remove(path, err);
}

int pins_remove_all(const char *bpffs, struct pw_error *err)
{
	int r = pins_each(bpffs, remove_one, (void *)bpffs, err);

	/* a mount point of ours stays, as does what isn't empty */
	if (r == 0)
		(void)rmdir(bpffs);
	return r;
}
