/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Netlink conversations
 *
 * One loop reads answers: it goes by sequence number, so that what is left of an earlier, abandoned
 * conversation is passed over and can't be taken for an answer, and it reads on to the end of its
 * own, so that nothing is left behind. An interrupted dump (NLM_F_DUMP_INTR) has holes: it
 * is thrown away and asked for again, a bounded number of times.
 */
#include "netlink/sock.h"

#include <limits.h>
#include <linux/netlink.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "netlink/auto.h"

#define DUMP_TRIES 100 /* of a millisecond or so each: a node may change all the time */

struct nlsock {
	struct nl_sock *sk;
	const char *place;
	char extack[256];    /* the kernel's text for the last refusal, or empty */
	char buf[64 * 1024]; /* the kernel fills at most 32 KiB of dump at once */
};

/* What a conversation waits for. */
struct answer {
	uint32_t seq_first, seq_last; /* ours */
	size_t open;                  /* acknowledgements still to come */
	bool dump;
	bool begins; /* the first message is a batch's begin: an answer to it refuses the whole */
	bool done;
	bool interrupted;
	bool enough;   /* the caller wants no more of a dump */
	int result;    /* first refusal */
	size_t failed; /* its index */
	nlsock_reply_t reply;
	void *arg;
};

int nlsock_open(int protocol, struct nlsock **ret, struct pw_error *err)
{
	_cleanup_(nlsock_freep) struct nlsock *s = NULL;
	int one = 1, r;

	s = malloc(sizeof(*s)); /* not calloc(): the buffer stays untouched until it is used */
	if (!s)
		return pw_oom(err);
	s->sk = NULL;
	s->extack[0] = '\0';
	s->place = "";
	s->sk = nl_socket_alloc();
	if (!s->sk)
		return pw_oom(err);

	/* who wants an acknowledgement asks for it: a batch's begin and end must not */
	nl_socket_disable_auto_ack(s->sk);
	r = nl_connect(s->sk, protocol);
	if (r < 0)
		return pw_fail(err, errno, PW_E_NETLINK, "cannot open netlink socket: %s",
			       nl_geterror(r));

	/* Both since 4.12 and 4.20; without them: plain errno texts, unfiltered dumps. */
	(void)setsockopt(nl_socket_get_fd(s->sk), SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	(void)setsockopt(nl_socket_get_fd(s->sk), SOL_NETLINK, NETLINK_GET_STRICT_CHK, &one,
			 sizeof(one));
	(void)setsockopt(nl_socket_get_fd(s->sk), SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));

	*ret = take_ptr(s);
	return 0;
}

void nlsock_set_place(struct nlsock *s, const char *place)
{
	s->place = place;
}

struct nlsock *nlsock_free(struct nlsock *s)
{
	if (s)
		nl_socket_free(s->sk);
	free(s);
	return NULL;
}

/* Copies NLMSGERR_ATTR_MSG. With NETLINK_CAP_ACK the request's own payload isn't echoed. */
static void take_extack(struct nlsock *s, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *e = nlmsg_data(nlh);
	bool done = nlh->nlmsg_type == NLMSG_DONE; /* that has the errno, and no struct */
	size_t skip = done ? sizeof(e->error) : sizeof(*e);
	struct nlattr *text;

	s->extack[0] = '\0';
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!done && !(nlh->nlmsg_flags & NLM_F_CAPPED))
		skip += e->msg.nlmsg_len - NLMSG_HDRLEN;
	if (NLMSG_ALIGN(skip) >= (size_t)nlmsg_datalen(nlh))
		return;

	text = nla_find((struct nlattr *)((char *)nlmsg_data(nlh) + NLMSG_ALIGN(skip)),
			nlmsg_datalen(nlh) - (int)NLMSG_ALIGN(skip), NLMSGERR_ATTR_MSG);
	if (text)
		nla_strlcpy(s->extack, text, sizeof(s->extack));
}

