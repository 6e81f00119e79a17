/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/netns.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "netlink/sock.h"

#define OWN_NETNS "/proc/thread-self/ns/net"

int netns_open(const char *path, struct pw_error *err)
{
	_cleanup_(closep) int fd = -EBADF;
	int type;

	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return pw_fail(err, errno, PW_E_NETNS, "cannot open network namespace %s: %m",
			       path);

	type = ioctl(fd, NS_GET_NSTYPE);
	if (type != CLONE_NEWNET)
		return pw_fail(err, EINVAL, PW_E_NETNS, "%s is not a network namespace", path);
	return take_fd(fd);
}

int netns_same(int netns_fd, int other_fd, struct pw_error *err)
{
	struct stat a, b;

	if (fstat(netns_fd, &a) < 0 || fstat(other_fd, &b) < 0)
		return pw_fail(err, errno, PW_E_NETNS, "cannot stat network namespace: %m");
	return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int open_own(struct pw_error *err)
{
	int fd = open(OWN_NETNS, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return pw_fail(err, errno, PW_E_NETNS, "cannot open own network namespace: %m");
	return fd;
}

int netns_is_own(int netns_fd, struct pw_error *err)
{
	_cleanup_(closep) int own = -EBADF;

	own = open_own(err);
	if (own < 0)
		return own;
	return netns_same(netns_fd, own, err);
}

int netns_call(int netns_fd, int (*work)(void *arg, struct pw_error *err), void *arg,
	       struct pw_error *err)
{
	_cleanup_(closep) int own = -EBADF;
	int r;

	own = open_own(err);
	if (own < 0)
		return own;
	if (setns(netns_fd, CLONE_NEWNET) < 0)
		return pw_fail(err, errno, PW_E_NETNS,
			       "cannot enter the pod's network namespace: %m");

	r = work(arg, err);

	if (setns(own, CLONE_NEWNET) < 0)
		abort();
	return r;
}

struct socket_request {
	int protocol;
	struct nlsock *sock;
};

static int open_socket(void *arg, struct pw_error *err)
{
	struct socket_request *req = arg;

	return nlsock_open(req->protocol, &req->sock, err);
}

int netns_socket(int netns_fd, int protocol, struct nlsock **ret, struct pw_error *err)
{
	struct socket_request req = { .protocol = protocol };
	int r;

	r = netns_call(netns_fd, open_socket, &req, err);
	if (r < 0)
		return r;
	*ret = req.sock;
	return 0;
}
