/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "alive.h"

#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/error.h"
#include "store/lock.h"

#define WAIT_MS 2000 /* a plugin tries the lock for a moment when it looks for us */

int alive_take(int runtime_fd, struct pw_error *err)
{
	int fd = lock_take(runtime_fd, AGENT_LOCK, WAIT_MS, err);

	if (fd == -EAGAIN)
		return pw_fail(err, EAGAIN, PW_E_AGAIN, "another podwired has " AGENT_LOCK);
	if (fd >= 0)
		alive_touch(fd);
	return fd;
}

void alive_touch(int lock_fd)
{
	(void)futimens(lock_fd, NULL);
}
