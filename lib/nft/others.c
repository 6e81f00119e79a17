/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nft/others.h"

#include <arpa/inet.h> /* before the kernel's */
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <linux/netfilter/nfnetlink.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "netlink/auto.h"
#include "nft/batch.h"
#include "nft/query.h"

#define EXPR_ATTR_MAX 16

struct walk {
	others_chain_t chain;
	others_rule_t rule;
	void *arg;
};

static bool sees_forwarded(uint8_t family)
{
	return family == NFPROTO_IPV4 || family == NFPROTO_IPV6 || family == NFPROTO_INET;
}

static uint8_t family_of(const struct nlmsghdr *nlh)
{
	const struct nfgenmsg *head = nlmsg_data(nlh);

	return nlmsg_datalen(nlh) >= (int)sizeof(*head) ? head->nfgen_family : NFPROTO_UNSPEC;
}

static int on_chain(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[NFTA_CHAIN_MAX + 1], *hook[NFTA_HOOK_MAX + 1];
	struct others_chain chain = {};
	const struct walk *walk = arg;
	char type[16];

	if (!nlh)
		return walk->chain(NULL, walk->arg);
	chain.family = family_of(nlh);
	if (!sees_forwarded(chain.family))
		return 0;
	if (query_parse(nlh, tb, NFTA_CHAIN_MAX) < 0)
		return -EBADMSG;
	query_string(tb[NFTA_CHAIN_TABLE], chain.table, sizeof(chain.table));
	query_string(tb[NFTA_CHAIN_NAME], chain.name, sizeof(chain.name));
	query_string(tb[NFTA_CHAIN_TYPE], type, sizeof(type));
	if (tb[NFTA_CHAIN_HOOK]) {
		if (query_nested(tb[NFTA_CHAIN_HOOK], hook, NFTA_HOOK_MAX) < 0)
			return -EBADMSG;
		chain.forward = strcmp(type, "filter") == 0 && hook[NFTA_HOOK_HOOKNUM] &&
				query_u32(hook[NFTA_HOOK_HOOKNUM]) == NF_INET_FORWARD;
		chain.drops = tb[NFTA_CHAIN_POLICY] && query_u32(tb[NFTA_CHAIN_POLICY]) == NF_DROP;
	}
	return walk->chain(&chain, walk->arg);
}

/* What a register was loaded with, for the comparison that follows. */
enum loaded {
	LOADED_OTHER,
	LOADED_IN,
	LOADED_OUT,
};

struct reading {
	struct others_rule *rule;
	enum loaded loaded;
};

static void read_meta(struct nlattr **tb, struct reading *r)
{
	uint32_t key = query_u32(tb[NFTA_META_KEY]);

	if (tb[NFTA_META_SREG])
		return; /* sets a mark, and asks nothing */
	r->rule->conditional = true;
	r->loaded = key == NFT_META_IIFNAME   ? LOADED_IN
		    : key == NFT_META_OIFNAME ? LOADED_OUT
					      : LOADED_OTHER;
}

/* A whole name has its NUL with it, and a beginning has none. */
static void take_name(const struct nlattr *value, char ret[16], bool *ret_begins)
{
	size_t len = strnlen(nla_data(value), (size_t)nla_len(value));

	*ret_begins = len == (size_t)nla_len(value) && len < 16;
	query_string(value, ret, 16);
}

static void read_cmp(struct nlattr **tb, struct reading *r)
{
	struct nlattr *data[NFTA_DATA_MAX + 1];

	r->rule->conditional = true;
	if (r->loaded == LOADED_OTHER || query_u32(tb[NFTA_CMP_OP]) != NFT_CMP_EQ ||
	    query_nested(tb[NFTA_CMP_DATA], data, NFTA_DATA_MAX) < 0 || !data[NFTA_DATA_VALUE])
		return;
	if (r->loaded == LOADED_IN)
		take_name(data[NFTA_DATA_VALUE], r->rule->in, &r->rule->in_begins);
	else
		take_name(data[NFTA_DATA_VALUE], r->rule->out, &r->rule->out_begins);
}

/* Addresses begin at byte 12 of IPv4's header and at byte 8 of IPv6's. */
static void read_payload(struct nlattr **tb, struct reading *r)
{
	uint32_t offset = query_u32(tb[NFTA_PAYLOAD_OFFSET]), len = query_u32(tb[NFTA_PAYLOAD_LEN]);

	if (tb[NFTA_PAYLOAD_SREG])
		return;
	r->rule->conditional = true;
	r->loaded = LOADED_OTHER;
	r->rule->by_address |= query_u32(tb[NFTA_PAYLOAD_BASE]) == NFT_PAYLOAD_NETWORK_HEADER &&
			       offset >= 8 && len >= 1 && len <= 32 && offset != 9;
}

