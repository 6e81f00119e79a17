/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel has of podwire's table
 *
 * A dump is filtered by the kernel: of rules by table and chain, of elements by table and set.
 * Chains cannot be filtered, so they are only ever asked for one by one.
 */
#include "nft/inspect.h"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "netlink/auto.h"
#include "netlink/sock.h"

#define WHAT "cannot read nftables table inet podwire"

/* nft's comment in an element's user data. */
#define ELEM_COMMENT 0

static int parse(const struct nlmsghdr *nlh, struct nlattr **tb, int max)
{
	if (nlmsg_parse((struct nlmsghdr *)nlh, sizeof(struct nfgenmsg), tb, max, NULL) < 0)
		return -EBADMSG;
	return 0;
}

static int parse_nested(struct nlattr *nest, struct nlattr **tb, int max)
{
	if (!nest || nla_parse_nested(tb, max, nest, NULL) < 0)
		return -EBADMSG;
	return 0;
}

static uint32_t get_u32(const struct nlattr *attr)
{
	return attr && nla_len(attr) >= 4 ? ntohl(nla_get_u32(attr)) : 0;
}

/* @attr's string, as far as it fits; empty without one. */
static void get_string(const struct nlattr *attr, char *ret, size_t size)
{
	size_t n = attr ? strnlen(nla_data(attr), (size_t)nla_len(attr)) : 0;

	if (n >= size)
		n = size - 1;
	if (n > 0)
		memcpy(ret, nla_data(attr), n);
	ret[n] = '\0';
}

/* -EINVAL, -EOPNOTSUPP: no nf_tables in this kernel, so nobody has tables. */
static bool is_absence(int r)
{
	return r == -ENOENT || r == -EINVAL || r == -EOPNOTSUPP;
}

/* A request about the table, with the table's name in attribute 1, where all types have it. */
static struct nl_msg *request(uint8_t type, int attr, const char *name)
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

/* 1: there was a reply, 0: nothing of that name. */
static int ask(struct nlsock *sock, struct nl_msg *msg, nlsock_reply_t reply, void *arg,
	       struct pw_error *err)
{
	struct pw_error e = {};
	int r;

	if (!msg)
		return pw_oom(err);
	r = nlsock_get(sock, msg, reply, arg, &e, WHAT);
	if (is_absence(r))
		return 0;
	if (r < 0 && err)
		*err = e;
	return r < 0 ? r : 1;
}

static int on_table(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[NFTA_TABLE_MAX + 1];
	struct inspect_table *t = arg;

	if (parse(nlh, tb, NFTA_TABLE_MAX) < 0)
		return -EBADMSG;
	t->dormant = get_u32(tb[NFTA_TABLE_FLAGS]) & NFT_TABLE_F_DORMANT;
	return 0;
}

int inspect_table(struct nlsock *sock, struct inspect_table *ret, struct pw_error *err)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = request(NFT_MSG_GETTABLE, 0, NULL);
	int r;

	*ret = (struct inspect_table){};
	r = ask(sock, msg, on_table, ret, err);
	ret->there = r > 0;
	return r < 0 ? r : 0;
}

static int on_chain(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[NFTA_CHAIN_MAX + 1], *hook[NFTA_HOOK_MAX + 1];
	struct inspect_chain *c = arg;
	char type[8];

	if (parse(nlh, tb, NFTA_CHAIN_MAX) < 0)
		return -EBADMSG;
	c->use = get_u32(tb[NFTA_CHAIN_USE]);
	if (!tb[NFTA_CHAIN_HOOK])
		return 0;
	if (parse_nested(tb[NFTA_CHAIN_HOOK], hook, NFTA_HOOK_MAX) < 0)
		return -EBADMSG;
	get_string(tb[NFTA_CHAIN_TYPE], type, sizeof(type));
	c->hooked = strcmp(type, "nat") == 0 &&
		    get_u32(hook[NFTA_HOOK_HOOKNUM]) == NF_INET_POST_ROUTING &&
		    get_u32(hook[NFTA_HOOK_PRIORITY]) == RULESET_PRIORITY;
	return 0;
}

