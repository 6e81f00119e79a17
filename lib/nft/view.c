/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel has of podwire's table, but for the elements of its sets
 *
 * Four requests: the kernel filters rules by table and chain, and sets by table. (It does not
 * filter chains, so the one chain is asked for by its name.)
 */
#include "nft/view.h"

#include <inttypes.h>
#include <linux/netfilter.h>
#include <string.h>
#include <sys/socket.h>

#include "base/array.h"
#include "base/error.h"
#include "nft/query.h"

void view_done(struct view *v)
{
	free(v->rules);
	free(v->sets);
	free(v->lists);
	*v = (struct view){};
}

static void *grow(void *array, size_t *room, size_t n, size_t size)
{
	size_t want = *room ? *room * 2 : 8;
	void *p = array;

	if (n < *room)
		return array;
	p = reallocarray(array, want, size);
	if (p)
		*room = want;
	return p;
}

static int on_table(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[NFTA_TABLE_MAX + 1];
	struct view *v = arg;

	if (query_parse(nlh, tb, NFTA_TABLE_MAX) < 0)
		return -EBADMSG;
	v->dormant = query_u32(tb[NFTA_TABLE_FLAGS]) & NFT_TABLE_F_DORMANT;
	return 0;
}

static int on_chain(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[NFTA_CHAIN_MAX + 1], *hook[NFTA_HOOK_MAX + 1];
	struct view *v = arg;
	char type[8];

	if (query_parse(nlh, tb, NFTA_CHAIN_MAX) < 0)
		return -EBADMSG;
	if (!tb[NFTA_CHAIN_HOOK])
		return 0;
	if (query_nested(tb[NFTA_CHAIN_HOOK], hook, NFTA_HOOK_MAX) < 0)
		return -EBADMSG;
	query_string(tb[NFTA_CHAIN_TYPE], type, sizeof(type));
	v->hooked = strcmp(type, "nat") == 0 &&
		    query_u32(hook[NFTA_HOOK_HOOKNUM]) == NF_INET_POST_ROUTING &&
		    query_u32(hook[NFTA_HOOK_PRIORITY]) == RULESET_PRIORITY;
	return 0;
}

static void describe_meta(struct nlattr **tb, char *ret, size_t size)
{
	snprintf(ret, size, ":%" PRIu32, query_u32(tb[NFTA_META_KEY]));
}

static void describe_cmp(struct nlattr **tb, char *ret, size_t size)
{
	struct nlattr *data[NFTA_DATA_MAX + 1];
	const uint8_t *p;
	size_t len;

	if (query_nested(tb[NFTA_CMP_DATA], data, NFTA_DATA_MAX) < 0 || !data[NFTA_DATA_VALUE])
		return;
	p = nla_data(data[NFTA_DATA_VALUE]);
	len = (size_t)nla_len(data[NFTA_DATA_VALUE]);
	snprintf(ret, size, query_u32(tb[NFTA_CMP_OP]) == NFT_CMP_EQ ? "=" : "~");
	for (size_t i = 0; i < len && 2 * i + 4 <= size; i++)
		snprintf(ret + 1 + 2 * i, 3, "%02x", p[i]);
}

static void describe_payload(struct nlattr **tb, char *ret, size_t size)
{
	snprintf(ret, size,
		 query_u32(tb[NFTA_PAYLOAD_BASE]) == NFT_PAYLOAD_NETWORK_HEADER
			 ? "@%" PRIu32 "+%" PRIu32
			 : "@~%" PRIu32 "+%" PRIu32,
		 query_u32(tb[NFTA_PAYLOAD_OFFSET]), query_u32(tb[NFTA_PAYLOAD_LEN]));
}

static void describe_lookup(struct nlattr **tb, char *ret, size_t size)
{
	char set[RULESET_NAMELEN + 1];

	query_string(tb[NFTA_LOOKUP_SET], set, sizeof(set));
	snprintf(ret, size, "%s@%s", query_u32(tb[NFTA_LOOKUP_FLAGS]) & NFT_LOOKUP_F_INV ? "!" : "",
		 set);
}

/* What of an expression tells it from others of its name. */
static const struct {
	const char *name;
	void (*describe)(struct nlattr **tb, char *ret, size_t size);
} expressions[] = {
	{ "meta", describe_meta },
	{ "cmp", describe_cmp },
	{ "payload", describe_payload },
	{ "lookup", describe_lookup },
};

#define EXPR_ATTR_MAX 16