static void read_immediate(struct nlattr **tb, struct reading *r)
{
	struct nlattr *data[NFTA_DATA_MAX + 1], *verdict[NFTA_VERDICT_MAX + 1];

	if (query_nested(tb[NFTA_IMMEDIATE_DATA], data, NFTA_DATA_MAX) < 0 ||
	    !data[NFTA_DATA_VERDICT] ||
	    query_nested(data[NFTA_DATA_VERDICT], verdict, NFTA_VERDICT_MAX) < 0 ||
	    !verdict[NFTA_VERDICT_CODE])
		return;
	switch ((int32_t)query_u32(verdict[NFTA_VERDICT_CODE])) {
	case NF_ACCEPT:
		r->rule->verdict = OTHERS_ACCEPT;
		break;
	case NF_DROP:
		r->rule->verdict = OTHERS_DROP;
		break;
	case NFT_JUMP:
	case NFT_GOTO:
		r->rule->verdict = OTHERS_JUMP;
		break;
	default:
		break;
	}
}

static void read_lookup(struct nlattr **tb, struct reading *r)
{
	r->rule->conditional = true;
	/* a map of verdicts */
	if (tb[NFTA_LOOKUP_DREG] && query_u32(tb[NFTA_LOOKUP_DREG]) == NFT_REG_VERDICT)
		r->rule->verdict = OTHERS_JUMP;
}

static void read_reject(struct nlattr **tb, struct reading *r)
{
	(void)tb;
	r->rule->verdict = OTHERS_DROP;
}

static void read_target(struct nlattr **tb, struct reading *r)
{
	char name[32];

	query_string(tb[NFTA_TARGET_NAME], name, sizeof(name));
	if (strcmp(name, "REJECT") == 0)
		r->rule->verdict = OTHERS_DROP;
}

static void read_nothing(struct nlattr **tb, struct reading *r)
{
	(void)tb;
	(void)r;
}

/* All that isn't here makes a rule conditional. */
static const struct {
	const char *name;
	void (*read)(struct nlattr **tb, struct reading *r);
} expressions[] = {
	{ "meta", read_meta },           { "cmp", read_cmp },         { "payload", read_payload },
	{ "immediate", read_immediate }, { "lookup", read_lookup },   { "reject", read_reject },
	{ "target", read_target },       { "counter", read_nothing }, { "log", read_nothing },
	{ "notrack", read_nothing },
};

static int read_expr(struct nlattr *elem, struct reading *r)
{
	struct nlattr *tb[NFTA_EXPR_MAX + 1], *data[EXPR_ATTR_MAX + 1] = {};
	char name[16];

	if (query_nested(elem, tb, NFTA_EXPR_MAX) < 0)
		return -EBADMSG;
	query_string(tb[NFTA_EXPR_NAME], name, sizeof(name));
	if (tb[NFTA_EXPR_DATA] && query_nested(tb[NFTA_EXPR_DATA], data, EXPR_ATTR_MAX) < 0)
		return -EBADMSG;
	for (size_t i = 0; i < ARRAY_COUNT(expressions); i++) {
		if (strcmp(expressions[i].name, name) == 0) {
			expressions[i].read(data, r);
			return 0;
		}
	}
	r->rule->conditional = true;
	r->loaded = LOADED_OTHER;
	return 0;
}

static int on_rule(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[NFTA_RULE_MAX + 1], *elem;
	struct others_rule rule = {};
	struct reading reading = { .rule = &rule };
	const struct walk *walk = arg;
	int left;

	if (!nlh)
		return walk->rule(NULL, walk->arg);
	rule.family = family_of(nlh);
	if (!sees_forwarded(rule.family))
		return 0;
	if (query_parse(nlh, tb, NFTA_RULE_MAX) < 0)
		return -EBADMSG;
	query_string(tb[NFTA_RULE_TABLE], rule.table, sizeof(rule.table));
	query_string(tb[NFTA_RULE_CHAIN], rule.chain, sizeof(rule.chain));
	if (tb[NFTA_RULE_EXPRESSIONS]) {
		nla_for_each_nested(elem, tb[NFTA_RULE_EXPRESSIONS], left) {
			if (read_expr(elem, &reading) < 0)
				return -EBADMSG;
		}
	}
	return walk->rule(&rule, walk->arg);
}

static int dump(struct nlsock *sock, uint8_t type, nlsock_reply_t reply, struct walk *walk,
		const char *what, struct pw_error *err)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = batch_request(type);
	struct nfgenmsg *head;

	if (!msg)
		return pw_oom(err);
	head = nlmsg_data(nlmsg_hdr(msg));
	head->nfgen_family = NFPROTO_UNSPEC; /* of every family */
	return nlsock_dump(sock, msg, reply, walk, err, "cannot list nftables %s", what);
}

int others_chains(struct nlsock *sock, others_chain_t each, void *arg, struct pw_error *err)
{
	struct walk walk = { .chain = each, .arg = arg };

	return dump(sock, NFT_MSG_GETCHAIN, on_chain, &walk, "chains", err);
}

int others_rules(struct nlsock *sock, others_rule_t each, void *arg, struct pw_error *err)
{
	struct walk walk = { .rule = each, .arg = arg };

	return dump(sock, NFT_MSG_GETRULE, on_rule, &walk, "rules", err);
}
