/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Ownership by scope
 *
 * An owning local carries _cleanup_(...) and a value from its first line; it gives its value away
 * only through take_ptr() or take_fd(). A closed fd is -EBADF, never -1, which is -EPERM.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(f) __attribute__((cleanup(f)))

#define take_ptr(p)                           \
	({                                    \
		__typeof__(p) take_tmp = (p); \
		(p) = NULL;                   \
		take_tmp;                     \
	})

#define take_fd(fd)                  \
	({                           \
		int take_tmp = (fd); \
		(fd) = -EBADF;       \
		take_tmp;            \
	})

/* Defines func##p(), for _cleanup_() on a local of type "type" (a pointer type). */
#define DEFINE_CLEANUP(type, func)                      \
	static inline void func##p(__typeof__(type) *p) \
	{                                               \
		if (*p)                                 \
			func(*p);                       \
	}                                               \
	struct pw_semicolon_##func

static inline void freep(void *p)
{
	free(*(void **)p);
}

/* Keeps errno, so that a cleanup never hides what went wrong. */
static inline void closep(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}

static inline void fclosep(FILE **f)
{
	if (*f)
		(void)fclose(*f);
}
