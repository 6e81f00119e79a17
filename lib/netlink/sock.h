/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A netlink socket and its conversations
 *
 * Messages are built with libnl; sending, matching of replies, acknowledgements, the kernel's
 * extended error text and interrupted dumps are handled here, in one place. Every call blocks
 * until the kernel has answered, which it does before sendmsg() returns. One user at a time.
 */
#include <netlink/netlink.h>

#include "base/cleanup.h"

struct pw_error;
struct nlsock;

/* @protocol: NETLINK_ROUTE, NETLINK_NETFILTER. The socket lives in the caller's netns. */
int nlsock_open(int protocol, struct nlsock **ret, struct pw_error *err);
/* Where messages say that things failed, " in pod"; a literal. */
void nlsock_set_place(struct nlsock *s, const char *place);
struct nlsock *nlsock_free(struct nlsock *s);

DEFINE_CLEANUP(struct nlsock *, nlsock_free);

/*
 * Sends @msg (the caller's still) and waits for the acknowledgement. On failure: the kernel's
 * negative errno, and a message "WHAT PLACE: why", where why is the errno's text and in brackets
 * the kernel's extended text, if it gave one.
 */
int nlsock_ask(struct nlsock *s, struct nl_msg *msg, struct pw_error *err, const char *what, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Called for each message of a reply; a negative return ends the collection (the rest is read and
 * dropped) and becomes the result. With NULL: an interrupted dump starts again, forget what came.
 * A positive one, of a dump: enough. The rest is never made, and the socket is of no use after that
 * but to be closed.
 */
typedef int (*nlsock_reply_t)(const struct nlmsghdr *reply, void *arg);

/* A request with one reply. */
int nlsock_get(struct nlsock *s, struct nl_msg *msg, nlsock_reply_t reply, void *arg,
	       struct pw_error *err, const char *what, ...) __attribute__((format(printf, 6, 7)));

/* A dump: NLM_F_DUMP is set here. Repeated when the kernel says that it was interrupted. */
int nlsock_dump(struct nlsock *s, struct nl_msg *msg, nlsock_reply_t reply, void *arg,
		struct pw_error *err, const char *what, ...) __attribute__((format(printf, 6, 7)));

/*
 * Sends @n messages in one datagram, each with a number of its own and NLM_F_ACK, and waits for
 * all answers. For nfnetlink, the caller's messages include batch begin and end, which are not
 * acknowledged. Returns the first refusal; *@ret_failed (may be NULL) is then its index.
 */
int nlsock_batch(struct nlsock *s, struct nl_msg **msgs, size_t n, size_t *ret_failed,
		 struct pw_error *err, const char *what, ...) __attribute__((format(printf, 6, 7)));
