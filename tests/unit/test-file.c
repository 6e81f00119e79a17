/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "tmpdir.h"

#define MAX 100

static void a_file_is_read_whole(void **state)
{
	const struct tmpdir *dir = *state;
	struct pw_error err = {};
	char *text = NULL;
	size_t len = 0;

	tmpdir_write(dir, "f", "some\ntext");
	assert_int_equal(file_read_at(dir->fd, "f", MAX, &text, &len, &err), 0);
	assert_int_equal(len, 9);
	assert_string_equal(text, "some\ntext");
	free(text);
	tmpdir_write(dir, "empty", "");
	assert_int_equal(file_read_at(dir->fd, "empty", 0, &text, &len, &err), 0);
	assert_int_equal(len, 0);
	assert_string_equal(text, "");
	free(text);
}

static void what_is_no_plain_file_is_refused(void **state)
{
	const struct tmpdir *dir = *state;
	static const struct {
		const char *name;
		int r;
		const char *msg;
	} cases[] = {
		{ "nothing", -ENOENT, "cannot open nothing: No such file or directory" },
		{ "link", -ELOOP, "cannot open link: Too many levels of symbolic links" },
		{ "dangling", -ELOOP, "cannot open dangling: Too many levels of symbolic links" },
		{ "fifo", -EINVAL, "fifo is not a regular file" },
		{ "dir", -EINVAL, "dir is not a regular file" },
	};

	tmpdir_write(dir, "f", "x");
	assert_int_equal(symlinkat("f", dir->fd, "link"), 0);
	assert_int_equal(symlinkat("nowhere", dir->fd, "dangling"), 0);
	assert_int_equal(mkfifoat(dir->fd, "fifo", 0600), 0);
	assert_int_equal(mkdirat(dir->fd, "dir", 0700), 0);
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct pw_error err = {};
		char *text = (char *)&err;
		size_t len = 42;

		/* a FIFO that nobody writes to: this returns at all */
		assert_int_equal(file_read_at(dir->fd, cases[i].name, MAX, &text, &len, &err),
				 cases[i].r);
		assert_string_equal(err.msg, cases[i].msg);
		assert_int_equal(err.code, PW_E_IO);
		assert_ptr_equal(text, &err);
		assert_int_equal(len, 42);
	}
}

static void size_is_bounded_to_the_byte(void **state)
{
	static const size_t sizes[] = { 4094, 4095, 4096, 8191, 8192, 100000 };
	const struct tmpdir *dir = *state;
	char *big = calloc(1, 100001);

	assert_non_null(big);
	for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
		struct pw_error err = {};
		char *text = NULL;
		size_t len;

		memset(big, 'x', sizes[i]);
		tmpdir_write(dir, "f", big);
		assert_int_equal(file_read_at(dir->fd, "f", sizes[i], &text, &len, &err), 0);
		assert_int_equal(len, sizes[i]);
		assert_string_equal(text, big);
		free(text);
		assert_int_equal(file_read_at(dir->fd, "f", sizes[i] - 1, &text, &len, &err),
				 -EFBIG);
		assert_non_null(strstr(err.msg, "f is larger than "));
	}
	free(big);
}

static void *write_slowly(void *arg)
{
	int fd = *(int *)arg;

	for (int i = 0; i < 5000; i++)
		assert_int_equal(file_write_fd(fd, "0123456789", 10), 0);
	close(fd);
	return NULL;
}

