/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nft/elements.h"

#include <linux/netfilter.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "netlink/auto.h"
#include "nft/query.h"

/* What one element of a dump has. */
struct raw_element {
	struct ipaddr key;
	bool end;
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

struct bounds_arg {
	int family;
	const struct prefixes_bound *wanted;
	size_t n;
	size_t matched;
	bool other; /* something that isn't wanted */
};

/* The order of prefixes_bounds(): an end stands before a start at the same address. */
static int compare_bounds(const void *pa, const void *pb)
{
	const struct prefixes_bound *a = pa, *b = pb;
	int r = memcmp(a->key.b, b->key.b, sizeof(a->key.b));

	return r ? r : (int)b->end - (int)a->end;
}

static int match_bound(const struct raw_element *raw, void *arg)
{
	struct prefixes_bound key = { .key = raw->key, .end = raw->end };
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

int elements_match(struct nlsock *sock, const char *set, int family,
		   const struct prefixes *prefixes, struct pw_error *err)
{
	_cleanup_(freep) struct prefixes_bound *bounds = NULL;
	struct bounds_arg a = { .family = family };
	int r;

	r = prefixes_bounds(prefixes, family, &bounds, &a.n, err);
	if (r < 0)
		return r;
	a.wanted = bounds;
	r = query_dump(sock, query_new(NFT_MSG_GETSETELEM, NFTA_SET_ELEM_LIST_SET, set), on_bounds,
		       &a, err);
	if (r < 0)
		return r;
	return !a.other && a.matched == a.n;
}