/* Appends one expression to what a rule is recognised by. */
static int describe_expr(struct nlattr *elem, char *text, size_t size)
{
	struct nlattr *tb[NFTA_EXPR_MAX + 1], *data[EXPR_ATTR_MAX + 1];
	char name[16], rest[48] = "";
	size_t len = strlen(text);

	if (query_nested(elem, tb, NFTA_EXPR_MAX) < 0)
		return -EBADMSG;
	query_string(tb[NFTA_EXPR_NAME], name, sizeof(name));
	for (size_t i = 0; i < ARRAY_COUNT(expressions); i++) {
		if (strcmp(expressions[i].name, name) != 0)
			continue;
		if (query_nested(tb[NFTA_EXPR_DATA], data, EXPR_ATTR_MAX) < 0)
			return -EBADMSG;
		expressions[i].describe(data, rest, sizeof(rest));
	}
	/* what does not fit is longer than any rule of ours, and so isn't one */
	snprintf(text + len, size - len, "%s%s%s", len ? " " : "", name, rest);
	return 0;
}

static int on_rule(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[NFTA_RULE_MAX + 1], *elem;
	struct view_rule rule = {}, *rules;
	struct view *v = arg;
	int left;

	if (!nlh) { /* the dump begins again */
		v->n_rules = 0;
		return 0;
	}
	if (query_parse(nlh, tb, NFTA_RULE_MAX) < 0)
		return -EBADMSG;
	rules = grow(v->rules, &v->rules_room, v->n_rules, sizeof(*v->rules));
	if (!rules)
		return -ENOMEM;
	v->rules = rules;

	rule.handle = query_u64(tb[NFTA_RULE_HANDLE]);
	if (tb[NFTA_RULE_EXPRESSIONS]) {
		nla_for_each_nested(elem, tb[NFTA_RULE_EXPRESSIONS], left) {
			if (describe_expr(elem, rule.text, sizeof(rule.text)) < 0)
				return -EBADMSG;
		}
	}
	v->rules[v->n_rules++] = rule;
	return 0;
}

static int on_set(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[NFTA_SET_MAX + 1];
	struct view *v = arg;
	struct view_set *sets;

	if (!nlh) {
		v->n_sets = 0;
		return 0;
	}
	if (query_parse(nlh, tb, NFTA_SET_MAX) < 0)
		return -EBADMSG;
	sets = grow(v->sets, &v->sets_room, v->n_sets, sizeof(*v->sets));
	if (!sets)
		return -ENOMEM;
	v->sets = sets;
	/* an operator's longer name is cut, and then is none of ours still */
	query_string(tb[NFTA_SET_NAME], v->sets[v->n_sets++].name, sizeof(v->sets->name));
	return 0;
}

static struct ruleset_key *find_list(struct view *v, const char *hash)
{
	for (size_t i = 0; i < v->n_lists; i++) {
		if (strcmp(v->lists[i].hash, hash) == 0)
			return &v->lists[i];
	}
	return NULL;
}

static int collect_lists(struct view *v, struct pw_error *err)
{
	v->lists = calloc(v->n_sets + 1, sizeof(*v->lists));
	if (!v->lists)
		return pw_oom(err);
	for (size_t i = 0; i < v->n_sets; i++) {
		enum ruleset_side side;
		const char *hash = ruleset_hash(v->sets[i].name, &side);
		struct ruleset_key *key;

		if (!hash)
			continue;
		key = find_list(v, hash);
		if (!key) {
			key = &v->lists[v->n_lists++];
			memcpy(key->hash, hash, sizeof(key->hash));
		}
		key->from = key->from || side == RULESET_FROM;
	}
	return 0;
}

int view_read(struct nlsock *sock, struct view *ret, struct pw_error *err)
{
	_cleanup_(view_done) struct view v = {};
	int r;

	r = query_one(sock, query_new(NFT_MSG_GETTABLE, 0, NULL), on_table, &v, err);
	v.table = r > 0;
	if (v.table) {
		r = query_one(sock, query_new(NFT_MSG_GETCHAIN, NFTA_CHAIN_NAME, RULESET_HOOK),
			      on_chain, &v, err);
		v.chain = r > 0;
	}
	if (v.chain)
		r = query_dump(sock, query_new(NFT_MSG_GETRULE, NFTA_RULE_CHAIN, RULESET_HOOK),
			       on_rule, &v, err);
	if (v.table && r >= 0)
		r = query_dump(sock, query_new(NFT_MSG_GETSET, 0, NULL), on_set, &v, err);
	if (r >= 0)
		r = collect_lists(&v, err);
	if (r < 0)
		return r;
	*ret = v;
	v = (struct view){};
	return 0;
}

bool view_has_set(const struct view *v, const char *name)
{
	for (size_t i = 0; i < v->n_sets; i++) {
		if (strcmp(v->sets[i].name, name) == 0)
			return true;
	}
	return false;
}

const struct view_rule *view_find_rule(const struct view *v, int family,
				       const struct ruleset_key *key)
{
	char text[RULESET_RULELEN];

	ruleset_rule(family, key, text);
	for (size_t i = 0; i < v->n_rules; i++) {
		if (strcmp(v->rules[i].text, text) == 0)
			return &v->rules[i];
	}
	return NULL;
}
