/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sysctl.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

static int open_key(const char *key, int flags)
{
	char path[PATH_MAX];
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "/proc/sys/net/%s", key) >= sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int sysctl_read(const char *key, char *ret, size_t size, struct pw_error *err)
{
	_cleanup_(closep) int fd = open_key(key, O_RDONLY);
	ssize_t n;

	if (fd == -ENOENT)
		return fd;
	if (fd < 0)
		return pw_fail(err, -fd, PW_E_IO, "cannot read sysctl net/%s: %m", key);
	n = read(fd, ret, size - 1);
	if (n < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot read sysctl net/%s: %m", key);
	ret[n] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
	return 0;
}

int sysctl_read_int(const char *key, int *ret, struct pw_error *err)
{
	char text[32], *end;
	long n;
	int r;

	r = sysctl_read(key, text, sizeof(text), err);
	if (r < 0)
		return r;
	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end || n < INT_MIN || n > INT_MAX)
		return pw_fail(err, EINVAL, PW_E_IO, "sysctl net/%s is not a number: %s", key,
			       text);
	*ret = (int)n;
	return 0;
}

int sysctl_write(const char *key, const char *value, struct pw_error *err)
{
	_cleanup_(closep) int fd = open_key(key, O_WRONLY);
	size_t len = strlen(value);

	if (fd < 0)
		return pw_fail(err, -fd, PW_E_IO, "cannot set sysctl net/%s to %s: %m", key, value);
	if (write(fd, value, len) != (ssize_t)len)
		return pw_fail(err, errno, PW_E_IO, "cannot set sysctl net/%s to %s: %m", key,
			       value);
	return 0;
}

int sysctl_ensure(const char *dir, const char *ifname, const char *name, const char *value,
		  struct pw_error *err)
{
	_cleanup_(closep) int fd = -EBADF;
	char key[128], now[64];
	ssize_t n;

	if ((size_t)snprintf(key, sizeof(key), "%s/%s/%s", dir, ifname, name) >= sizeof(key))
		return pw_fail(err, ENAMETOOLONG, PW_E_IO, "cannot set sysctl %s of %s: %m", name,
			       ifname);
	fd = open_key(key, O_RDWR);
	if (fd == -ENOENT)
		return 0;
	if (fd == -EROFS || fd == -EACCES) /* it may have the value already */
		fd = open_key(key, O_RDONLY);
	if (fd < 0)
		return pw_fail(err, -fd, PW_E_IO, "cannot set sysctl net/%s to %s: %m", key, value);
	n = pread(fd, now, sizeof(now) - 1, 0);
	if (n < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot read sysctl net/%s: %m", key);
	now[n] = '\0';
	now[strcspn(now, "\n")] = '\0';
	if (strcmp(now, value) == 0)
		return 0;
	if (pwrite(fd, value, strlen(value), 0) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot set sysctl net/%s to %s: %m", key,
			       value);
	return 0;
}
