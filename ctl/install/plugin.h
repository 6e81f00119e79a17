/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The plugin as a file: the one to install, and what is in its place. */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct pw_error;

#define PLUGIN_NAME "podwire"

struct plugin {
	char path[PATH_MAX];
	int fd; /* to run it by */
	char *data;
	size_t len;
};

#define PLUGIN_NONE ((struct plugin){ .fd = -EBADF })

/* @path: the operator's choice; NULL: the one that was installed with podwirectl. */
int plugin_open(const char *path, struct plugin *ret, struct pw_error *err);
void plugin_done(struct plugin *p);

/* Whether what is open on @fd says that it's podwire. */
bool plugin_answers(int fd, const char *name);

/*
 * Has plugin @fd judge a network list: 0 where it finds nothing, else -EINVAL with what it said.
 */
int plugin_validate(int fd, const char *name, const char *text, size_t len, struct pw_error *err);

enum plugin_place {
	PLUGIN_ABSENT,
	PLUGIN_SAME,     /* byte for byte, and as it should be */
	PLUGIN_OTHER,    /* ours, of another version */
	PLUGIN_PACKAGED, /* the very file that was installed with podwirectl */
	PLUGIN_FOREIGN,  /* somebody else's, or a link */
};

/*
 * What is called podwire in directory @dirfd, beside @ours (NULL: none to compare it with). What
 * is neither a file nor a link is an error. @dir is for messages.
 */
int plugin_look(int dirfd, const char *dir, const struct plugin *ours, enum plugin_place *ret,
		struct pw_error *err);
