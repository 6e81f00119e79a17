/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/agent_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/error.h"

long agent_lock_down_for(int runtime_fd, struct pw_error *err)
{
	_cleanup_(closep) int fd = -EBADF;
	struct timespec now;
	struct stat st;

	fd = openat(runtime_fd, "agent.lock", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0 || fstat(fd, &st) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open agent.lock: %m");
	/* shared: two of us that look at once don't take each other for the agent */
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK
			       ? 0
			       : pw_fail(err, errno, PW_E_IO, "cannot try agent.lock: %m");
	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec > st.st_mtime ? now.tv_sec - st.st_mtime : 1;
}
