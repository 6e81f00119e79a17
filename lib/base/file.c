/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/error.h"

static int is_ours(int fd, const char *path, struct pw_error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot stat %s: %m", path);
	if (st.st_uid != geteuid())
		return pw_fail(err, EPERM, PW_E_IO, "%s belongs to user %u, not to us: refused",
			       path, (unsigned int)st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return pw_fail(err, EPERM, PW_E_IO, "%s is writable by others (mode %04o): refused",
			       path, (unsigned int)(st.st_mode & 07777));
	return 0;
}

/* mkdir -p for the parents of @path; what is there already is left as it is. */
static int make_parents(const char *path, struct pw_error *err)
{
	char part[PATH_MAX];
	size_t len = strlen(path);

	if (len >= sizeof(part))
		return pw_fail(err, ENAMETOOLONG, PW_E_IO, "cannot create %s: %m", path);
	memcpy(part, path, len + 1);

	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(part, 0755) < 0 && errno != EEXIST)
			return pw_fail(err, errno, PW_E_IO, "cannot create %s: %m", part);
		*slash = '/';
	}
	return 0;
}

int file_open_subdir(int dirfd, const char *name, bool create, struct pw_error *err)
{
	_cleanup_(closep) int fd = -EBADF;
	int r;

	if (create && mkdirat(dirfd, name, 0755) < 0 && errno != EEXIST)
		return pw_fail(err, errno, PW_E_IO, "cannot create directory %s: %m", name);

	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open directory %s: %m", name);

	r = is_ours(fd, name, err);
	if (r < 0)
		return r;
	return take_fd(fd);
}

int file_open_dir(const char *path, bool create, struct pw_error *err)
{
	_cleanup_(freep) char *plain = strdup(path);
	int r;

	if (!plain)
		return pw_oom(err);
	/* O_NOFOLLOW follows "link/" */
	for (size_t len = strlen(plain); len > 1 && plain[len - 1] == '/'; len--)
		plain[len - 1] = '\0';
	if (create && access(plain, F_OK) < 0) {
		r = make_parents(plain, err);
		if (r < 0)
			return r;
	}
	return file_open_subdir(AT_FDCWD, plain, create, err);
}

int file_read_fd(int fd, const char *what, size_t max, char **ret, size_t *ret_len,
		 struct pw_error *err)
{
	_cleanup_(freep) char *buf = NULL;
	size_t len = 0, size = 0;

	for (;;) {
		ssize_t n;

		if (len + 1 >= size) {
			char *more;

			size = size ? size * 2 : 4096;
			more = realloc(buf, size);
			if (!more)
				return pw_oom(err);
			buf = more;
		}
		n = read(fd, buf + len, size - len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pw_fail(err, errno, PW_E_IO, "cannot read %s: %m", what);
		if (n == 0)
			break;
		len += (size_t)n;
		if (len > max)
			return pw_fail(err, EFBIG, PW_E_IO, "%s is larger than %zu bytes", what,
				       max);
	}

	buf[len] = '\0';
	*ret = take_ptr(buf);
	*ret_len = len;
	return 0;
}

int file_read_at(int dirfd, const char *name, size_t max, char **ret, size_t *ret_len,
		 struct pw_error *err)
{
	_cleanup_(closep) int fd = -EBADF;
	struct stat st;

	/* O_NONBLOCK: a FIFO in the file's place must not make us wait */
	fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open %s: %m", name);
	if (fstat(fd, &st) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot stat %s: %m", name);
	if (!S_ISREG(st.st_mode))
		return pw_fail(err, EINVAL, PW_E_IO, "%s is not a regular file", name);
	return file_read_fd(fd, name, max, ret, ret_len, err);
}

int file_write_fd(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

/* The same name each time: who writes a file holds its lock, so it can only be a dead writer's. */
static int temporary_name(const char *name, char buf[NAME_MAX + 1])
{
	if ((size_t)snprintf(buf, NAME_MAX + 1, ".%s.tmp", name) > NAME_MAX)
		return -ENAMETOOLONG;
	return 0;
}

static int write_new(int dirfd, const char *tmp, const void *data, size_t len, mode_t mode)
{
	_cleanup_(closep) int fd = -EBADF;

	if (unlinkat(dirfd, tmp, 0) < 0 && errno != ENOENT)
		return -errno;
	fd = openat(dirfd, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	return file_write_fd(fd, data, len);
}

int file_prepare_at(int dirfd, const char *name, const void *data, size_t len, mode_t mode,
		    struct pw_error *err)
{
	char tmp[NAME_MAX + 1];
	int r;

	r = temporary_name(name, tmp);
	if (r == 0)
		r = write_new(dirfd, tmp, data, len, mode);
	if (r < 0) {
		(void)unlinkat(dirfd, tmp, 0);
		return pw_fail(err, -r, PW_E_IO, "cannot write %s: %m", name);
	}
	return 0;
}

int file_sync_at(int dirfd, const char *name, struct pw_error *err)
{
	_cleanup_(closep) int fd = -EBADF;
	char tmp[NAME_MAX + 1];
	int r = temporary_name(name, tmp);

	if (r == 0) {
		fd = openat(dirfd, tmp, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		r = fd < 0 || fsync(fd) < 0 ? -errno : 0;
	}
	if (r < 0) {
		(void)unlinkat(dirfd, tmp, 0);
		return pw_fail(err, -r, PW_E_IO, "cannot write %s: %m", name);
	}
	return 0;
}

int file_commit_at(int dirfd, const char *name, struct pw_error *err)
{
	char tmp[NAME_MAX + 1];
	int r;

	r = temporary_name(name, tmp);
	if (r == 0 && renameat(dirfd, tmp, dirfd, name) < 0)
		r = -errno;
	if (r < 0) {
		(void)unlinkat(dirfd, tmp, 0);
		return pw_fail(err, -r, PW_E_IO, "cannot write %s: %m", name);
	}
	return 0;
}

int file_write_at(int dirfd, const char *name, const void *data, size_t len, mode_t mode,
		  struct pw_error *err)
{
	int r = file_prepare_at(dirfd, name, data, len, mode, err);

	return r < 0 ? r : file_commit_at(dirfd, name, err);
}

int file_remove_at(int dirfd, const char *name, struct pw_error *err)
{
	char tmp[NAME_MAX + 1];

	if (temporary_name(name, tmp) == 0)
		(void)unlinkat(dirfd, tmp, 0);
	if (unlinkat(dirfd, name, 0) < 0 && errno != ENOENT)
		return pw_fail(err, errno, PW_E_IO, "cannot remove %s: %m", name);
	return 0;
}