int inspect_chain(struct nlsock *sock, const char *chain, struct inspect_chain *ret,
		  struct pw_error *err)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg =
		request(NFT_MSG_GETCHAIN, NFTA_CHAIN_NAME, chain);
	int r;

	*ret = (struct inspect_chain){};
	r = ask(sock, msg, on_chain, ret, err);
	ret->there = r > 0;
	return r < 0 ? r : 0;
}

int inspect_set(struct nlsock *sock, const char *set, struct pw_error *err)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = request(NFT_MSG_GETSET, NFTA_SET_NAME, set);

	return ask(sock, msg, NULL, NULL, err);
}

/* Appends one expression's name, and the set's of a lookup, to what a rule is recognised by. */
static int describe_expr(struct nlattr *elem, char *text, size_t size)
{
	struct nlattr *tb[NFTA_EXPR_MAX + 1], *lookup[NFTA_LOOKUP_MAX + 1];
	char name[16], set[RULESET_NAMELEN + 1] = "";
	size_t len = strlen(text);

	if (parse_nested(elem, tb, NFTA_EXPR_MAX) < 0)
		return -EBADMSG;
	get_string(tb[NFTA_EXPR_NAME], name, sizeof(name));
	if (strcmp(name, "lookup") == 0) {
		if (parse_nested(tb[NFTA_EXPR_DATA], lookup, NFTA_LOOKUP_MAX) < 0)
			return -EBADMSG;
		get_string(lookup[NFTA_LOOKUP_SET], set, sizeof(set));
	}
	/* what does not fit is longer than any rule of ours, and so isn't one */
	snprintf(text + len, size - len, "%s%s%s%s", len ? " " : "", name, *set ? "@" : "", set);
	return 0;
}

struct rules_arg {
	const char *const *wanted;
	size_t n, next;
	struct inspect_rules *ret;
};

static int on_rule(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[NFTA_RULE_MAX + 1], *elem;
	struct rules_arg *a = arg;
	char text[RULESET_RULELEN + 1] = "";
	int left;

	if (!nlh) { /* the dump begins again */
		*a->ret = (struct inspect_rules){};
		a->next = 0;
		return 0;
	}
	if (parse(nlh, tb, NFTA_RULE_MAX) < 0)
		return -EBADMSG;
	a->ret->total++;
	if (!tb[NFTA_RULE_EXPRESSIONS])
		return 0;
	nla_for_each_nested(elem, tb[NFTA_RULE_EXPRESSIONS], left) {
		if (describe_expr(elem, text, sizeof(text)) < 0)
			return -EBADMSG;
	}
	for (size_t i = a->next; i < a->n; i++) {
		if (strcmp(text, a->wanted[i]) != 0)
			continue;
		a->ret->found |= 1u << i;
		a->next = i + 1;
		break;
	}
	return 0;
}

int inspect_rules(struct nlsock *sock, const char *chain, const char *const *wanted, size_t n,
		  struct inspect_rules *ret, struct pw_error *err)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg =
		request(NFT_MSG_GETRULE, NFTA_RULE_CHAIN, chain);
	struct rules_arg a = { .wanted = wanted, .n = n, .ret = ret };
	struct pw_error e = {};
	int r;

	*ret = (struct inspect_rules){};
	if (!msg)
		return pw_oom(err);
	r = nlsock_dump(sock, msg, on_rule, &a, &e, WHAT);
	if (is_absence(r))
		return 0;
	if (r < 0 && err)
		*err = e;
	return r;
}

/* What one element of a dump has. */
struct raw_element {
	struct ipaddr key;
	bool end;
	struct nlattr *data, *udata;
};

static int parse_element(struct nlattr *elem, int family, struct raw_element *ret)
{
	struct nlattr *tb[NFTA_SET_ELEM_MAX + 1], *data[NFTA_DATA_MAX + 1];
	struct raw_element raw = { .key.family = (uint8_t)family };
	size_t size = ipaddr_size(&raw.key);

	if (parse_nested(elem, tb, NFTA_SET_ELEM_MAX) < 0 ||
	    parse_nested(tb[NFTA_SET_ELEM_KEY], data, NFTA_DATA_MAX) < 0)
		return -EBADMSG;
	if (!data[NFTA_DATA_VALUE] || (size_t)nla_len(data[NFTA_DATA_VALUE]) != size)
		return -EBADMSG;
	memcpy(raw.key.b, nla_data(data[NFTA_DATA_VALUE]), size);
	raw.end = get_u32(tb[NFTA_SET_ELEM_FLAGS]) & NFT_SET_ELEM_INTERVAL_END;
	raw.data = tb[NFTA_SET_ELEM_DATA];
	raw.udata = tb[NFTA_SET_ELEM_USERDATA];
	*ret = raw;
	return 0;
}

