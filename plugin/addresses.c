/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "addresses.h"

#include "base/error.h"
#include "net/ipaddr.h"

int addresses_strip(const struct array *cidrs, struct array *ret, struct pw_error *err)
{
	const struct cidr *from = cidrs ? cidrs->v : NULL;
	struct ipaddr *to;

	if (!cidrs || !cidrs->n)
		return 0;
	to = array_grow(ret, sizeof(*to), cidrs->n);
	if (!to)
		return pw_oom(err);
	for (size_t i = 0; i < cidrs->n; i++)
		to[i] = from[i].ip;
	return 0;
}
