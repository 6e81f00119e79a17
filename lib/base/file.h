/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Files of a root process
 *
 * Directories of ours are opened once and used by descriptor; the last component is never a link,
 * and a directory that others could write to is refused. Files are replaced by rename, so a
 * reader sees an old or a new one, never half of one.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pw_error;

/*
 * Opens directory @path, which must be ours (owner: the effective user; not writable by others).
 * With @create, makes it and its parents first, with mode 0755. Returns a descriptor.
 */
int file_open_dir(const char *path, bool create, struct pw_error *err);

/* The same for @name below @dirfd. */
int file_open_subdir(int dirfd, const char *name, bool create, struct pw_error *err);

/*
 * Reads regular file @name below @dirfd (AT_FDCWD: a path) whole, at most @max bytes: larger is
 * -EFBIG. @ret: the caller's to free, with a NUL behind @ret_len bytes. Does not follow a link.
 */
int file_read_at(int dirfd, const char *name, size_t max, char **ret, size_t *ret_len,
		 struct pw_error *err);

/* Reads an open descriptor to its end; as above. @what names it in errors. */
int file_read_fd(int fd, const char *what, size_t max, char **ret, size_t *ret_len,
		 struct pw_error *err);

/*
 * Creates or replaces @name below @dirfd by rename. Not synced: what it says ends with the boot.
 * One writer at a time: the temporary file has a fixed name.
 */
int file_write_at(int dirfd, const char *name, const void *data, size_t len, mode_t mode,
		  struct pw_error *err);

/* The two halves of it: nobody sees anything before the second. */
int file_prepare_at(int dirfd, const char *name, const void *data, size_t len, mode_t mode,
		    struct pw_error *err);
int file_commit_at(int dirfd, const char *name, struct pw_error *err);
/* Between the two: what was prepared is on the disk. */
int file_sync_at(int dirfd, const char *name, struct pw_error *err);

/* Removes @name and what a dead writer may have left of it. Idempotent. */
int file_remove_at(int dirfd, const char *name, struct pw_error *err);

/* Writes all of @data to @fd. Returns -errno with errno set, and no message. */
int file_write_fd(int fd, const void *data, size_t len);
