/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Files that outlive a boot: on the disk before anybody sees them, with exactly the mode that was
 * asked for. In two halves, so that what is prepared can be tried.
 */
#include <stddef.h>
#include <sys/types.h>

struct pw_error;

/* Written beside its place, as ".NAME.tmp". Returns a descriptor to read or to run it by. */
int put_prepare(int dirfd, const char *name, const void *data, size_t len, mode_t mode,
		struct pw_error *err);
/* Takes the place of what is called @name, which may be a link: that isn't followed. */
int put_commit(int dirfd, const char *name, struct pw_error *err);
/* What was prepared, by us or by one who was killed, goes. Idempotent. */
void put_abandon(int dirfd, const char *name);
