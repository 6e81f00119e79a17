/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nft/lists.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"

static void list_done(struct list *l)
{
	prefixes_done(&l->to);
	prefixes_done(&l->from);
}

void lists_done(struct lists *l)
{
	struct list *list = l->all.v;

	for (size_t i = 0; i < l->all.n; i++)
		list_done(&list[i]);
	array_done(&l->all);
}

bool lists_have(const struct lists *l, const char *hash)
{
	const struct list *list = l->all.v;

	for (size_t i = 0; i < l->all.n; i++) {
		if (strcmp(list[i].key.hash, hash) == 0)
			return true;
	}
	return false;
}

/* The destinations' name, or one of both. */
static void name_list(struct list *l)
{
	uint64_t h;

	memcpy(l->key.hash, l->to.name, sizeof(l->key.hash));
	l->key.from = l->from.n > 0;
	if (!l->key.from)
		return;
	h = hash_bytes(HASH_START, l->to.name, sizeof(l->to.name));
	h = hash_bytes(h, l->from.name, sizeof(l->from.name));
	snprintf(l->key.hash, sizeof(l->key.hash), "%016" PRIx64, hash_end(h));
}

int lists_add(struct lists *l, const struct masq_list *in, struct pw_error *err)
{
	_cleanup_(list_done) struct list list = {};
	struct list *to;
	int r;

	r = prefixes_canonical(in->exclusions, in->n_exclusions, &list.to, err);
	if (r == 0)
		r = prefixes_canonical(in->sources, in->n_sources, &list.from, err);
	if (r < 0)
		return r;
	name_list(&list);
	if (lists_have(l, list.key.hash))
		return 0;

	to = array_grow(&l->all, sizeof(*to), 1);
	if (!to)
		return pw_oom(err);
	*to = list;
	list = (struct list){};
	return 0;
}
