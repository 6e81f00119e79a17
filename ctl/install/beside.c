/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "install/beside.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "install/conflist.h"
#include "install/say.h"
#include "install/walk.h"
#include "json/jdec.h"

struct plugins {
	int rootfd;
	const char *dir;
	struct pw_error *err;
};

int beside_find(int rootfd, const char *dir, const char *name)
{
	_cleanup_(closep) int fd = -EBADF;
	char path[PATH_MAX];
	struct stat st;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >= sizeof(path))
		return -ENAMETOOLONG;
	fd = walk_open_file(rootfd, path);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	return (st.st_mode & S_IXUSR) ? 0 : -EACCES;
}

static int check_one(const char *type, void *arg)
{
	const struct plugins *p = arg;
	int r;

	if (strcmp(type, "podwire") == 0)
		return 0;
	r = beside_find(p->rootfd, p->dir, type);
	if (r == 0)
		return 0;
	if (r == -ENOENT || r == -ENOTDIR)
		return pw_fail(p->err, ENOENT, PW_E_IO,
			       "there is no %s in %s, and pods need it: install the CNI plugins "
			       "(Debian: containernetworking-plugins) or name their directory by "
			       "--bin-dir",
			       type, p->dir);
	if (r == -EACCES || r == -EINVAL)
		return pw_fail(p->err, EACCES, PW_E_IO, "%s/%s is not an executable file", p->dir,
			       type);
	return pw_fail(p->err, -r, PW_E_IO, "cannot open %s/%s: %m", p->dir, type);
}

int beside_check(int rootfd, const char *dir, struct json_object *v, struct pw_error *err)
{
	struct plugins p = { .rootfd = rootfd, .dir = dir, .err = err };
	int r = check_one("loopback", &p);

	return r < 0 ? r : conflist_types(v, check_one, &p);
}

static int is_network(const struct dirent *entry)
{
	return entry->d_type != DT_DIR && conflist_is_name(entry->d_name);
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

struct networks {
	struct dirent **v;
	int n;
};

static void networks_done(struct networks *all)
{
	for (int i = 0; i < all->n; i++)
		free(all->v[i]);
	free(all->v);
}

static int networks_list(int dirfd, struct networks *ret, struct pw_error *err)
{
	ret->n = scandirat(dirfd, ".", &ret->v, is_network, by_bytes);
	if (ret->n < 0) {
		int saved = errno;

		*ret = (struct networks){};
		return pw_fail(err, saved, PW_E_IO, "cannot list the networks: %m");
	}
	return 0;
}

/* What is in such a file, a link or not; NULL where it can't be read or is no JSON. */
static struct json_object *read_network(int dirfd, const char *name)
{
	_cleanup_(closep) int fd = openat(dirfd, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	_cleanup_(freep) char *text = NULL;
	struct json_object *v = NULL;
	struct stat st;
	size_t len;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    file_read_fd(fd, name, CONFLIST_MAX, &text, &len, NULL) < 0)
		return NULL;
	(void)jdec_parse(text, len, name, &v, NULL);
	return v;
}

static bool is_multus(int dirfd, const char *name)
{
	_cleanup_(json_object_putp) struct json_object *v = read_network(dirfd, name);

	return conflist_names(v, "multus") || conflist_names(v, "multus-shim");
}

int beside_check_first(int dirfd, const char *dir, struct say *say_to, struct pw_error *err)
{
	_cleanup_(networks_done) struct networks all = {};
	int r = networks_list(dirfd, &all, err);

	for (int i = 0; r == 0 && i < all.n; i++) {
		const char *name = all.v[i]->d_name;
		char path[PATH_MAX];

		if (strcmp(name, CONFLIST_NAME) >= 0)
			break;
		if (is_multus(dirfd, name)) {
			(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
			say(say_to, "network", path, "left",
			    "Multus calls other networks, and must call \"pods\"");
			continue;
		}
		r = pw_fail(err, EEXIST, PW_E_IO,
			    "%s/%s sorts before " CONFLIST_NAME ", and runtimes take the first: "
			    "rename it to %s.disabled, then run this again",
			    dir, name, name);
	}
	return r;
}

int beside_find_user(int dirfd, char *ret, size_t size, struct pw_error *err)
{
	_cleanup_(networks_done) struct networks all = {};
	int r = networks_list(dirfd, &all, err);

	for (int i = 0; r == 0 && i < all.n; i++) {
		_cleanup_(json_object_putp) struct json_object *v = NULL;

		if (strcmp(all.v[i]->d_name, CONFLIST_NAME) == 0)
			continue;
		v = read_network(dirfd, all.v[i]->d_name);
		if (conflist_names(v, "podwire")) {
			(void)snprintf(ret, size, "%s", all.v[i]->d_name);
			return 1;
		}
	}
	return r;
}
