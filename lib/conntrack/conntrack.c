/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forgetting a pod's connections
 *
 * Two steps: dumps collect, then each entry is deleted by its tuple and its id, so that a newer
 * entry with the same tuple is left alone. What comes is compared here in any case, since the
 * kernel's own filter (since 5.8) is ignored or refused by an older one. Deletion by filter would
 * be one message, but a kernel that does not know the filter would take it for "all".
 *
 * Costs: a dump walks the whole table, 262,144 buckets as a rule, which takes milliseconds, and
 * each entry that comes costs microseconds. A filter has one address on one side, so with many
 * entries a walk an address and side is best, and with few entries one walk without a filter.
 */
#include "conntrack/conntrack.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
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
#define FEW_ENTRIES 2000

/* What CTA_FILTER_ORIG_FLAGS and CTA_FILTER_REPLY_FLAGS are made of; not in the kernel's headers.
 */
#define FILTER_IP_SRC (1u << 0)
#define FILTER_PROTO_NUM (1u << 3)

struct flush {
	const struct ipaddr *addresses;
	size_t n;
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

static struct nl_msg *request(int type, int family)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;
	struct nfgenmsg head = {
		.nfgen_family = (uint8_t)family,
		.version = NFNETLINK_V0,
	};

	msg = nlmsg_alloc_size(512);
	if (!msg || !nlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, NFNL_SUBSYS_CTNETLINK << 8 | type, 0,
			       NLM_F_REQUEST))
		return NULL;
	if (nlmsg_append(msg, &head, sizeof(head), NLMSG_ALIGNTO) < 0)
		return NULL;
	return take_ptr(msg);
}

/* Whether the tuple is UDP with one of our addresses as its source. */
static bool is_from_ours(const struct flush *f, int family, struct nlattr *tuple)
{
	struct nlattr *tb[CTA_TUPLE_MAX + 1], *ip[CTA_IP_MAX + 1], *proto[CTA_PROTO_MAX + 1], *src;
	struct ipaddr a = { .family = (uint8_t)family };

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

	src = ip[family == AF_INET ? CTA_IP_V4_SRC : CTA_IP_V6_SRC];
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

static int add_deletion(struct flush *f, int family, struct nlattr **tb)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = request(IPCTNL_MSG_CT_DELETE, family);

	if (!msg || copy_attr(msg, tb[CTA_TUPLE_ORIG]) < 0 || copy_attr(msg, tb[CTA_ZONE]) < 0 ||
	    copy_attr(msg, tb[CTA_ID]) < 0)
		return -ENOMEM;
	if (f->n_delete == f->room) {
		size_t room = f->room ? f->room * 2 : 16;
		void *p = reallocarray(f->delete, room, sizeof(struct nl_msg *));

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
	int family;

	if (!nlh) { /* the dump begins again */
		while (f->n_delete > f->before)
			nlmsg_free(f->delete[--f->n_delete]);
		return 0;
	}
	if (f->n_delete == MAX_DELETIONS)
		return 0;
	if (nlmsg_parse((struct nlmsghdr *)nlh, sizeof(struct nfgenmsg), tb, CTA_MAX, NULL) < 0)
		return -EBADMSG;
	family = ((const struct nfgenmsg *)nlmsg_data(nlh))->nfgen_family;
	if (!is_from_ours(f, family, tb[CTA_TUPLE_ORIG]) &&
	    !is_from_ours(f, family, tb[CTA_TUPLE_REPLY]))
		return 0;
	return add_deletion(f, family, tb);
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

/* Collects from one dump. Takes @msg, which may be NULL. */
static int dump(struct flush *f, struct nlsock *sock, struct nl_msg *msg, struct pw_error *err)
{
	int r;

	f->before = f->n_delete;
	r = msg ? nlsock_dump(sock, msg, on_entry, f, err, "cannot read conntrack entries")
		: pw_oom(err);
	nlmsg_free(msg);
	return r;
}

static int collect_unfiltered(struct flush *f, struct nlsock *sock, struct pw_error *err)
{
	struct pw_error e = {};
	int r = dump(f, sock, request(IPCTNL_MSG_CT_GET, AF_UNSPEC), &e);

	if (is_refusal(r))
		return 0;
	if (r < 0 && err)
		*err = e;
	return r;
}

static int collect_filtered(struct flush *f, struct nlsock *sock, struct pw_error *err)
{
	static const int tuples[] = { CTA_TUPLE_ORIG, CTA_TUPLE_REPLY };
	int r = 0;

	for (size_t i = 0; r == 0 && i < f->n * 2; i++) {
		const struct ipaddr *source = &f->addresses[i / 2];
		struct nl_msg *msg = request(IPCTNL_MSG_CT_GET, source->family);

		if (msg && put_filter(msg, tuples[i % 2], source) < 0) {
			nlmsg_free(msg);
			msg = NULL;
		}
		r = dump(f, sock, msg, err);
	}
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

/* How many entries this namespace has; INT_MAX where that isn't known. */
static int count_entries(void)
{
	int count = 0;
	int r = sysctl_read_int("netfilter/nf_conntrack_count", &count, NULL);

	if (r == 0)
		return count;
	/* no such key: no conntrack, unless there is no /proc at all */
	return r == -ENOENT && access("/proc/sys/net", F_OK) == 0 ? 0 : INT_MAX;
}

int conntrack_flush_udp(struct nlsock *sock, const struct ipaddr *addresses, size_t n,
			struct pw_error *err)
{
	_cleanup_(flush_done) struct flush f = { .addresses = addresses, .n = n };
	int entries = n > 0 ? count_entries() : 0;
	struct pw_error e = {};
	int r;

	if (entries == 0)
		return 0;
	r = entries > FEW_ENTRIES ? collect_filtered(&f, sock, &e) : -EOPNOTSUPP;
	if (is_refusal(r))
		r = collect_unfiltered(&f, sock, &e);
	if (r == 0)
		return delete_collected(&f, sock, err);
	if (err)
		*err = e;
	return r;
}
