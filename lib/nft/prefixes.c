/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prefixes in canonical form
 *
 * Prefixes either nest or are disjoint. Sorted by address and then by length, a prefix stands
 * directly behind the prefixes that hold it, so one pass drops what is inside another. Neighbours
 * are not merged: an operator finds the prefixes that the config has.
 */
#include "nft/prefixes.h"

#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/hash.h"

static int compare(const void *pa, const void *pb)
{
	const struct cidr *a = pa, *b = pb;
	int r;

	if (a->ip.family != b->ip.family)
		return a->ip.family == AF_INET ? -1 : 1;
	r = memcmp(a->ip.b, b->ip.b, sizeof(a->ip.b));
	return r ? r : (int)a->len - (int)b->len;
}

static void name_list(struct prefixes *e)
{
	uint64_t h = HASH_START;

	for (size_t i = 0; i < e->n; i++) {
		const struct cidr *c = &e->list[i];
		uint8_t head[2] = { c->ip.family == AF_INET ? 4 : 6, c->len };

		h = hash_bytes(h, head, sizeof(head));
		h = hash_bytes(h, c->ip.b, ipaddr_size(&c->ip));
	}
	snprintf(e->name, sizeof(e->name), "%016" PRIx64, hash_end(h));
}

int prefixes_canonical(const struct cidr *in, size_t n, struct prefixes *ret, struct pw_error *err)
{
	struct prefixes e = {};

	e.list = calloc(n + 1, sizeof(*e.list)); /* never zero bytes: NULL means out of memory */
	if (!e.list)
		return pw_oom(err);

	for (size_t i = 0; i < n; i++)
		e.list[i] = cidr_network(&in[i]);
	qsort(e.list, n, sizeof(*e.list), compare);

	for (size_t i = 0; i < n; i++) {
		if (e.n > 0 && cidr_contains(&e.list[e.n - 1], &e.list[i].ip))
			continue;
		e.list[e.n++] = e.list[i];
	}
	name_list(&e);
	*ret = e;
	return 0;
}

void prefixes_done(struct prefixes *e)
{
	free(e->list);
	*e = (struct prefixes){};
}

/* The first address behind @c, or false when @c reaches the family's last. */
static bool address_behind(const struct cidr *c, struct ipaddr *ret)
{
	struct ipaddr a = c->ip;
	unsigned int i, carry;

	if (c->len == 0)
		return false;
	i = (c->len - 1) / 8;
	carry = 1u << (7 - (c->len - 1) % 8);
	for (;; i--) {
		carry += a.b[i];
		a.b[i] = (uint8_t)carry;
		carry >>= 8;
		if (!carry)
			break;
		if (i == 0)
			return false;
	}
	*ret = a;
	return true;
}

int prefixes_bounds(const struct prefixes *e, int family, struct prefixes_bound **ret,
		    size_t *ret_n, struct pw_error *err)
{
	_cleanup_(freep) struct prefixes_bound *bounds = NULL;
	size_t n = 0;

	bounds = calloc(e->n * 2 + 1, sizeof(*bounds));
	if (!bounds)
		return pw_oom(err);

	for (size_t i = 0; i < e->n; i++) {
		const struct cidr *c = &e->list[i];
		struct ipaddr end;

		if (c->ip.family != family)
			continue;
		if (n == 0 && !ipaddr_is_zero(&c->ip))
			bounds[n++] = (struct prefixes_bound){
				.key = { .family = (uint8_t)family },
				.end = true,
			};
		if (address_behind(c, &end)) {
			bounds[n++] = (struct prefixes_bound){ .key = c->ip };
			bounds[n++] = (struct prefixes_bound){ .key = end, .end = true };
		} else {
			bounds[n++] = (struct prefixes_bound){ .key = c->ip, .open = true };
		}
	}
	*ret = take_ptr(bounds);
	*ret_n = n;
	return 0;
}
