/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nft/elements.h"

#include <linux/netfilter.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "netlink/auto.h"
#include "nft/query.h"

/* nft's comment in an element's user data. */
#define ELEM_COMMENT 0

void elements_done(struct elements *e)
{
	free(e->list);
	*e = (struct elements){};
}

/* What one element of a dump has. */
struct raw_element {
	struct ipaddr key;
	bool end;
	struct nlattr *udata;
};

static int parse_element(struct nlattr *elem, int family, struct raw_element *ret)
{
	struct nlattr *tb[NFTA_SET_ELEM_MAX + 1], *data[NFTA_DATA_MAX + 1];
	struct raw_element raw = { .key.family = (uint8_t)family };
	size_t size = ipaddr_size(&raw.key);

	if (query_nested(elem, tb, NFTA_SET_ELEM_MAX) < 0 ||
	    query_nested(tb[NFTA_SET_ELEM_KEY], data, NFTA_DATA_MAX) < 0)
		return -EBADMSG;
	if (!data[NFTA_DATA_VALUE] || (size_t)nla_len(data[NFTA_DATA_VALUE]) != size)
		return -EBADMSG;
	memcpy(raw.key.b, nla_data(data[NFTA_DATA_VALUE]), size);
	raw.end = query_u32(tb[NFTA_SET_ELEM_FLAGS]) & NFT_SET_ELEM_INTERVAL_END;
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

	if (query_parse(nlh, tb, NFTA_SET_ELEM_LIST_MAX) < 0)
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

struct pods_arg {
	int family;
	const char *hash;
	const struct ipaddr *address; /* only this one, or NULL */
	const char *owner;            /* only this one's, or NULL */
	size_t before;                /* what was there before this dump */
	struct elements *ret;
};

static int collect(const struct raw_element *raw, void *arg)
{
	struct ruleset_element element = { .address = raw->key };
	struct pods_arg *a = arg;
	struct elements *ret = a->ret;

	get_owner(raw->udata, element.owner);
	if ((a->owner && strcmp(a->owner, element.owner) != 0) ||
	    (a->address && !ipaddr_equal(a->address, &raw->key)))
		return 0;
	memcpy(element.hash, a->hash, EXCLUSIONS_NAMELEN);

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

static int on_pods(const struct nlmsghdr *nlh, void *arg)
{
	struct pods_arg *a = arg;

	if (!nlh) { /* the dump begins again */
		a->ret->n = a->before;
		return 0;
	}
	return each_element(nlh, a->family, collect, a);
}

static int put_key(struct nl_msg *msg, const struct ipaddr *address)
{
	struct nlattr *list, *elem, *key;

	list = nla_nest_start(msg, NFTA_SET_ELEM_LIST_ELEMENTS);
	elem = list ? nla_nest_start(msg, NFTA_LIST_ELEM) : NULL;
	key = elem ? nla_nest_start(msg, NFTA_SET_ELEM_KEY) : NULL;
	if (!key || nla_put(msg, NFTA_DATA_VALUE, (int)ipaddr_size(address), address->b) < 0)
		return -ENOMEM;
	nla_nest_end(msg, key);
	nla_nest_end(msg, elem);
	nla_nest_end(msg, list);
	return 0;
}

int elements_get(struct nlsock *sock, const char *hash, const struct ipaddr *address,
		 struct elements *ret, struct pw_error *err)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;
	struct pods_arg a = {
		.family = address->family, .hash = hash, .address = address, .ret = ret
	};
	char set[RULESET_NAMELEN];
	int r;

	msg = query_new(NFT_MSG_GETSETELEM, NFTA_SET_ELEM_LIST_SET,
			ruleset_pods(address->family, hash, set));
	if (!msg || put_key(msg, address) < 0)
		return pw_oom(err);
	r = query_one(sock, take_ptr(msg), on_pods, &a, err);
	return r < 0 ? r : 0;
}

int elements_dump(struct nlsock *sock, const char *hash, const char *owner, struct elements *ret,
		  struct pw_error *err)
{
	static const int families[] = { AF_INET, AF_INET6 };
	char set[RULESET_NAMELEN];
	int r = 0;

	for (size_t i = 0; r >= 0 && i < 2; i++) {
		struct pods_arg a = {
			.family = families[i],
			.hash = hash,
			.owner = owner,
			.before = ret->n,
			.ret = ret,
		};

		r = query_dump(sock,
			       query_new(NFT_MSG_GETSETELEM, NFTA_SET_ELEM_LIST_SET,
					 ruleset_pods(families[i], hash, set)),
			       on_pods, &a, err);
	}
	return r < 0 ? r : 0;
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

int elements_match(struct nlsock *sock, int family, const struct exclusions *e,
		   struct pw_error *err)
{
	_cleanup_(freep) struct exclusions_bound *bounds = NULL;
	struct bounds_arg a = { .family = family };
	char set[RULESET_NAMELEN];
	int r;

	r = exclusions_bounds(e, family, &bounds, &a.n, err);
	if (r < 0)
		return r;
	a.wanted = bounds;
	r = query_dump(sock,
		       query_new(NFT_MSG_GETSETELEM, NFTA_SET_ELEM_LIST_SET,
				 ruleset_excluded(family, e->name, set)),
		       on_bounds, &a, err);
	if (r < 0)
		return r;
	return !a.other && a.matched == a.n;
}
