/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor/root.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "doctor/doctor.h"

#define LIST_MAX 65536

static const char *const kernel_dirs[] = { "/proc/", "/sys/" };

static void closedirp(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

static int open_below(int root_fd, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned long long)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, root_fd, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

static bool has_entries(int root_fd, const char *path)
{
	_cleanup_(closep) int fd = open_below(root_fd, path, O_RDONLY | O_DIRECTORY);
	_cleanup_(closedirp) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	size_t n = 0;

	if (!dir)
		return false;
	(void)take_fd(fd); /* the stream's now */
	while (n <= 2 && readdir(dir))
		n++;
	return n > 2; /* more than "." and ".." */
}

int root_open_all(struct doctor *d, struct pw_error *err)
{
	const char *root = *d->options.root ? d->options.root : "/";

	d->root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (d->root_fd < 0) /* whatever the reason, the command line is wrong */
		return pw_fail(err, EINVAL, PW_E_ENV, "cannot open %s: %s", root, strerror(errno));
	for (size_t i = 0; i < ARRAY_COUNT(kernel_dirs); i++) {
		const char *own = has_entries(d->root_fd, kernel_dirs[i]) ? root : "/";

		d->kernel_fd[i] = open(own, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (d->kernel_fd[i] < 0)
			return pw_fail(err, errno, PW_E_IO, "cannot open %s: %m", own);
	}
	return 0;
}

static int root_of(const struct doctor *d, const char *path)
{
	for (size_t i = 0; i < ARRAY_COUNT(kernel_dirs); i++) {
		if (strncmp(path, kernel_dirs[i], strlen(kernel_dirs[i])) == 0)
			return d->kernel_fd[i];
	}
	return d->root_fd;
}

int root_find(const struct doctor *d, const char *path)
{
	return open_below(root_of(d, path), path, O_PATH);
}

bool root_has(const struct doctor *d, const char *path)
{
	_cleanup_(closep) int fd = root_find(d, path);

	return fd >= 0;
}

bool root_runs(const struct doctor *d, const char *unit)
{
	_cleanup_(closep) int fd = -EBADF;
	char path[160];

	(void)snprintf(path, sizeof(path), "/run/systemd/units/invocation:%s.service", unit);
	/* it leads nowhere: its text is the invocation's id */
	fd = open_below(d->root_fd, path, O_PATH | O_NOFOLLOW);
	return fd >= 0;
}

int root_read(const struct doctor *d, const char *path, size_t max, char **ret, size_t *ret_len)
{
	_cleanup_(closep) int found = root_find(d, path), fd = -EBADF;
	struct stat st;
	char self[32];

	if (found < 0)
		return found;
	/* looked at before it is opened: opening alone does something to a device */
	if (fstat(found, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", found);
	fd = open(self, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	return file_read_fd(fd, path, max, ret, ret_len, NULL);
}

int root_sysctl(const struct doctor *d, const char *key, long *ret)
{
	_cleanup_(freep) char *text = NULL;
	char path[160], *end = NULL;
	long value;
	size_t len;
	int r;

	if ((size_t)snprintf(path, sizeof(path), "/proc/sys/%s", key) >= sizeof(path))
		return -ENAMETOOLONG;
	r = root_read(d, path, 4096, &text, &len);
	if (r < 0 || !text)
		return r < 0 ? r : -ENODATA;
	errno = 0;
	value = strtol(text, &end, 10);
	if (end == text || errno)
		return -EINVAL;
	*ret = value;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct root_name *)a)->name, ((const struct root_name *)b)->name);
}

int root_list(const struct doctor *d, const char *path, struct array *ret)
{
	_cleanup_(closep) int fd = open_below(root_of(d, path), path, O_RDONLY | O_DIRECTORY);
	_cleanup_(closedirp) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!dir)
		return fd == -ENOENT ? 0 : fd < 0 ? fd : -errno;
	(void)take_fd(fd);
	for (size_t n = 0; n < LIST_MAX && (e = readdir(dir)); n++) {
		struct root_name *to;

		if (e->d_name[0] == '.')
			continue;
		to = array_grow(ret, sizeof(*to), 1);
		if (!to)
			return -ENOMEM;
		(void)snprintf(to->name, sizeof(to->name), "%s", e->d_name);
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(struct root_name), by_name);
	return 0;
}

const char *root_path(const struct doctor *d, const char *path, char *ret, size_t size)
{
	(void)snprintf(ret, size, "%s%s", d->options.root, path);
	return ret;
}
