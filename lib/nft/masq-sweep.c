/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * End of masquerading
 *
 * Nothing counts pods: what the kernel has of links is asked for each time, so that neither a pod
 * that went without a word nor one that was never finished leaves anything behind.
 */
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "nft/batch.h"
#include "nft/masq.h"
#include "nft/retry.h"
#include "nft/ruleset.h"
#include "nft/view.h"

static const int families[] = { AF_INET, AF_INET6 };

struct sweep {
	masq_users_t users;
	void *arg;
	bool rules_only; /* an operator's rule refers to a set: those stay then */
};

static void delete_set(struct batch *b, const struct view *v, enum ruleset_side side, int family,
		       const char *hash)
{
	char set[RULESET_NAMELEN];

	if (view_has_set(v, ruleset_set(side, family, hash, set)))
		ruleset_delete_set(b, set);
}

static void delete_list(struct batch *b, const struct view *v, const struct ruleset_key *key,
			bool rules_only)
{
	for (size_t i = 0; i < 2; i++) {
		const struct view_rule *rule = view_find_rule(v, families[i], key);

		if (rule)
			ruleset_delete_rule(b, rule->handle);
		if (rules_only)
			continue;
		delete_set(b, v, RULESET_FROM, families[i], key->hash);
		delete_set(b, v, RULESET_TO, families[i], key->hash);
	}
}

static void delete_unused(struct batch *b, const struct view *v, const bool *used, bool rules_only)
{
	for (size_t i = 0; i < v->n_lists; i++) {
		if (!used[i])
			delete_list(b, v, &v->lists[i], rules_only);
	}
}

/* *@ret: which of the view's lists have links. Returns how many have none. */
static int find_unused(const struct view *v, const struct sweep *sweep, bool **ret,
		       struct pw_error *err)
{
	_cleanup_(freep) uint32_t *groups = calloc(v->n_lists + 1, sizeof(*groups));
	_cleanup_(freep) bool *used = calloc(v->n_lists + 1, sizeof(*used));
	int unused = 0, r = 0;

	if (!groups || !used)
		return pw_oom(err);
	for (size_t i = 0; i < v->n_lists; i++)
		groups[i] = ruleset_group(v->lists[i].hash);
	if (v->n_lists > 0)
		r = sweep->users(sweep->arg, groups, used, v->n_lists, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < v->n_lists; i++)
		unused += !used[i];
	*ret = take_ptr(used);
	return unused;
}

static int sweep_once(struct nlsock *sock, const struct sweep *sweep, struct pw_error *err)
{
	_cleanup_(freep) bool *used = NULL;
	_cleanup_(view_done) struct view view = {};
	_cleanup_(batch_done) struct batch b = {};
	int unused, removed, r;

	r = view_read(sock, &view, err);
	if (r < 0 || !view.table)
		return r;
	unused = find_unused(&view, sweep, &used, err);
	if (unused < 0)
		return unused;

	if ((size_t)unused == view.n_lists && !sweep->rules_only)
		ruleset_delete_table(&b);
	else
		delete_unused(&b, &view, used, sweep->rules_only);
	removed = b.n > 0;
	r = batch_send(&b, sock, err);
	return r < 0 ? r : removed;
}

int masq_sweep(struct nlsock *sock, masq_users_t users, void *arg, struct pw_error *err)
{
	struct sweep sweep = { .users = users, .arg = arg };
	struct retry retry = {};
	struct pw_error e;
	int r;

	do {
		e = (struct pw_error){};
		r = sweep_once(sock, &sweep, &e);
		if (r == -EBUSY)
			sweep.rules_only = true;
	} while (r < 0 && retry_again(&retry, r));
	return r < 0 ? retry_give_up(r, &e, err) : r;
}
