/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Masquerading of pods
 *
 * Sets and rules are named by the pod's exclusions, so they never change and all pods with these
 * exclusions share them: an addition is one element an address, however many pods and services
 * there are. They are plain sets and no verdict map, since an element that jumps makes older
 * kernels (6.1 for one) validate everybody's rules, for tens of milliseconds beside ten thousand
 * services.
 *
 * The kernel's state is read before each change, with a few requests whose cost does not depend on
 * anybody's ruleset, and what is missing goes into the same transaction. Only optimism would be
 * cheaper, and it would not see `nft flush table`, which leaves elements and takes the rules.
 */
#include "nft/masq.h"

#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "nft/batch.h"
#include "nft/elements.h"
#include "nft/retry.h"
#include "nft/ruleset.h"
#include "nft/sweep.h"
#include "nft/view.h"
#include "nft/wanted.h"

static const int families[] = { AF_INET, AF_INET6 };

struct masq_others {
	struct wanted *wanted;
};

int masq_others_add(struct masq_others *others, const struct masq_pod *pod, struct pw_error *err)
{
	return wanted_add(others->wanted, pod, err);
}

/* The rule that makes a set of pods work; NULL also when its chain is not what it should be. */
static const struct view_rule *rule_of(const struct view *v, int family, const char *hash)
{
	return v->hooked ? view_find_rule(v, family, hash) : NULL;
}

/* The table is missing, or parts of it that were there: sets of pods without their rule. */
static bool is_damaged(const struct view *v)
{
	char set[RULESET_NAMELEN];

	if (!v->table || v->dormant || !v->hooked)
		return true;
	for (size_t i = 0; i < v->n_hashes * 2; i++) {
		const char *hash = v->hashes[i / 2];
		int family = families[i % 2];

		if (view_has_set(v, ruleset_pods(family, hash, set)) && !rule_of(v, family, hash))
			return true;
	}
	return false;
}

static int write_excluded(struct batch *b, struct nlsock *sock, const struct view *v, int family,
			  const struct exclusions *e, struct pw_error *err)
{
	char set[RULESET_NAMELEN];
	int r;

	if (!view_has_set(v, ruleset_excluded(family, e->name, set))) {
		ruleset_add_excluded(b, family, e->name);
	} else {
		r = elements_match(sock, family, e, err);
		if (r != 0)
			return r < 0 ? r : 0;
		ruleset_flush_set(b, set);
	}
	return ruleset_add_bounds(b, family, e, err);
}

/* Writes what is missing of the list @e: its sets, its rules. */
static int write_list(struct batch *b, struct nlsock *sock, const struct view *v,
		      const struct exclusions *e, struct pw_error *err)
{
	char set[RULESET_NAMELEN];

	for (size_t i = 0; i < 2; i++) {
		int r;

		if (!view_has_set(v, ruleset_pods(families[i], e->name, set)))
			ruleset_add_pods(b, families[i], e->name);
		r = write_excluded(b, sock, v, families[i], e, err);
		if (r < 0)
			return r;
		if (!rule_of(v, families[i], e->name))
			ruleset_add_rule(b, families[i], e->name);
	}
	return 0;
}

