/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "install/put.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"

struct temporary {
	char name[NAME_MAX + 1];
};

/* Names are our own constants: short. */
static struct temporary temporary_of(const char *name)
{
	struct temporary t;

	(void)snprintf(t.name, sizeof(t.name), ".%s.tmp", name);
	return t;
}

static int write_all(int dirfd, const char *tmp, const void *data, size_t len, mode_t mode)
{
	_cleanup_(closep) int fd = -EBADF;
	int r;

	if (unlinkat(dirfd, tmp, 0) < 0 && errno != ENOENT)
		return -errno;
	fd = openat(dirfd, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = file_write_fd(fd, data, len);
	if (r == 0 && (fchmod(fd, mode) < 0 || fsync(fd) < 0))
		r = -errno;
	return r;
}

int put_prepare(int dirfd, const char *name, const void *data, size_t len, mode_t mode,
		struct pw_error *err)
{
	struct temporary tmp = temporary_of(name);
	int r, fd;

	r = write_all(dirfd, tmp.name, data, len, mode);
	if (r < 0) {
		put_abandon(dirfd, name);
		return pw_fail(err, -r, PW_E_IO, "cannot write %s: %m", name);
	}
	/* not the one that was written by: what is open for writing can't be run */
	fd = openat(dirfd, tmp.name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open %s: %m", tmp.name);
	return fd;
}

int put_commit(int dirfd, const char *name, struct pw_error *err)
{
	struct temporary tmp = temporary_of(name);

	if (renameat(dirfd, tmp.name, dirfd, name) < 0) {
		int saved = errno;

		put_abandon(dirfd, name);
		return pw_fail(err, saved, PW_E_IO, "cannot write %s: %m", name);
	}
	if (fsync(dirfd) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot sync the directory of %s: %m", name);
	return 0;
}

void put_abandon(int dirfd, const char *name)
{
	struct temporary tmp = temporary_of(name);

	(void)unlinkat(dirfd, tmp.name, 0);
}