/* Calls @each for the elements of one message. */
static int each_element(const struct nlmsghdr *nlh, int family,
			int (*each)(const struct raw_element *raw, void *arg), void *arg)
{
	struct nlattr *tb[NFTA_SET_ELEM_LIST_MAX + 1], *elem;
	struct raw_element raw;
	int left, r;

	if (parse(nlh, tb, NFTA_SET_ELEM_LIST_MAX) < 0)
		return -EBADMSG;
	if (!tb[NFTA_SET_ELEM_LIST_ELEMENTS])
		return 0;
	nla_for_each_nested(elem, tb[NFTA_SET_ELEM_LIST_ELEMENTS], left) {
		r = parse_element(elem, family, &raw);
		if (r == 0)
			r = each(&raw, arg);
		if (r < 0)
			return r;
	}
	return 0;
}

struct bounds_arg {
	int family;
	const struct exclusions_bound *wanted;
	size_t n;
	size_t matched;
	bool other; /* something that isn't wanted */
};

/* The order of exclusions_bounds(): an end stands before a start at the same address. */
static int compare_bounds(const void *pa, const void *pb)
{
	const struct exclusions_bound *a = pa, *b = pb;
	int r = memcmp(a->key.b, b->key.b, sizeof(a->key.b));

	return r ? r : (int)b->end - (int)a->end;
}

static int match_bound(const struct raw_element *raw, void *arg)
{
	struct exclusions_bound key = { .key = raw->key, .end = raw->end };
	struct bounds_arg *a = arg;

	/* the kernel holds no element twice, so counting those that are wanted is enough */
	if (a->n > 0 && bsearch(&key, a->wanted, a->n, sizeof(key), compare_bounds))
		a->matched++;
	else
		a->other = true;
	return 0;
}

static int on_bounds(const struct nlmsghdr *nlh, void *arg)
{
	struct bounds_arg *a = arg;

	if (!nlh) {
		a->matched = 0;
		a->other = false;
		return 0;
	}
	return each_element(nlh, a->family, match_bound, a);
}

int inspect_bounds(struct nlsock *sock, int family, const struct exclusions *e,
		   struct pw_error *err)
{
	_cleanup_(freep) struct exclusions_bound *bounds = NULL;
	_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;
	struct bounds_arg a = { .family = family };
	char set[RULESET_NAMELEN];
	int r;

	r = exclusions_bounds(e, family, &bounds, &a.n, err);
	if (r < 0)
		return r;
	a.wanted = bounds;

	msg = request(NFT_MSG_GETSETELEM, NFTA_SET_ELEM_LIST_SET,
		      ruleset_set(family, e->name, set));
	if (!msg)
		return pw_oom(err);
	r = nlsock_dump(sock, msg, on_bounds, &a, err, "cannot read nftables set %s", set);
	if (r < 0)
		return is_absence(r) ? -ENOENT : r;
	return !a.other && a.matched == a.n;
}

/* The comment in an element's user data; empty when there is none that an owner could have. */
static void get_owner(const struct nlattr *udata, char owner[IFNAMSIZ])
{
	const uint8_t *p = udata ? nla_data(udata) : NULL;
	size_t left = udata ? (size_t)nla_len(udata) : 0;

	owner[0] = '\0';
	while (left >= 2 && (size_t)p[1] + 2 <= left) {
		size_t len = p[1];

		if (p[0] == ELEM_COMMENT && len > 0 && len <= IFNAMSIZ && p[2 + len - 1] == '\0') {
			memcpy(owner, p + 2, len);
			return;
		}
		p += 2 + len;
		left -= 2 + len;
	}
}