static void a_pipe_is_read_to_its_end(void **state)
{
	struct pw_error err = {};
	pthread_t thread;
	char *text = NULL;
	size_t len;
	int p[2];

	(void)state;
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	assert_int_equal(pthread_create(&thread, NULL, write_slowly, &p[1]), 0);
	assert_int_equal(file_read_fd(p[0], "pipe", 1 << 20, &text, &len, &err), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(len, 50000);
	free(text);
	close(p[0]);
	assert_int_equal(file_read_fd(p[0], "stdin", MAX, &text, &len, &err), -EBADF);
	assert_string_equal(err.msg, "cannot read stdin: Bad file descriptor");
}

static void writing_replaces_at_once(void **state)
{
	const struct tmpdir *dir = *state;
	struct pw_error err = {};
	char buf[16] = "";
	char *text;
	struct stat st;
	int old;

	tmpdir_write(dir, "f", "old");
	old = openat(dir->fd, "f", O_RDONLY | O_CLOEXEC);
	assert_int_equal(file_write_at(dir->fd, "f", "new one", 7, 0644, &err), 0);
	text = tmpdir_read(dir, "f");
	assert_string_equal(text, "new one");
	free(text);
	/* who has the old one open still reads it whole */
	assert_int_equal(read(old, buf, sizeof(buf)), 3);
	assert_string_equal(buf, "old");
	close(old);
	assert_int_equal(fstatat(dir->fd, "f", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777 & ~0644u, 0);
	assert_int_equal(tmpdir_count(dir), 1);
}

/* What stands in the way of the temporary file is removed, never written through. */
static void a_dead_writers_temporary_is_in_nobodys_way(void **state)
{
	const struct tmpdir *dir = *state;
	struct pw_error err = {};
	char *text;

	tmpdir_write(dir, "victim", "precious");
	tmpdir_write(dir, ".f.tmp", "half of some");
	assert_int_equal(file_write_at(dir->fd, "f", "1", 1, 0600, &err), 0);
	assert_int_equal(symlinkat("victim", dir->fd, ".f.tmp"), 0);
	assert_int_equal(file_write_at(dir->fd, "f", "2", 1, 0600, &err), 0);
	assert_int_equal(linkat(dir->fd, "victim", dir->fd, ".f.tmp", 0), 0);
	assert_int_equal(file_write_at(dir->fd, "f", "3", 1, 0600, &err), 0);

	text = tmpdir_read(dir, "f");
	assert_string_equal(text, "3");
	free(text);
	text = tmpdir_read(dir, "victim");
	assert_string_equal(text, "precious");
	free(text);
	assert_int_equal(tmpdir_count(dir), 2);
}

static void writing_that_fails_leaves_the_old_file(void **state)
{
	const struct tmpdir *dir = *state;
	char name[NAME_MAX + 1] = "";
	struct pw_error err = {};

	assert_int_equal(mkdirat(dir->fd, "dir", 0700), 0);
	assert_int_equal(file_write_at(dir->fd, "dir", "x", 1, 0600, &err), -EISDIR);
	assert_string_equal(err.msg, "cannot write dir: Is a directory");
	assert_int_equal(tmpdir_count(dir), 1); /* no temporary either */

	memset(name, 'n', NAME_MAX - 4);
	assert_int_equal(file_write_at(dir->fd, name, "x", 1, 0600, &err), -ENAMETOOLONG);
	name[NAME_MAX - 5] = '\0';
	assert_int_equal(file_write_at(dir->fd, name, "x", 1, 0600, &err), 0);
	assert_int_equal(file_remove_at(dir->fd, name, &err), 0);
	assert_int_equal(file_write_at(-EBADF, "f", "x", 1, 0600, &err), -EBADF);
}

static void a_full_disk_is_an_error_and_not_half_a_file(void **state)
{
	(void)state;
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	if (fd < 0) {
		printf("there is no /dev/full\n");
		skip();
	}
	assert_int_equal(file_write_fd(fd, "x", 1), -ENOSPC);
	close(fd);
	assert_int_equal(file_write_fd(-1, "", 0), 0);
}

static void removing_is_idempotent_and_takes_the_temporary(void **state)
{
	const struct tmpdir *dir = *state;
	struct pw_error err = {};

	tmpdir_write(dir, "f", "x");
	tmpdir_write(dir, ".f.tmp", "x");
	assert_int_equal(file_remove_at(dir->fd, "f", &err), 0);
	assert_int_equal(tmpdir_count(dir), 0);
	assert_int_equal(file_remove_at(dir->fd, "f", &err), 0);
	assert_int_equal(mkdirat(dir->fd, "dir", 0700), 0);
	assert_int_equal(file_remove_at(dir->fd, "dir", &err), -EISDIR);
	assert_string_equal(err.msg, "cannot remove dir: Is a directory");
}

static void directories_are_made_with_their_parents(void **state)
{
	const struct tmpdir *dir = *state;
	struct pw_error err = {};
	char path[128];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/a/b//c/d", dir->path);
	assert_int_equal(file_open_dir(path, false, &err), -ENOENT);
	assert_int_equal(tmpdir_count(dir), 0);
	for (int twice = 0; twice < 2; twice++) {
		fd = file_open_dir(path, true, &err);
		assert_true(fd >= 0);
		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(st.st_mode & 07022, 0);
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
		close(fd);
	}
	fd = file_open_dir(path, false, &err);
	assert_true(fd >= 0);
	close(fd);
	snprintf(path, sizeof(path), "%s/a", dir->path);
	fd = file_open_dir(path, false, &err);
	assert_true(fd >= 0);
	assert_int_equal(file_open_subdir(fd, "z", false, &err), -ENOENT);
	assert_string_equal(err.msg, "cannot open directory z: No such file or directory");
	close(fd);
}

static void a_path_that_is_too_long_is_an_error(void **state)
{
	char path[PATH_MAX + 10];
	struct pw_error err = {};

	(void)state;
	memset(path, 'a', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(file_open_dir(path, true, &err), -ENAMETOOLONG);
	assert_int_equal(err.code, PW_E_IO);
}

static void a_file_where_a_directory_should_be_is_an_error(void **state)
{
	const struct tmpdir *dir = *state;
	struct pw_error err = {};
	char path[128];

	tmpdir_write(dir, "f", "x");
	assert_int_equal(file_open_subdir(dir->fd, "f", true, &err), -ENOTDIR);
	snprintf(path, sizeof(path), "%s/f/below", dir->path);
	assert_int_equal(file_open_dir(path, true, &err), -ENOTDIR);
	assert_non_null(strstr(err.msg, "/f/below: Not a directory"));
}

/* Whoever can write there could put links and files of his choice in our way. */
static void a_directory_that_others_can_change_is_refused(void **state)
{
	static const mode_t modes[] = { 0777, 0775, 0757, 0722, 01777, 0720 };
	const struct tmpdir *dir = *state;
	struct pw_error err = {};
	char want[80];

	assert_int_equal(mkdirat(dir->fd, "d", 0700), 0);
	for (size_t i = 0; i < TEST_COUNT(modes); i++) {
		assert_int_equal(fchmodat(dir->fd, "d", modes[i], 0), 0);
		snprintf(want, sizeof(want), "d is writable by others (mode %04o): refused",
			 (unsigned int)modes[i]);
		for (int create = 0; create < 2; create++) {
			assert_int_equal(file_open_subdir(dir->fd, "d", create, &err), -EPERM);
			assert_string_equal(err.msg, want);
			assert_int_equal(err.code, PW_E_IO);
		}
	}
}

static void a_directory_of_another_user_is_refused(void **state)
{
	const struct tmpdir *dir = *state;
	struct pw_error err = {};

	assert_int_equal(mkdirat(dir->fd, "d", 0755), 0);
	if (fchownat(dir->fd, "d", 12345, 0, 0) < 0) {
		printf("only root can give a directory away\n");
		skip();
	}
	assert_int_equal(file_open_subdir(dir->fd, "d", true, &err), -EPERM);
	assert_string_equal(err.msg, "d belongs to user 12345, not to us: refused");
}

static void a_link_to_a_directory_is_refused(void **state)
{
	const struct tmpdir *dir = *state;
	static const char *const names[] = { "link", "link/", "link//" };
	struct pw_error err = {};
	char path[128];

	assert_int_equal(mkdirat(dir->fd, "d", 0700), 0);
	assert_int_equal(symlinkat("d", dir->fd, "link"), 0);
	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir->path, names[i]);
		for (int create = 0; create < 2; create++) {
			assert_int_equal(file_open_dir(path, create, &err), -ENOTDIR);
			assert_int_equal(file_open_subdir(dir->fd, "link", create, &err), -ENOTDIR);
		}
	}
}

int main(void)
{
#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, tmpdir_setup, tmpdir_teardown)
	const struct CMUnitTest tests[] = {
		WITH_DIR(a_file_is_read_whole),
		WITH_DIR(what_is_no_plain_file_is_refused),
		WITH_DIR(size_is_bounded_to_the_byte),
		cmocka_unit_test(a_pipe_is_read_to_its_end),
		WITH_DIR(writing_replaces_at_once),
		WITH_DIR(a_dead_writers_temporary_is_in_nobodys_way),
		WITH_DIR(writing_that_fails_leaves_the_old_file),
		cmocka_unit_test(a_full_disk_is_an_error_and_not_half_a_file),
		WITH_DIR(removing_is_idempotent_and_takes_the_temporary),
		WITH_DIR(directories_are_made_with_their_parents),
		cmocka_unit_test(a_path_that_is_too_long_is_an_error),
		WITH_DIR(a_file_where_a_directory_should_be_is_an_error),
		WITH_DIR(a_directory_that_others_can_change_is_refused),
		WITH_DIR(a_directory_of_another_user_is_refused),
		WITH_DIR(a_link_to_a_directory_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