/* Rules for the sets of lists that are not in @w, whose exclusions nobody could tell. */
static void write_other_rules(struct batch *b, const struct view *v, const struct wanted *w)
{
	char set[RULESET_NAMELEN];

	for (size_t i = 0; i < v->n_hashes * 2; i++) {
		const char *hash = v->hashes[i / 2];
		int family = families[i % 2];

		if (!wanted_has_list(w, hash) && !rule_of(v, family, hash) &&
		    view_has_set(v, ruleset_pods(family, hash, set)) &&
		    view_has_set(v, ruleset_excluded(family, hash, set)))
			ruleset_add_rule(b, family, hash);
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

/* The elements that are there: all with @all, else those of the addresses that @w has so far. */
static int read_elements(struct nlsock *sock, const struct view *v, const struct wanted *w,
			 bool all, struct elements *ret, struct pw_error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < v->n_hashes; i++) {
		if (all)
			r = elements_dump(sock, v->hashes[i], NULL, ret, err);
		for (size_t j = 0; !all && r == 0 && j < w->n; j++)
			r = elements_get(sock, v->hashes[i], &w->elements[j].address, ret, err);
	}
	return r;
}

static bool is_same(const struct ruleset_element *a, const struct ruleset_element *b)
{
	return strcmp(a->owner, b->owner) == 0 && strcmp(a->hash, b->hash) == 0 &&
	       ipaddr_equal(&a->address, &b->address);
}

/*
 * What of @w has to be added still. The first @own take their address from whoever has it, in
 * whatever list; the others are added where nobody has it.
 */
static bool is_needed(const struct wanted *w, size_t at, size_t own, const struct elements *there)
{
	const struct ruleset_element *e = &w->elements[at];

	for (size_t i = 0; i < there->n; i++) {
		if (at < own ? is_same(e, &there->list[i])
			     : ipaddr_equal(&e->address, &there->list[i].address))
			return false;
	}
	return true;
}

/* Whether one of the first @own of @w has the address of @e, but in another way. */
static bool is_in_the_way(const struct ruleset_element *e, const struct wanted *w, size_t own)
{
	for (size_t i = 0; i < own; i++) {
		if (ipaddr_equal(&w->elements[i].address, &e->address))
			return !is_same(&w->elements[i], e);
	}
	return false;
}

/* Deletes elements that are in the way, and lists that have no others. */
static int write_deletions(struct batch *b, struct nlsock *sock, const struct view *v,
			   const struct wanted *w, size_t own, const struct elements *there,
			   struct pw_error *err)
{
	_cleanup_(freep) struct ruleset_element *gone = calloc(there->n + 1, sizeof(*gone));
	size_t n = 0;
	int r;

	if (!gone)
		return pw_oom(err);
	for (size_t i = 0; i < there->n; i++) {
		if (!is_in_the_way(&there->list[i], w, own))
			continue;
		ruleset_delete_element(b, &there->list[i]);
		if (!wanted_has_list(w, there->list[i].hash))
			gone[n++] = there->list[i];
	}
	r = sweep_lists(b, sock, v, gone, n, err);
	return r < 0 ? r : 0;
}

/* Writes the elements that are needed, a message a set (or more). Sorts and shortens @w. */
static void write_elements(struct batch *b, struct wanted *w, size_t own,
			   const struct elements *there)
{
	size_t n = 0, i = 0;

	for (size_t at = 0; at < w->n; at++) {
		if (is_needed(w, at, own, there))
			w->elements[n++] = w->elements[at];
	}
	w->n = n;
	wanted_sort(w);

	while (i < n) {
		const struct ruleset_element *first = &w->elements[i];
		size_t same = 1;

		while (i + same < n && strcmp(first[same].hash, first->hash) == 0 &&
		       first[same].address.family == first->address.family)
			same++;
		ruleset_add_elements(b, first, same);
		i += same;
	}
}

struct addition {
	const struct masq_pod *pod;
	masq_others_t others;
	void *arg;
};

static int add_once(struct nlsock *sock, const struct addition *a, struct pw_error *err)
{
	_cleanup_(elements_done) struct elements there = {};
	_cleanup_(wanted_done) struct wanted w = {};
	_cleanup_(view_done) struct view view = {};
	_cleanup_(batch_done) struct batch b = {};
	struct masq_others others = { .wanted = &w };
	size_t own = 0;
	bool mend;
	int r;

	r = view_read(sock, &view, err);
	if (r == 0)
		r = wanted_add(&w, a->pod, err);
	if (r < 0)
		return r;
	own = w.n;
	mend = is_damaged(&view);
	if (mend && a->others)
		r = a->others(&others, a->arg, err);
	if (r == 0)
		r = read_elements(sock, &view, &w, mend, &there, err);
	if (r < 0)
		return r;

	if (mend)
		write_frame(&b, &view);
	for (size_t i = 0; r == 0 && i < w.n_lists; i++)
		r = write_list(&b, sock, &view, &w.lists[i], err);
	if (mend)
		write_other_rules(&b, &view, &w);
	if (r == 0)
		r = write_deletions(&b, sock, &view, &w, own, &there, err);
	if (r < 0)
		return r;
	write_elements(&b, &w, own, &there);
	return batch_send(&b, sock, err);
}

int masq_add(struct nlsock *sock, const struct masq_pod *pod, masq_others_t others, void *arg,
	     struct pw_error *err)
{
	const struct addition a = { .pod = pod, .others = others, .arg = arg };
	struct retry retry = {};
	struct pw_error e;
	int r;

	if (pod->n_addresses == 0)
		return 0;
	do {
		e = (struct pw_error){};
		r = add_once(sock, &a, &e);
	} while (r < 0 && retry_again(&retry, r));
	return r < 0 ? retry_give_up(r, &e, err) : 0;
}