static void get_jump(struct nlattr *data, char *chain, size_t size)
{
	struct nlattr *tb[NFTA_DATA_MAX + 1], *verdict[NFTA_VERDICT_MAX + 1];

	chain[0] = '\0';
	if (parse_nested(data, tb, NFTA_DATA_MAX) < 0 ||
	    parse_nested(tb[NFTA_DATA_VERDICT], verdict, NFTA_VERDICT_MAX) < 0)
		return;
	if ((int)get_u32(verdict[NFTA_VERDICT_CODE]) == NFT_JUMP)
		get_string(verdict[NFTA_VERDICT_CHAIN], chain, size);
}

static void decode_element(const struct raw_element *raw, struct ruleset_element *ret)
{
	*ret = (struct ruleset_element){ .address = raw->key };
	get_owner(raw->udata, ret->owner);
	get_jump(raw->data, ret->chain, sizeof(ret->chain));
}

struct element_arg {
	const struct ipaddr *address;
	struct ruleset_element *ret;
};

static int take_element(const struct raw_element *raw, void *arg)
{
	struct element_arg *a = arg;

	if (ipaddr_equal(&raw->key, a->address))
		decode_element(raw, a->ret);
	return 0;
}

static int on_element(const struct nlmsghdr *nlh, void *arg)
{
	struct element_arg *a = arg;

	return each_element(nlh, a->address->family, take_element, a);
}

int inspect_element(struct nlsock *sock, const struct ipaddr *address, struct ruleset_element *ret,
		    struct pw_error *err)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg =
		request(NFT_MSG_GETSETELEM, NFTA_SET_ELEM_LIST_SET, ruleset_map(address->family));
	struct element_arg a = { .address = address, .ret = ret };
	struct nlattr *list, *elem, *key;

	if (!msg)
		return pw_oom(err);
	list = nla_nest_start(msg, NFTA_SET_ELEM_LIST_ELEMENTS);
	elem = list ? nla_nest_start(msg, NFTA_LIST_ELEM) : NULL;
	key = elem ? nla_nest_start(msg, NFTA_SET_ELEM_KEY) : NULL;
	if (!key || nla_put(msg, NFTA_DATA_VALUE, (int)ipaddr_size(address), address->b) < 0)
		return pw_oom(err);
	nla_nest_end(msg, key);
	nla_nest_end(msg, elem);
	nla_nest_end(msg, list);

	*ret = (struct ruleset_element){};
	return ask(sock, msg, on_element, &a, err);
}

void inspect_elements_done(struct inspect_elements *e)
{
	free(e->list);
	*e = (struct inspect_elements){};
}

struct elements_arg {
	int family;
	const char *owner;
	size_t before; /* what was there before this dump */
	struct inspect_elements *ret;
};

static int collect_element(const struct raw_element *raw, void *arg)
{
	struct elements_arg *a = arg;
	struct inspect_elements *ret = a->ret;
	struct ruleset_element element;

	decode_element(raw, &element);
	if (a->owner && strcmp(a->owner, element.owner) != 0)
		return 0;
	if (ret->n == ret->room) {
		size_t room = ret->room ? ret->room * 2 : 16;
		void *p = reallocarray(ret->list, room, sizeof(*ret->list));

		if (!p)
			return -ENOMEM;
		ret->list = p;
		ret->room = room;
	}
	ret->list[ret->n++] = element;
	return 0;
}

static int on_elements(const struct nlmsghdr *nlh, void *arg)
{
	struct elements_arg *a = arg;

	if (!nlh) {
		a->ret->n = a->before;
		return 0;
	}
	return each_element(nlh, a->family, collect_element, a);
}

int inspect_elements(struct nlsock *sock, int family, const char *owner,
		     struct inspect_elements *ret, struct pw_error *err)
{
	const char *map = ruleset_map(family);
	_cleanup_(nlmsg_freep) struct nl_msg *msg =
		request(NFT_MSG_GETSETELEM, NFTA_SET_ELEM_LIST_SET, map);
	struct elements_arg a = { .family = family, .owner = owner, .before = ret->n, .ret = ret };
	struct pw_error e = {};
	int r;

	if (!msg)
		return pw_oom(err);
	r = nlsock_dump(sock, msg, on_elements, &a, &e, "cannot read nftables map %s", map);
	if (is_absence(r))
		return 0;
	if (r < 0 && err)
		*err = e;
	return r;
}
