/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tmpdir.h"

#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOM (1u << 20)

int tmpdir_setup(void **state)
{
	struct tmpdir *dir = calloc(1, sizeof(*dir));

	assert_non_null(dir);
	memcpy(dir->path, "/tmp/pw-unit-XXXXXX", sizeof("/tmp/pw-unit-XXXXXX"));
	assert_non_null(mkdtemp(dir->path));
	dir->fd = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(dir->fd >= 0);
	*state = dir;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int tmpdir_teardown(void **state)
{
	struct tmpdir *dir = *state;
	int r = nftw(dir->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);

	close(dir->fd);
	free(dir);
	return r;
}

static void write_mode(const struct tmpdir *dir, const char *name, const char *text, mode_t mode)
{
	int fd = openat(dir->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(close(fd), 0);
}

void tmpdir_write(const struct tmpdir *dir, const char *name, const char *text)
{
	write_mode(dir, name, text, 0600);
}

void tmpdir_program(const struct tmpdir *dir, const char *name, const char *script)
{
	write_mode(dir, name, script, 0700);
}

char *tmpdir_read(const struct tmpdir *dir, const char *name)
{
	int fd = openat(dir->fd, name, O_RDONLY | O_CLOEXEC);
	char *text = calloc(1, ROOM);
	ssize_t n;

	if (fd < 0)
		fail_msg("there is no %s", name);
	assert_non_null(text);
	n = read(fd, text, ROOM - 1);
	assert_true(n >= 0);
	close(fd);
	return text;
}

size_t tmpdir_count(const struct tmpdir *dir)
{
	DIR *d = opendir(dir->path);
	size_t n = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n;
}
