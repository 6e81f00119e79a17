/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forgetting a pod's connections
 *
 * Two steps: a dump collects, then each entry is deleted by its tuple and its id, so that a newer
 * entry with the same tuple is left alone. The kernel filters the dump (since 5.8); an older one
 * ignores the filter or refuses it, so what comes is compared here in any case. Deletion by filter
 * would be one message, but a kernel that does not know the filter would take it for "all".
 */
#include "conntrack/conntrack.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sysctl.h"
#include "netlink/auto.h"
#include "netlink/sock.h"

#define MAX_DELETIONS 65536
#define WHAT "cannot read conntrack entries"

/* What CTA_FILTER_ORIG_FLAGS and CTA_FILTER_REPLY_FLAGS are made of; not in the kernel's headers. */
#define FILTER_IP_SRC (1u << 0)
#define FILTER_PROTO_NUM (1u << 3)

struct flush {
	const struct ipaddr *addresses;
	size_t n;
	int family;             /* of the dump that is going on */
	struct nl_msg **delete; /* requests */
	size_t n_delete, room;
	size_t before; /* this dump */
};

static void flush_done(struct flush *f)
{
	for (size_t i = 0; i < f->n_delete; i++)
		nlmsg_free(f->delete[i]);
	free(f->delete);
}

static struct nl_msg *request(int type, int family, int flags)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;
	struct nfgenmsg head = {
		.nfgen_family = (uint8_t)family,
		.version = NFNETLINK_V0,
	};

	msg = nlmsg_alloc_size(512);
	if (!msg || !nlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ,
			       NFNL_SUBSYS_CTNETLINK << 8 | type, 0, NLM_F_REQUEST | flags))
		return NULL;
	if (nlmsg_append(msg, &head, sizeof(head), NLMSG_ALIGNTO) < 0)
		return NULL;
	return take_ptr(msg);
}

/* Whether the tuple is UDP with one of our addresses as its source. */
static bool is_from_ours(const struct flush *f, struct nlattr *tuple)
{
	struct nlattr *tb[CTA_TUPLE_MAX + 1], *ip[CTA_IP_MAX + 1], *proto[CTA_PROTO_MAX + 1], *src;
	struct ipaddr a = { .family = (uint8_t)f->family };

	if (!tuple || nla_parse_nested(tb, CTA_TUPLE_MAX, tuple, NULL) < 0)
		return false;
	if (!tb[CTA_TUPLE_IP] || nla_parse_nested(ip, CTA_IP_MAX, tb[CTA_TUPLE_IP], NULL) < 0)
		return false;
	if (!tb[CTA_TUPLE_PROTO] ||
	    nla_parse_nested(proto, CTA_PROTO_MAX, tb[CTA_TUPLE_PROTO], NULL) < 0)
		return false;
	if (!proto[CTA_PROTO_NUM] || nla_len(proto[CTA_PROTO_NUM]) < 1 ||
	    nla_get_u8(proto[CTA_PROTO_NUM]) != IPPROTO_UDP)
		return false;

	src = ip[f->family == AF_INET ? CTA_IP_V4_SRC : CTA_IP_V6_SRC];
	if (!src || (size_t)nla_len(src) != ipaddr_size(&a))
		return false;
	memcpy(a.b, nla_data(src), ipaddr_size(&a));
	for (size_t i = 0; i < f->n; i++) {
		if (ipaddr_equal(&a, &f->addresses[i]))
			return true;
	}
	return false;
}

static int copy_attr(struct nl_msg *msg, const struct nlattr *attr)
{
	if (!attr)
		return 0;
	return nla_put(msg, attr->nla_type, nla_len(attr), nla_data(attr)) < 0 ? -ENOMEM : 0;
}

static int add_deletion(struct flush *f, struct nlattr **tb)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = request(IPCTNL_MSG_CT_DELETE, f->family, 0);

	if (!msg || copy_attr(msg, tb[CTA_TUPLE_ORIG]) < 0 || copy_attr(msg, tb[CTA_ZONE]) < 0 ||
	    copy_attr(msg, tb[CTA_ID]) < 0)
		return -ENOMEM;
	if (f->n_delete == f->room) {
		size_t room = f->room ? f->room * 2 : 16;
		void *p = reallocarray(f->delete, room, sizeof(*f->delete));

		if (!p)
			return -ENOMEM;
		f->delete = p;
		f->room = room;
	}
	f->delete[f->n_delete++] = take_ptr(msg);
	return 0;
}

