/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RTM_DELLINK is answered late: the kernel first takes the device off all lists, drops its
 * addresses and routes and tells everyone (RTM_DELLINK to the link group), then lets go of the RTNL
 * and waits in netdev_run_todo() for all readers and for the last reference (6.1 to 6.18). Nothing
 * that comes after in a DEL depends on that wait, so a child does the asking and we listen.
 *
 * The child takes nothing with it but a pipe: neither the runtime's pipes, which it waits to be
 * closed, nor our lock, nor the IPAM plugin's input. It goes by ifindex, so that a child that was
 * held up can't take away a newer link of the same name.
 */
#include "unlink.h"

#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/array.h"
#include "base/error.h"
#include "netlink/auto.h"
#include "netlink/sock.h"
#include "rtnl/link.h"

#define REPORT_FD 3 /* where the child has its end of the pipe */

/* What the child writes, in one piece: it is shorter than PIPE_BUF. */
struct verdict {
	int result;
	struct pw_error err;
};

static int keep_only(int report)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return -errno;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (dup2(null, fd) < 0)
			return -errno;
	}
	if (dup2(report, REPORT_FD) < 0 || close_range(REPORT_FD + 1, ~0U, 0) < 0)
		return -errno;
	return 0;
}

__attribute__((noreturn)) static void be_remover(int report, int ifindex, const char *ifname)
{
	struct nlsock *s = NULL;
	struct verdict v = {};

	(void)prctl(PR_SET_NAME, "podwire-unlink");
	/* without a word to the parent, which then does it by itself */
	if (keep_only(report) < 0 || nlsock_open(NETLINK_ROUTE, &s, NULL) < 0)
		_exit(1);
	v.result = link_remove_index(s, ifindex, ifname, &v.err);
	_exit(write(REPORT_FD, &v, sizeof(v)) == sizeof(v) ? 0 : 1);
}

static int listen_to_links(struct nl_sock **ret)
{
	_cleanup_(nl_socket_freep) struct nl_sock *sk = nl_socket_alloc();

	if (!sk || nl_connect(sk, NETLINK_ROUTE) < 0 ||
	    nl_socket_add_membership(sk, RTNLGRP_LINK) < 0 || nl_socket_set_nonblocking(sk) < 0)
		return -EIO;
	*ret = take_ptr(sk);
	return 0;
}

/* Whether this is the kernel's news that the link is gone. */
static bool says_gone(void *buf, size_t len, int ifindex)
{
	struct nlmsghdr *nlh = buf;
	int left = (int)len;

	for (; nlmsg_ok(nlh, left); nlh = nlmsg_next(nlh, &left)) {
		const struct ifinfomsg *ifi = nlmsg_data(nlh);

		/* a bridge says so of its ports, which are still there */
		if (nlh->nlmsg_type == RTM_DELLINK && nlmsg_datalen(nlh) >= (int)sizeof(*ifi) &&
		    ifi->ifi_family == AF_UNSPEC && ifi->ifi_index == ifindex)
			return true;
	}
	return false;
}

static bool heard_gone(int fd, int ifindex)
{
	_Alignas(struct nlmsghdr) char buf[16384];
	struct sockaddr_nl from = {};
	socklen_t from_len = sizeof(from);
	ssize_t n;

	n = recvfrom(fd, buf, sizeof(buf), 0, (struct sockaddr *)&from, &from_len);
	/* news that were lost are no harm: the child's verdict comes in any case */
	return n > 0 && from.nl_pid == 0 && says_gone(buf, (size_t)n, ifindex);
}

/* 1: the news came; 0: the child's verdict is there to be read, or its end is. */
static int wait_for_either(int news, int report, int ifindex)
{
	struct pollfd fds[] = {
		{ .fd = report, .events = POLLIN },
		{ .fd = news, .events = POLLIN },
	};

	for (;;) {
		if (poll(fds, ARRAY_COUNT(fds), -1) < 0) {
			if (errno == EINTR)
				continue;
			return 0;
		}
		if (fds[1].revents && heard_gone(news, ifindex))
			return 1;
		if (fds[0].revents)
			return 0;
	}
}

static int take_verdict(int report, pid_t child, struct nlsock *host, int ifindex,
			const char *ifname, struct pw_error *err)
{
	struct verdict v;
	ssize_t n;

	do
		n = read(report, &v, sizeof(v));
	while (n < 0 && errno == EINTR);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	if (n != sizeof(v))
		return link_remove_index(host, ifindex, ifname, err);
	if (err && v.result < 0)
		*err = v.err;
	return v.result;
}

/* An orphan goes to init. A runtime that is init itself may never look for children of others. */
static bool has_init(void)
{
	return getppid() > 1 && getpid() != 1;
}

int unlink_link(struct nlsock *host, const char *ifname, struct pw_error *err)
{
	_cleanup_(nl_socket_freep) struct nl_sock *news = NULL;
	_cleanup_(closep) int report = -EBADF, childs = -EBADF;
	struct link_info link;
	int p[2], r;
	pid_t child;

	r = link_find(host, ifname, &link, err);
	if (r <= 0)
		return r;
	if (!has_init() || listen_to_links(&news) < 0 || pipe2(p, O_CLOEXEC) < 0)
		return link_remove_index(host, link.ifindex, ifname, err);
	report = p[0];
	childs = p[1];

	child = fork();
	if (child == 0)
		be_remover(childs, link.ifindex, ifname);
	if (child < 0)
		return link_remove_index(host, link.ifindex, ifname, err);
	closep(&childs);
	childs = -EBADF;
	if (wait_for_either(nl_socket_get_fd(news), report, link.ifindex))
		return 1;
	return take_verdict(report, child, host, link.ifindex, ifname, err);
}
