/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An nftables transaction that is being written
 *
 * The messages between begin and end are one transaction for the kernel. Only the last asks for an
 * acknowledgement: refusals come in any case, and a thousand acknowledgements would overrun the
 * socket's buffer.
 */
#include "nft/batch.h"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "netlink/auto.h"
#include "netlink/sock.h"

#define ENVELOPE_SIZE (NLMSG_HDRLEN + NLMSG_ALIGN(sizeof(struct nfgenmsg)))

static void empty(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		nlmsg_free(b->msgs[i]);
	b->n = 0;
	b->failed = false;
}

void batch_done(struct batch *b)
{
	empty(b);
	free(b->msgs);
	free(b->what);
	*b = (struct batch){};
}

static struct nl_msg *message(int type, int flags, uint8_t family, uint16_t res_id, size_t size)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;
	struct nfgenmsg head = {
		.nfgen_family = family,
		.version = NFNETLINK_V0,
		.res_id = htons(res_id),
	};

	msg = nlmsg_alloc_size(ENVELOPE_SIZE + size);
	if (!msg || !nlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, type, 0, NLM_F_REQUEST | flags))
		return NULL;
	if (nlmsg_append(msg, &head, sizeof(head), NLMSG_ALIGNTO) < 0)
		return NULL;
	return take_ptr(msg);
}

struct nl_msg *batch_request(uint8_t type)
{
	return message(NFNL_SUBSYS_NFTABLES << 8 | type, 0, NFPROTO_INET, 0, 512);
}

static bool make_room(struct batch *b)
{
	size_t room = b->room ? b->room * 2 : 32;
	void *p;

	if (b->n < b->room)
		return true;
	p = reallocarray(b->msgs, room, sizeof(struct nl_msg *));
	if (!p)
		return false;
	b->msgs = p;
	p = reallocarray(b->what, room, sizeof(*b->what));
	if (!p)
		return false;
	b->what = p;
	b->room = room;
	return true;
}

/* Takes @msg, which may be NULL. */
static void __attribute__((format(printf, 3, 0)))
append(struct batch *b, struct nl_msg *msg, const char *what, va_list ap)
{
	if (!msg || !make_room(b)) {
		nlmsg_free(msg);
		b->failed = true;
		return;
	}
	vsnprintf(b->what[b->n], BATCH_WHATLEN, what, ap);
	b->msgs[b->n++] = msg;
}

static void __attribute__((format(printf, 3, 4)))
append_control(struct batch *b, int type, const char *what, ...)
{
	va_list ap;

	va_start(ap, what);
	append(b, message(type, 0, NFPROTO_UNSPEC, NFNL_SUBSYS_NFTABLES, 0), what, ap);
	va_end(ap);
}

void batch_begin(struct batch *b, uint8_t type, uint16_t flags, size_t size, const char *what, ...)
{
	va_list ap;

	if (b->n == 0)
		append_control(b, NFNL_MSG_BATCH_BEGIN, "change the ruleset");
	if (b->failed)
		return;

	va_start(ap, what);
	append(b, message(NFNL_SUBSYS_NFTABLES << 8 | type, flags, NFPROTO_INET, 0, size), what,
	       ap);
	va_end(ap);
}

void batch_put(struct batch *b, int attr, const void *data, size_t len)
{
	if (!b->failed && nla_put(b->msgs[b->n - 1], attr, (int)len, data) < 0)
		b->failed = true;
}

void batch_put_string(struct batch *b, int attr, const char *s)
{
	batch_put(b, attr, s, strlen(s) + 1);
}

void batch_put_u32(struct batch *b, int attr, uint32_t value)
{
	uint32_t be = htonl(value);

	batch_put(b, attr, &be, sizeof(be));
}

struct nlattr *batch_nest(struct batch *b, int attr)
{
	struct nlattr *nest = NULL;

	if (!b->failed)
		nest = nla_nest_start(b->msgs[b->n - 1], attr);
	if (!nest)
		b->failed = true;
	return nest;
}

void batch_end(struct batch *b, struct nlattr *nest)
{
	/* kept when empty: the kernel wants NFTA_EXPR_DATA even where there is nothing to say */
	if (!b->failed && nla_nest_end_keep_empty(b->msgs[b->n - 1], nest) < 0)
		b->failed = true;
}

static int send_messages(struct batch *b, struct nlsock *sock, struct pw_error *err)
{
	size_t failed = 0;
	int r;

	nlmsg_hdr(b->msgs[b->n - 1])->nlmsg_flags |= NLM_F_ACK;
	append_control(b, NFNL_MSG_BATCH_END, "change the ruleset");
	if (b->failed)
		return pw_oom(err);

	r = nlsock_batch(sock, b->msgs, b->n, &failed, err, "nftables table inet podwire");
	if (r < 0 && err)
		pw_context(err, "cannot %s", b->what[failed < b->n ? failed : 0]);
	return r;
}

int batch_send(struct batch *b, struct nlsock *sock, struct pw_error *err)
{
	int r = 0;

	if (b->failed)
		r = pw_oom(err);
	else if (b->n > 0)
		r = send_messages(b, sock, err);
	empty(b);
	return r;
}
