/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Network namespaces
 *
 * The only place that calls setns(). Each call is back in the caller's namespace before it
 * returns; if the way back should fail, the process ends, as nothing after that could be right.
 */
#include <stdbool.h>

struct nlsock;
struct pw_error;

/*
 * Opens the namespace at @path and checks that it is one of networks. -ENOENT and a message with
 * code PW_E_NETNS when it isn't there. Returns a descriptor.
 */
int netns_open(const char *path, struct pw_error *err);

/* 1 if @netns_fd is the caller's own network namespace, 0 if not. */
int netns_is_own(int netns_fd, struct pw_error *err);

/* 1 if both are the same namespace (compared by device and inode), 0 if not. */
int netns_same(int netns_fd, int other_fd, struct pw_error *err);

/* A netlink socket that lives in @netns_fd. */
int netns_socket(int netns_fd, int protocol, struct nlsock **ret, struct pw_error *err);

/*
 * Calls @work inside @netns_fd: for /proc/sys/net and packet sockets, which go by the caller's
 * namespace. Returns what @work returned.
 */
int netns_call(int netns_fd, int (*work)(void *arg, struct pw_error *err), void *arg,
	       struct pw_error *err);
