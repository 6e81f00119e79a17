/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Ways through a file system in which others may write
 *
 * All paths are below a root, which may be that of another system's: no ".." and no link leads out
 * of it.
 */
#include <stdbool.h>

struct pw_error;

/*
 * Opens directory @path to write in it. Each directory on the way is root's or ours; where others
 * may write (/tmp), it is sticky, and no link in it is followed. The last one isn't writable by
 * others. With @create what is missing is made, mode 0755. Returns a descriptor; -ENOENT, with a
 * message, where there's none.
 */
int walk_open_dir(int rootfd, const char *path, bool create, struct pw_error *err);

/* Opens the operator's own file @path to read it; links are followed. No message: -errno. */
int walk_open_file(int rootfd, const char *path);
