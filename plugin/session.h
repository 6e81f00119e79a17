/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The directories and the netlink socket that most verbs need. */
#include "netconf.h"
#include "request.h"

struct nlsock;

struct session {
	int runtime_fd; /* RUNTIME_DIR */
	int locks_fd;   /* RUNTIME_DIR/lock */
	int records_fd; /* STATE_DIR/attachments; -EBADF where there's none and none was to be made
			 */
	struct nlsock *host;
};

#define SESSION_NONE \
	((struct session){ .runtime_fd = -EBADF, .locks_fd = -EBADF, .records_fd = -EBADF })

/* @create: make the directory of records as well. */
int session_open(const struct netconf *conf, bool create, struct session *ret,
		 struct pw_error *err);
/* For DEL: a directory of records that can't be used is no failure, but goes into @no_records. */
int session_open_anyway(const struct netconf *conf, struct session *ret,
			struct pw_error *no_records, struct pw_error *err);
void session_done(struct session *s);

/* The lock of one attachment; a descriptor. */
int session_lock(const struct session *s, const char *host_ifname, struct pw_error *err);
/* Removes the lock's file; it must be held. */
void session_lock_remove(const struct session *s, const char *host_ifname);

/*
 * Opens the pod's network namespace, which must not be the node's own. Code PW_E_CONTAINER where
 * its process is gone, else PW_E_NETNS.
 */
int session_pod_netns(const struct request *req, struct pw_error *err);
