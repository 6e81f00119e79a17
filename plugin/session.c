/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session.h"

#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "netlink/netns.h"
#include "netlink/sock.h"
#include "store/lock.h"
#include "store/record.h"

/* Longer than any ADD that works takes; a runtime's own patience is above it. */
#define LOCK_WAIT_MS 20000

static int open_without_records(const struct netconf *conf, struct session *s, struct pw_error *err)
{
	s->runtime_fd = file_open_dir(conf->runtime_dir, true, err);
	if (s->runtime_fd < 0)
		return s->runtime_fd;
	s->locks_fd = file_open_subdir(s->runtime_fd, "lock", true, err);
	if (s->locks_fd < 0)
		return s->locks_fd;
	return nlsock_open(NETLINK_ROUTE, &s->host, err);
}

int session_open(const struct netconf *conf, bool create, struct session *ret, struct pw_error *err)
{
	_cleanup_(session_done) struct session s = SESSION_NONE;
	int r;

	r = open_without_records(conf, &s, err);
	if (r < 0)
		return r;
	s.records_fd = record_open_dir(conf->state_dir, create, err);
	if (s.records_fd < 0 && s.records_fd != -ENOENT)
		return s.records_fd;
	*ret = s;
	s = SESSION_NONE;
	return 0;
}

int session_open_anyway(const struct netconf *conf, struct session *ret,
			struct pw_error *no_records, struct pw_error *err)
{
	_cleanup_(session_done) struct session s = SESSION_NONE;
	int r;

	r = open_without_records(conf, &s, err);
	if (r < 0)
		return r;
	s.records_fd = record_open_dir(conf->state_dir, false, no_records);
	*ret = s;
	s = SESSION_NONE;
	return 0;
}

void session_done(struct session *s)
{
	closep(&s->runtime_fd);
	closep(&s->locks_fd);
	closep(&s->records_fd);
	nlsock_free(s->host);
	*s = SESSION_NONE;
}

#define LOCK_NAMELEN (HOST_IFNAME_LEN + 8)

static const char *lock_name(const char *host_ifname, char buf[LOCK_NAMELEN])
{
	snprintf(buf, LOCK_NAMELEN, "%s.lock", host_ifname);
	return buf;
}

int session_lock(const struct session *s, const char *host_ifname, struct pw_error *err)
{
	char name[LOCK_NAMELEN];

	return lock_take(s->locks_fd, lock_name(host_ifname, name), LOCK_WAIT_MS, err);
}

void session_lock_remove(const struct session *s, const char *host_ifname)
{
	char name[LOCK_NAMELEN];

	lock_remove(s->locks_fd, lock_name(host_ifname, name));
}

/* A path below /proc/PID that is gone means that the container's process is. */
int session_pod_netns(const struct request *req, struct pw_error *err)
{
	_cleanup_(closep) int fd = netns_open(req->netns, err);
	int own;

	if (err && fd == -ENOENT && strncmp(req->netns, "/proc/", strlen("/proc/")) == 0)
		err->code = PW_E_CONTAINER;
	if (fd < 0 || req->own_netns_allowed)
		return take_fd(fd);
	own = netns_is_own(fd, err);
	if (own < 0)
		return own;
	if (own)
		return pw_fail(err, EINVAL, PW_E_NETNS, "network namespace %s is the node's own",
			       req->netns);
	return take_fd(fd);
}