static void take_refusal(struct nlsock *s, struct answer *a, const struct nlmsghdr *nlh, int errnum)
{
	if (errnum == 0 || a->result < 0)
		return;
	a->result = errnum;
	a->failed = nlh->nlmsg_seq - a->seq_first;
	take_extack(s, nlh);
}

static void take_message(struct nlsock *s, struct answer *a, const struct nlmsghdr *nlh)
{
	int r;

	if (nlh->nlmsg_seq < a->seq_first || nlh->nlmsg_seq > a->seq_last)
		return;
	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		a->interrupted = true;

	switch (nlh->nlmsg_type) {
	case NLMSG_ERROR:
		if (nlmsg_datalen(nlh) < (int)sizeof(struct nlmsgerr))
			return;
		take_refusal(s, a, nlh, ((const struct nlmsgerr *)nlmsg_data(nlh))->error);
		if (a->open > 0)
			a->open--;
		if (a->open == 0 || a->dump || (a->begins && nlh->nlmsg_seq == a->seq_first))
			a->done = true;
		return;
	case NLMSG_DONE:
		/* A dump that failed on the way says so here. */
		if (nlmsg_datalen(nlh) >= (int)sizeof(int))
			take_refusal(s, a, nlh, *(const int *)nlmsg_data(nlh));
		a->done = true;
		return;
	case NLMSG_NOOP:
	case NLMSG_OVERRUN:
		return;
	default:
		if (!a->reply || a->result < 0)
			return;
		r = a->reply(nlh, a->arg);
		if (r < 0)
			a->result = r;
		if (r > 0 && a->dump)
			a->done = a->enough = true;
	}
}

static int read_answers(struct nlsock *s, struct answer *a)
{
	while (!a->done) {
		struct sockaddr_nl from = {};
		socklen_t from_len = sizeof(from);
		ssize_t n = recvfrom(nl_socket_get_fd(s->sk), s->buf, sizeof(s->buf), MSG_TRUNC,
				     (struct sockaddr *)&from, &from_len);
		struct nlmsghdr *nlh = (struct nlmsghdr *)s->buf;
		int left;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -ECONNRESET;
		/* a pod with CAP_NET_ADMIN can write to sockets in its namespace: not the kernel */
		if (from.nl_pid != 0)
			continue;
		if ((size_t)n > sizeof(s->buf))
			return -EMSGSIZE;
		for (left = (int)n; nlmsg_ok(nlh, left) && !a->done; nlh = nlmsg_next(nlh, &left))
			take_message(s, a, nlh);
	}
	return a->result;
}

static int __attribute__((format(printf, 4, 0)))
vfail(struct nlsock *s, int errnum, struct pw_error *err, const char *what, va_list ap)
{
	char text[sizeof(err->msg)];

	vsnprintf(text, sizeof(text), what, ap);
	if (s->extack[0])
		return pw_fail(err, errnum, PW_E_NETLINK, "%s%s: %m (%s)", text, s->place,
			       s->extack);
	return pw_fail(err, errnum, PW_E_NETLINK, "%s%s: %m", text, s->place);
}

static int send_numbered(struct nlsock *s, struct nl_msg *msg, struct answer *a)
{
	int r;

	nlmsg_hdr(msg)->nlmsg_seq = NL_AUTO_SEQ;
	nl_complete_msg(s->sk, msg);
	a->seq_first = a->seq_last = nlmsg_hdr(msg)->nlmsg_seq;
	a->open = 1;
	s->extack[0] = '\0';

	/* libnl's own error domain stays out: errno is what sendmsg() left */
	errno = 0;
	r = nl_send(s->sk, msg);
	if (r < 0)
		return errno ? -errno : -EIO;
	return 0;
}

static int converse(struct nlsock *s, struct nl_msg *msg, struct answer *a)
{
	int r = send_numbered(s, msg, a);

	if (r < 0)
		return r;
	return read_answers(s, a);
}

