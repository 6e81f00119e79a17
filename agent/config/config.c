/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files the configuration is, and whether they are to be trusted. What a file can't say, as
 * it is a link or somebody else's, is a finding without a line; the other files are looked at all
 * the same. What is checked is the opened file, not its name.
 */
#include "config/config.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "config/decode.h"

#define FILE_MAX (1u << 20) /* bytes */
#define SUFFIX ".json"

struct names {
	struct dirent **v;
	int n;
};

static void names_done(struct names *names)
{
	for (int i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
	*names = (struct names){};
}

/* Nobody but root, or we ourselves where we aren't root, can have written it. */
static int check_trust(int fd, const char *path, mode_t type, struct findings *f)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return findings_add(f, PW_E_IO, "%s: cannot stat it: %m", path);
	if ((st.st_mode & S_IFMT) != type)
		return findings_add(f, PW_E_IO, "%s: is not a regular file", path);
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return findings_add(f, PW_E_IO, "%s: belongs to user %u: refused", path,
				    (unsigned int)st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return findings_add(f, PW_E_IO, "%s: is writable by others (mode %04o): refused",
				    path, (unsigned int)(st.st_mode & 07777));
	return 0;
}

/* Opens @name below @dirfd, which is @path to people, as it is; -ENOENT, silently, without one. */
static int open_trusted(int dirfd, const char *name, const char *path, mode_t type,
			struct findings *f)
{
	_cleanup_(closep) int fd = -EBADF;
	struct stat st;
	int r;

	/* O_NONBLOCK: a FIFO in the file's place must not make us wait */
	fd = openat(dirfd, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC |
			    (type == S_IFDIR ? O_DIRECTORY : 0));
	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0) {
		r = errno;
		if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
			return findings_add(f, PW_E_IO, "%s: is a link: refused", path);
		errno = r;
		return findings_add(f, PW_E_IO, "%s: cannot open it: %m", path);
	}
	r = check_trust(fd, path, type, f);
	return r < 0 ? r : take_fd(fd);
}

/* A file that isn't there says nothing. */
static int load_file(int dirfd, const char *name, const char *path, struct config *c,
		     struct findings *f)
{
	_cleanup_(closep) int fd = -EBADF;
	_cleanup_(freep) char *text = NULL;
	struct pw_error err = {};
	size_t len;
	int r;

	fd = open_trusted(dirfd, name, path, S_IFREG, f);
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	r = file_read_fd(fd, "it", FILE_MAX, &text, &len, &err);
	if (r == -ENOMEM)
		return pw_oom(&f->first);
	if (r < 0)
		return findings_add(f, PW_E_IO, "%s: %s", path, err.msg);
	return config_decode(text, len, path, c, f);
}

static int is_config(const struct dirent *e)
{
	size_t len = strlen(e->d_name);

	return e->d_name[0] != '.' && len > strlen(SUFFIX) &&
	       strcmp(e->d_name + len - strlen(SUFFIX), SUFFIX) == 0;
}

/* Not alphasort(), whose order is the locale's. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int load_dir(const char *dir, struct config *c, struct findings *f)
{
	_cleanup_(closep) int fd = -EBADF;
	_cleanup_(names_done) struct names names = {};
	int r = 0;

	fd = open_trusted(AT_FDCWD, dir, dir, S_IFDIR, f);
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	names.n = scandirat(fd, ".", &names.v, is_config, by_name);
	if (names.n < 0) {
		names.n = 0;
		return findings_add(f, PW_E_IO, "%s: cannot read it: %m", dir);
	}
	for (int i = 0; i < names.n; i++) {
		_cleanup_(freep) char *path = NULL;

		if (asprintf(&path, "%s/%s", dir, names.v[i]->d_name) < 0) {
			path = NULL;
			return pw_oom(&f->first);
		}
		if (load_file(fd, names.v[i]->d_name, path, c, f) < 0)
			r = -EINVAL;
	}
	return r;
}

char *config_dir(const char *path)
{
	size_t len = strlen(path);
	char *dir;

	if (len > strlen(SUFFIX) && strcmp(path + len - strlen(SUFFIX), SUFFIX) == 0)
		len -= strlen(SUFFIX);
	return asprintf(&dir, "%.*s.d", (int)len, path) < 0 ? NULL : dir;
}

int config_load(const char *path, config_finding_t each, void *arg, struct config *ret,
		struct pw_error *err)
{
	_cleanup_(config_done) struct config c = CONFIG_DEFAULT;
	_cleanup_(freep) char *dir = config_dir(path);
	struct findings f = { .each = each, .arg = arg };

	if (!dir)
		return pw_oom(err);
	(void)load_file(AT_FDCWD, path, path, &c, &f);
	(void)load_dir(dir, &c, &f);
	if (f.first.errnum) {
		if (err)
			*err = f.first;
		return -f.first.errnum;
	}
	*ret = c;
	c = (struct config){};
	return 0;
}

int config_set_cpus(struct config *c, const uint32_t *cpu, size_t n)
{
	struct array cpus = {};
	uint32_t *to = n > 0 ? array_grow(&cpus, sizeof(*to), n) : NULL;

	if (n > 0 && !to)
		return -ENOMEM;
	if (to)
		memcpy(to, cpu, n * sizeof(*cpu));
	array_done(&c->cpus);
	c->cpus = cpus;
	c->no_cpus = false;
	return 0;
}

void config_done(struct config *c)
{
	array_done(&c->uplinks);
	array_done(&c->uplink_routes);
	array_done(&c->cpus);
	*c = (struct config){};
}
