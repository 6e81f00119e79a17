/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "install/plugin.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "install/run.h"

#define PLUGIN_MAX (64u << 20) /* bytes */
#define PACKAGED "/../lib/podwire/" PLUGIN_NAME

/* Where packages put it, from where they put us: a prefix may be chosen at installation. */
static int packaged_path(char ret[PATH_MAX], struct pw_error *err)
{
	ssize_t n = readlink("/proc/self/exe", ret, PATH_MAX - sizeof(PACKAGED));
	char *slash;

	if (n < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot read /proc/self/exe: %m");
	ret[n] = '\0';
	slash = strrchr(ret, '/');
	if (!slash)
		return pw_fail(err, ENOENT, PW_E_IO, "cannot tell where podwirectl is");
	memcpy(slash, PACKAGED, sizeof(PACKAGED));
	return 0;
}

int plugin_open(const char *path, struct plugin *ret, struct pw_error *err)
{
	_cleanup_(plugin_done) struct plugin p = PLUGIN_NONE;
	char packaged[PATH_MAX];
	struct stat st;
	int r;

	if (!path) {
		r = packaged_path(packaged, err);
		if (r < 0)
			return r;
		path = packaged;
	}
	p.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (p.fd < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open %s: %m (--plugin names another)",
			       path);
	if (fstat(p.fd, &st) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot stat %s: %m", path);
	if (!S_ISREG(st.st_mode) || !(st.st_mode & S_IXUSR))
		return pw_fail(err, EACCES, PW_E_IO, "%s is not an executable file", path);
	r = file_read_fd(p.fd, path, PLUGIN_MAX, &p.data, &p.len, err);
	if (r < 0)
		return r;
	if (!realpath(path, p.path))
		return pw_fail(err, errno, PW_E_IO, "cannot resolve %s: %m", path);
	*ret = p;
	p = PLUGIN_NONE;
	return 0;
}

void plugin_done(struct plugin *p)
{
	closep(&p->fd);
	free(p->data);
	*p = PLUGIN_NONE;
}

bool plugin_answers(int fd, const char *name)
{
	static const char begin[] = "podwire ";
	char text[256];

	return run_plugin(fd, name, "--version", NULL, -EBADF, text, sizeof(text), NULL) == 0 &&
	       strncmp(text, begin, sizeof(begin) - 1) == 0;
}

int plugin_validate(int fd, const char *name, const char *text, size_t len, struct pw_error *err)
{
	_cleanup_(closep) int input = memfd_create("conflist", MFD_CLOEXEC);
	char said[256];
	int r;

	if (input < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot make a file in memory: %m");
	r = file_write_fd(input, text, len);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "cannot write to a file in memory: %m");
	r = run_plugin(fd, name, "--validate", "/proc/self/fd/0", input, said, sizeof(said), err);
	if (r <= 0)
		return r;
	said[strcspn(said, "\n")] = '\0';
	return pw_fail(err, EINVAL, PW_E_CONFIG, "%s refuses the network: %s", name, said);
}

static bool is_packaged(const struct stat *st)
{
	char path[PATH_MAX];
	struct stat there;

	return packaged_path(path, NULL) == 0 && stat(path, &there) == 0 &&
	       there.st_dev == st->st_dev && there.st_ino == st->st_ino;
}

static bool is_same(int fd, const struct stat *st, const struct plugin *ours)
{
	_cleanup_(freep) char *data = NULL;
	size_t len;

	return ours && (st->st_mode & 07777) == 0755 && st->st_uid == geteuid() &&
	       (size_t)st->st_size == ours->len &&
	       file_read_fd(fd, PLUGIN_NAME, PLUGIN_MAX, &data, &len, NULL) == 0 &&
	       len == ours->len && memcmp(data, ours->data, len) == 0;
}

int plugin_look(int dirfd, const char *dir, const struct plugin *ours, enum plugin_place *ret,
		struct pw_error *err)
{
	_cleanup_(closep) int fd = -EBADF;
	struct stat st;

	fd = openat(dirfd, PLUGIN_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == ELOOP)) {
		*ret = errno == ENOENT ? PLUGIN_ABSENT : PLUGIN_FOREIGN;
		return 0;
	}
	if (fd < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open %s/" PLUGIN_NAME ": %m", dir);
	if (fstat(fd, &st) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot stat %s/" PLUGIN_NAME ": %m", dir);
	if (!S_ISREG(st.st_mode))
		return pw_fail(err, EINVAL, PW_E_IO, "%s/" PLUGIN_NAME " is not a regular file",
			       dir);
	if (is_same(fd, &st, ours))
		*ret = PLUGIN_SAME;
	else if (is_packaged(&st))
		*ret = PLUGIN_PACKAGED;
	else
		*ret = plugin_answers(fd, PLUGIN_NAME) ? PLUGIN_OTHER : PLUGIN_FOREIGN;
	return 0;
}