int nlsock_ask(struct nlsock *s, struct nl_msg *msg, struct pw_error *err, const char *what, ...)
{
	struct answer a = {};
	va_list ap;
	int r;

	nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_ACK;
	r = converse(s, msg, &a);
	if (r < 0) {
		va_start(ap, what);
		r = vfail(s, -r, err, what, ap);
		va_end(ap);
	}
	return r;
}

int nlsock_get(struct nlsock *s, struct nl_msg *msg, nlsock_reply_t reply, void *arg,
	       struct pw_error *err, const char *what, ...)
{
	struct answer a = { .reply = reply, .arg = arg };
	va_list ap;
	int r;

	nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_ACK;
	r = converse(s, msg, &a);
	if (r < 0) {
		va_start(ap, what);
		r = vfail(s, -r, err, what, ap);
		va_end(ap);
	}
	return r;
}

int nlsock_dump(struct nlsock *s, struct nl_msg *msg, nlsock_reply_t reply, void *arg,
		struct pw_error *err, const char *what, ...)
{
	va_list ap;
	int r = -EINTR;

	nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_DUMP;
	for (int tries = 0; tries < DUMP_TRIES; tries++) {
		struct answer a = { .dump = true, .reply = reply, .arg = arg };

		r = converse(s, msg, &a);
		if (r < 0 || !a.interrupted || a.enough)
			break;
		reply(NULL, arg);
		r = -EINTR;
	}
	if (r < 0) {
		va_start(ap, what);
		r = vfail(s, -r, err, what, ap);
		va_end(ap);
	}
	return r;
}

/* A datagram must fit the send buffer whole. Without privilege only up to net.core.wmem_max. */
static void grow_send_buffer(int fd, size_t bytes)
{
	int size = bytes < INT_MAX / 4 ? (int)bytes : INT_MAX / 4;

	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
}

/* One buffer and not an iovec a message: sendmsg() takes no more than IOV_MAX of those. */
static int send_batch(struct nlsock *s, struct nl_msg **msgs, size_t n, struct answer *a)
{
	_cleanup_(freep) char *data = NULL;
	int fd = nl_socket_get_fd(s->sk);
	size_t size = 0, len = 0;
	ssize_t sent;

	for (size_t i = 0; i < n; i++)
		size += NLMSG_ALIGN(nlmsg_hdr(msgs[i])->nlmsg_len);
	data = calloc(1, size);
	if (!data)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct nlmsghdr *nlh = nlmsg_hdr(msgs[i]);

		nlh->nlmsg_seq = NL_AUTO_SEQ;
		nl_complete_msg(s->sk, msgs[i]);
		if (nlh->nlmsg_flags & NLM_F_ACK)
			a->open++;
		if (i == 0) {
			a->seq_first = nlh->nlmsg_seq;
			a->begins = !(nlh->nlmsg_flags & NLM_F_ACK);
		}
		a->seq_last = nlh->nlmsg_seq;
		memcpy(data + len, nlh, nlh->nlmsg_len);
		len += NLMSG_ALIGN(nlh->nlmsg_len);
	}
	s->extack[0] = '\0';
	sent = send(fd, data, len, 0);
	if (sent < 0 && errno == EMSGSIZE) {
		grow_send_buffer(fd, len);
		sent = send(fd, data, len, 0);
	}
	return sent < 0 ? -errno : 0;
}

int nlsock_batch(struct nlsock *s, struct nl_msg **msgs, size_t n, size_t *ret_failed,
		 struct pw_error *err, const char *what, ...)
{
	struct answer a = {};
	va_list ap;
	int r;

	if (n == 0)
		return 0; /* nothing would be answered */
	r = send_batch(s, msgs, n, &a);
	if (r == 0)
		r = read_answers(s, &a);
	if (r < 0) {
		if (ret_failed)
			*ret_failed = a.failed;
		va_start(ap, what);
		r = vfail(s, -r, err, what, ap);
		va_end(ap);
	}
	return r;
}
