/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Masquerading of pods
 *
 * A transaction of nftables takes the kernel a look at each chain of the node: milliseconds beside
 * ten thousand services, whatever is in it. So there is none for a pod: its link's group says which
 * rules are meant, and only the first pod of a list writes them.
 *
 * The kernel's state is read before each change, with a few requests whose cost does not depend on
 * anybody's ruleset, and all that is missing goes into one transaction. Only optimism would be
 * cheaper, and it would not see `nft flush table`, which leaves the sets and takes the rules.
 */
#include "nft/masq.h"

#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "nft/batch.h"
#include "nft/elements.h"
#include "nft/lists.h"
#include "nft/retry.h"
#include "nft/ruleset.h"
#include "nft/view.h"

static const int families[] = { AF_INET, AF_INET6 };

struct masq_others {
	struct lists *lists;
};

int masq_others_add(struct masq_others *others, const struct masq_list *list, struct pw_error *err)
{
	return lists_add(others->lists, list, err);
}

int masq_group(const struct masq_list *list, uint32_t *ret, struct pw_error *err)
{
	_cleanup_(lists_done) struct lists lists = {};
	const struct list *one;
	int r = lists_add(&lists, list, err);

	if (r < 0)
		return r;
	one = lists.all.v;
	*ret = ruleset_group(one->key.hash);
	return r;
}

/* The rule of a list; NULL also when its chain is not what it should be. */
static const struct view_rule *rule_of(const struct view *v, int family,
				       const struct ruleset_key *key)
{
	return v->hooked ? view_find_rule(v, family, key) : NULL;
}

/* The table is missing, or parts of it that were there: sets without their rules. */
static bool is_damaged(const struct view *v)
{
	if (!v->table || v->dormant || !v->hooked)
		return true;
	for (size_t i = 0; i < v->n_lists * 2; i++) {
		if (!rule_of(v, families[i % 2], &v->lists[i / 2]))
			return true;
	}
	return false;
}

static int write_set(struct batch *b, struct nlsock *sock, const struct view *v,
		     enum ruleset_side side, int family, const struct list *list,
		     struct pw_error *err)
{
	const struct prefixes *prefixes = side == RULESET_FROM ? &list->from : &list->to;
	char set[RULESET_NAMELEN];
	int r;

	if (!view_has_set(v, ruleset_set(side, family, list->key.hash, set))) {
		ruleset_add_set(b, side, family, list->key.hash);
	} else {
		r = elements_match(sock, set, family, prefixes, err);
		if (r != 0)
			return r < 0 ? r : 0;
		ruleset_flush_set(b, set);
	}
	return ruleset_add_bounds(b, set, family, prefixes, err);
}

/* Writes what is missing of @list: its sets, its rules. */
static int write_list(struct batch *b, struct nlsock *sock, const struct view *v,
		      const struct list *list, struct pw_error *err)
{
	int r = 0;

	for (size_t i = 0; i < 2 && r == 0; i++) {
		if (list->key.from)
			r = write_set(b, sock, v, RULESET_FROM, families[i], list, err);
		if (r == 0)
			r = write_set(b, sock, v, RULESET_TO, families[i], list, err);
		if (r == 0 && !rule_of(v, families[i], &list->key))
			ruleset_add_rule(b, families[i], &list->key);
	}
	return r;
}

/* Whether all sets of a rule are there. */
static bool has_sets(const struct view *v, int family, const struct ruleset_key *key)
{
	char set[RULESET_NAMELEN];

	return view_has_set(v, ruleset_set(RULESET_TO, family, key->hash, set)) &&
	       (!key->from || view_has_set(v, ruleset_set(RULESET_FROM, family, key->hash, set)));
}

/* Rules for the sets of lists that are not in @known, whose pods nobody could tell. */
static void write_other_rules(struct batch *b, const struct view *v, const struct lists *known)
{
	for (size_t i = 0; i < v->n_lists * 2; i++) {
		const struct ruleset_key *key = &v->lists[i / 2];
		int family = families[i % 2];

		if (!lists_have(known, key->hash) && !rule_of(v, family, key) &&
		    has_sets(v, family, key))
			ruleset_add_rule(b, family, key);
	}
}

/* The table, awake, and in it the chain, hooked. A wrong chain goes, with the rules in it. */
static void write_frame(struct batch *b, const struct view *v)
{
	ruleset_add_table(b);
	if (v->chain && !v->hooked)
		ruleset_delete_chain(b);
	ruleset_add_chain(b);
}

struct addition {
	const struct masq_list *list;
	masq_others_t others;
	void *arg;
};

static int add_once(struct nlsock *sock, const struct addition *a, struct pw_error *err)
{
	_cleanup_(lists_done) struct lists lists = {};
	_cleanup_(view_done) struct view view = {};
	_cleanup_(batch_done) struct batch b = {};
	struct masq_others others = { .lists = &lists };
	const struct list *one;
	bool mend;
	int r;

	r = view_read(sock, &view, err);
	if (r == 0)
		r = lists_add(&lists, a->list, err);
	if (r < 0)
		return r;
	mend = is_damaged(&view);
	if (mend && a->others)
		r = a->others(&others, a->arg, err);
	if (r < 0)
		return r;

	if (mend)
		write_frame(&b, &view);
	one = lists.all.v;
	for (size_t i = 0; r == 0 && i < lists.all.n; i++)
		r = write_list(&b, sock, &view, &one[i], err);
	if (r < 0)
		return r;
	if (mend)
		write_other_rules(&b, &view, &lists);
	return batch_send(&b, sock, err);
}

int masq_add(struct nlsock *sock, const struct masq_list *list, masq_others_t others, void *arg,
	     struct pw_error *err)
{
	const struct addition a = { .list = list, .others = others, .arg = arg };
	struct retry retry = {};
	struct pw_error e;
	int r;

	do {
		e = (struct pw_error){};
		r = add_once(sock, &a, &e);
	} while (r < 0 && retry_again(&retry, r));
	return r < 0 ? retry_give_up(r, &e, err) : 0;
}
