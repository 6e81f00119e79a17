/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nft/query.h"

#include <arpa/inet.h>
#include <endian.h>
#include <linux/netfilter/nfnetlink.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "netlink/auto.h"
#include "nft/batch.h"
#include "nft/ruleset.h"

#define WHAT "cannot read nftables table inet " RULESET_TABLE

/* -EINVAL, -EOPNOTSUPP: no nf_tables in this kernel, so nobody has tables. */
static bool is_absence(int r)
{
	return r == -ENOENT || r == -EINVAL || r == -EOPNOTSUPP;
}

struct nl_msg *query_new(uint8_t type, int attr, const char *name)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = batch_request(type);

	_Static_assert(NFTA_TABLE_NAME == 1 && NFTA_CHAIN_TABLE == 1 && NFTA_RULE_TABLE == 1 &&
			       NFTA_SET_TABLE == 1 && NFTA_SET_ELEM_LIST_TABLE == 1,
		       "the table's name is attribute 1");
	if (!msg || nla_put_string(msg, 1, RULESET_TABLE) < 0)
		return NULL;
	if (name && nla_put_string(msg, attr, name) < 0)
		return NULL;
	return take_ptr(msg);
}

typedef int conversation(struct nlsock *s, struct nl_msg *msg, nlsock_reply_t reply, void *arg,
			 struct pw_error *err, const char *what, ...);

static int ask(conversation *talk, struct nlsock *sock, struct nl_msg *msg, nlsock_reply_t reply,
	       void *arg, struct pw_error *err)
{
	struct pw_error e = {};
	int r;

	if (!msg)
		return pw_oom(err);
	r = talk(sock, msg, reply, arg, &e, WHAT);
	nlmsg_free(msg);
	if (is_absence(r))
		return 0;
	if (r < 0 && err)
		*err = e;
	return r < 0 ? r : 1;
}

int query_one(struct nlsock *sock, struct nl_msg *msg, nlsock_reply_t reply, void *arg,
	      struct pw_error *err)
{
	return ask(nlsock_get, sock, msg, reply, arg, err);
}

int query_dump(struct nlsock *sock, struct nl_msg *msg, nlsock_reply_t reply, void *arg,
	       struct pw_error *err)
{
	return ask(nlsock_dump, sock, msg, reply, arg, err);
}

int query_parse(const struct nlmsghdr *nlh, struct nlattr **tb, int max)
{
	if (nlmsg_parse((struct nlmsghdr *)nlh, sizeof(struct nfgenmsg), tb, max, NULL) < 0)
		return -EBADMSG;
	return 0;
}

int query_nested(struct nlattr *nest, struct nlattr **tb, int max)
{
	if (!nest || nla_parse_nested(tb, max, nest, NULL) < 0)
		return -EBADMSG;
	return 0;
}

uint32_t query_u32(const struct nlattr *attr)
{
	return attr && nla_len(attr) >= 4 ? ntohl(nla_get_u32(attr)) : 0;
}

uint64_t query_u64(const struct nlattr *attr)
{
	return attr && nla_len(attr) >= 8 ? be64toh(nla_get_u64(attr)) : 0;
}

void query_string(const struct nlattr *attr, char *ret, size_t size)
{
	size_t n = attr ? strnlen(nla_data(attr), (size_t)nla_len(attr)) : 0;

	if (n >= size)
		n = size - 1;
	if (n > 0)
		memcpy(ret, nla_data(attr), n);
	ret[n] = '\0';
}