static int on_entry(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[CTA_MAX + 1];
	struct flush *f = arg;

	if (!nlh) { /* the dump begins again */
		while (f->n_delete > f->before)
			nlmsg_free(f->delete[--f->n_delete]);
		return 0;
	}
	if (f->n_delete == MAX_DELETIONS)
		return 0;
	if (nlmsg_parse((struct nlmsghdr *)nlh, sizeof(struct nfgenmsg), tb, CTA_MAX, NULL) < 0)
		return -EBADMSG;
	if (!is_from_ours(f, tb[CTA_TUPLE_ORIG]) && !is_from_ours(f, tb[CTA_TUPLE_REPLY]))
		return 0;
	return add_deletion(f, tb);
}

/* Asks the kernel for entries whose @tuple is UDP from @source only. */
static int put_filter(struct nl_msg *msg, int tuple, const struct ipaddr *source)
{
	struct nlattr *t, *nest;
	int r;

	t = nla_nest_start(msg, tuple);
	nest = t ? nla_nest_start(msg, CTA_TUPLE_IP) : NULL;
	if (!nest)
		return -ENOMEM;
	r = nla_put(msg, source->family == AF_INET ? CTA_IP_V4_SRC : CTA_IP_V6_SRC,
		    (int)ipaddr_size(source), source->b);
	nla_nest_end(msg, nest);

	nest = nla_nest_start(msg, CTA_TUPLE_PROTO);
	if (r < 0 || !nest || nla_put_u8(msg, CTA_PROTO_NUM, IPPROTO_UDP) < 0)
		return -ENOMEM;
	nla_nest_end(msg, nest);
	nla_nest_end(msg, t);

	nest = nla_nest_start(msg, CTA_FILTER);
	if (!nest)
		return -ENOMEM;
	r = nla_put_u32(msg,
			tuple == CTA_TUPLE_ORIG ? CTA_FILTER_ORIG_FLAGS : CTA_FILTER_REPLY_FLAGS,
			FILTER_IP_SRC | FILTER_PROTO_NUM);
	nla_nest_end(msg, nest);
	return r < 0 ? -ENOMEM : 0;
}

/* -EINVAL, -EOPNOTSUPP, -ENOENT: a kernel without conntrack, or one that refuses the filter. */
static bool is_refusal(int r)
{
	return r == -EINVAL || r == -EOPNOTSUPP || r == -ENOENT;
}

static int collect(struct flush *f, struct nlsock *sock, int tuple, const struct ipaddr *source,
		   struct pw_error *err)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL, *plain = NULL;
	struct pw_error e = {};
	int r;

	f->family = source->family;
	f->before = f->n_delete;
	msg = request(IPCTNL_MSG_CT_GET, source->family, 0);
	plain = request(IPCTNL_MSG_CT_GET, source->family, 0);
	if (!msg || !plain || put_filter(msg, tuple, source) < 0)
		return pw_oom(err);

	r = nlsock_dump(sock, msg, on_entry, f, &e, WHAT);
	if (is_refusal(r))
		r = nlsock_dump(sock, plain, on_entry, f, &e, WHAT);
	if (is_refusal(r))
		return 0;
	if (r < 0 && err)
		*err = e;
	return r;
}

/* An entry that is gone by now, or whose tuple has a newer entry (-EBUSY, -ENOENT), is no fault. */
static int delete_collected(const struct flush *f, struct nlsock *sock, struct pw_error *err)
{
	int deleted = 0;

	for (size_t i = 0; i < f->n_delete; i++) {
		struct pw_error e = {};
		int r = nlsock_ask(sock, f->delete[i], &e, "cannot delete conntrack entry");

		if (r == -ENOENT || r == -EBUSY)
			continue;
		if (r < 0) {
			if (err)
				*err = e;
			return r;
		}
		deleted++;
	}
	return deleted;
}

/* False where it is certain that there is nothing to look for: a walk costs milliseconds. */
static bool has_entries(void)
{
	int count = 0;
	int r = sysctl_read_int("netfilter/nf_conntrack_count", &count, NULL);

	if (r == -ENOENT)
		return access("/proc/sys/net", F_OK) < 0; /* without /proc nothing is certain */
	return r < 0 || count > 0;
}

int conntrack_flush_udp(struct nlsock *sock, const struct ipaddr *addresses, size_t n,
			struct pw_error *err)
{
	static const int tuples[] = { CTA_TUPLE_ORIG, CTA_TUPLE_REPLY };
	_cleanup_(flush_done) struct flush f = { .addresses = addresses, .n = n };

	if (!has_entries())
		return 0;
	for (size_t i = 0; i < n; i++) {
		for (size_t t = 0; t < 2; t++) {
			int r = collect(&f, sock, tuples[t], &addresses[i], err);

			if (r < 0)
				return r;
		}
	}
	return delete_collected(&f, sock, err);
}
