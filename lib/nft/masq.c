/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Masquerading of pods
 *
 * The chain that a pod's element jumps to is named by the pod's exclusions, so it never changes and
 * all pods with these exclusions share it: an addition is one element an address, however many pods
 * and services there are.
 *
 * The kernel's state is read before each change, with a few requests whose cost does not depend on
 * anybody's ruleset, and what is missing goes into the same transaction. Only optimism would be
 * cheaper, and it would not see `nft flush table`, which leaves elements and takes the rules.
 * */
#include "nft/masq.h"

#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "nft/batch.h"
#include "nft/inspect.h"
#include "nft/retry.h"
#include "nft/ruleset.h"
#include "nft/sweep.h"
#include "nft/wanted.h"

static const int families[] = { AF_INET, AF_INET6 };

struct masq_others {
	struct wanted *wanted;
};

int masq_others_add(struct masq_others *others, const struct masq_pod *pod, struct pw_error *err)
{
	return wanted_add(others->wanted, pod, err);
}

/* What all pods share. */
struct shared {
	struct inspect_table table;
	struct inspect_chain hook;
	struct inspect_rules rules;
};

#define HOOK_RULES 2
#define CHAIN_RULES 3

static bool is_whole(const struct shared *s)
{
	return s->table.there && !s->table.dormant && s->hook.hooked &&
	       s->rules.found == (1u << HOOK_RULES) - 1;
}

static int read_shared(struct nlsock *sock, struct shared *ret, struct pw_error *err)
{
	char text[HOOK_RULES][RULESET_RULELEN];
	const char *wanted[HOOK_RULES];
	int r;

	*ret = (struct shared){};
	r = inspect_table(sock, &ret->table, err);
	if (r < 0 || !ret->table.there)
		return r;
	r = inspect_chain(sock, RULESET_HOOK, &ret->hook, err);
	if (r < 0 || !ret->hook.there)
		return r;
	for (size_t i = 0; i < HOOK_RULES; i++)
		wanted[i] = ruleset_hook_rule(families[i], text[i]);
	return inspect_rules(sock, RULESET_HOOK, wanted, HOOK_RULES, &ret->rules, err);
}

static int read_chain_rules(struct nlsock *sock, const char *hash, struct inspect_rules *ret,
			    struct pw_error *err)
{
	char chain[RULESET_NAMELEN], text[2][RULESET_RULELEN];
	const char *wanted[CHAIN_RULES];

	for (size_t i = 0; i < 2; i++)
		wanted[i] = ruleset_return_rule(families[i], hash, text[i]);
	wanted[2] = RULESET_MASQ_RULE;
	return inspect_rules(sock, ruleset_chain(hash, chain), wanted, CHAIN_RULES, ret, err);
}

static void write_hook(struct batch *b, const struct shared *s)
{
	if (s->hook.there && !s->hook.hooked)
		ruleset_delete_chain(b, RULESET_HOOK);
	else if (s->rules.total > 0)
		ruleset_flush_chain(b, RULESET_HOOK);
	ruleset_add_hook_chain(b);
	ruleset_add_hook_rules(b);
}

static int write_set(struct batch *b, struct nlsock *sock, int family, const struct exclusions *e,
		     struct pw_error *err)
{
	char set[RULESET_NAMELEN];
	struct pw_error why = {};
	int r;

	r = inspect_bounds(sock, family, e, &why);
	if (r > 0)
		return 0;
	if (r == -ENOENT)
		ruleset_add_set(b, family, e->name);
	else if (r == 0)
		ruleset_flush_set(b, ruleset_set(family, e->name, set));
	else
		return pw_gather(err, &why);
	return ruleset_add_bounds(b, family, e, err);
}

/* Writes what is missing of the chain for @e and of its sets. */
static int write_chain(struct batch *b, struct nlsock *sock, const struct exclusions *e,
		       struct pw_error *err)
{
	struct inspect_rules rules;
	char chain[RULESET_NAMELEN];
	int r;

	r = read_chain_rules(sock, e->name, &rules, err);
	for (size_t i = 0; r >= 0 && i < 2; i++)
		r = write_set(b, sock, families[i], e, err);
	if (r < 0)
		return r;
	if (rules.found == (1u << CHAIN_RULES) - 1)
		return 0;

	ruleset_add_chain(b, e->name);
	if (rules.total > 0)
		ruleset_flush_chain(b, ruleset_chain(e->name, chain));
	ruleset_add_chain_rules(b, e->name);
	return 0;
}

/* The elements that are there: for @all, or for the addresses that @w has so far. */
static int read_elements(struct nlsock *sock, const struct wanted *w, bool all,
			 struct inspect_elements *ret, struct pw_error *err)
{
	int r = 0;

	if (all) {
		for (size_t i = 0; r >= 0 && i < 2; i++)
			r = inspect_elements(sock, families[i], NULL, ret, err);
	} else {
		ret->list = calloc(w->n + 1, sizeof(*ret->list));
		if (!ret->list)
			return pw_oom(err);
		for (size_t i = 0; r >= 0 && i < w->n; i++) {
			r = inspect_element(sock, &w->elements[i].address, &ret->list[ret->n], err);
			if (r > 0)
				ret->n++;
		}
	}
	wanted_sort(ret->list, ret->n);
	return r < 0 ? r : 0;
}

static bool is_list_of(const struct wanted *w, const char *chain)
{
	char name[RULESET_NAMELEN];

	for (size_t i = 0; i < w->n_lists; i++) {
		if (strcmp(chain, ruleset_chain(w->lists[i].name, name)) == 0)
			return true;
	}
	return false;
}

/*
 * Leaves in @w the elements that have to be added, sorted. The first @own take their address from
 * whoever has it; the others are added where nobody has it.
 */
static int reduce(struct batch *b, struct nlsock *sock, struct wanted *w, size_t own,
		  const struct inspect_elements *there, struct pw_error *err)
{
	_cleanup_(freep) struct ruleset_element *gone = calloc(own + 1, sizeof(*gone));
	size_t n = 0, n_gone = 0;
	int r;

	if (!gone)
		return pw_oom(err);
	for (size_t i = 0; i < w->n; i++) {
		const struct ruleset_element *e = &w->elements[i];
		const struct ruleset_element *old = wanted_find(there->list, there->n, &e->address);

		if (old && (i >= own || (strcmp(old->owner, e->owner) == 0 &&
					 strcmp(old->chain, e->chain) == 0)))
			continue;
		if (old) {
			ruleset_delete_element(b, &e->address);
			if (!is_list_of(w, old->chain))
				gone[n_gone++] = *old;
		}
		w->elements[n++] = *e;
	}
	w->n = n;
	wanted_sort(w->elements, n);
	r = sweep_chains(b, sock, gone, n_gone, err);
	return r < 0 ? r : 0;
}

/* @w is sorted, and a message is about the elements of one map. */
static void write_elements(struct batch *b, const struct wanted *w)
{
	const struct ruleset_element *list = w->elements;
	size_t n4 = 0;

	while (n4 < w->n && list[n4].address.family == AF_INET)
		n4++;
	ruleset_add_elements(b, list, n4);
	ruleset_add_elements(b, list + n4, w->n - n4);
}

struct addition {
	const struct masq_pod *pod;
	masq_others_t others;
	void *arg;
};

static int collect(const struct addition *a, bool mend, struct wanted *w, size_t *ret_own,
		   struct pw_error *err)
{
	struct masq_others sink = { .wanted = w };
	int r;

	r = wanted_add(w, a->pod, err);
	*ret_own = w->n;
	if (r == 0 && mend && a->others)
		r = a->others(&sink, a->arg, err);
	return r;
}

static int add_once(struct nlsock *sock, const struct addition *a, struct pw_error *err)
{
	_cleanup_(inspect_elements_done) struct inspect_elements there = {};
	_cleanup_(wanted_done) struct wanted w = {};
	_cleanup_(batch_done) struct batch b = {};
	struct shared shared;
	size_t own = 0;
	bool mend;
	int r;

	r = read_shared(sock, &shared, err);
	if (r < 0)
		return r;
	mend = !is_whole(&shared);
	r = collect(a, mend, &w, &own, err);
	if (r == 0)
		r = read_elements(sock, &w, mend, &there, err);
	if (r < 0)
		return r;

	if (mend) {
		ruleset_add_table(&b);
		ruleset_add_map(&b, AF_INET);
		ruleset_add_map(&b, AF_INET6);
	}
	for (size_t i = 0; r == 0 && i < w.n_lists; i++)
		r = write_chain(&b, sock, &w.lists[i], err);
	if (r == 0)
		r = reduce(&b, sock, &w, own, &there, err);
	if (r < 0)
		return r;
	write_elements(&b, &w);
	if (mend)
		write_hook(&b, &shared);
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

static int missing(struct pw_error *err, const char *what, const char *name, const char *how)
{
	return pw_fail(err, ENOENT, PW_E_CHECK, "masquerading: %s %s of nftables table inet %s %s",
		       what, name, RULESET_TABLE, how);
}

static int check_shared(struct nlsock *sock, struct pw_error *err)
{
	struct shared s;
	int r;

	r = read_shared(sock, &s, err);
	if (r < 0)
		return r;
	if (!s.table.there)
		return pw_fail(err, ENOENT, PW_E_CHECK,
			       "masquerading: nftables table inet " RULESET_TABLE " is missing");
	if (s.table.dormant)
		return pw_fail(err, ENOENT, PW_E_CHECK,
			       "masquerading: nftables table inet " RULESET_TABLE " is dormant");
	if (!s.hook.there)
		return missing(err, "chain", RULESET_HOOK, "is missing");
	if (!s.hook.hooked)
		return missing(err, "chain", RULESET_HOOK, "is not hooked as source NAT");
	if (!is_whole(&s))
		return missing(err, "chain", RULESET_HOOK, "lacks a rule");
	return 0;
}

static int check_list(struct nlsock *sock, const struct exclusions *e, struct pw_error *err)
{
	struct inspect_rules rules;
	char name[RULESET_NAMELEN];
	int r;

	r = read_chain_rules(sock, e->name, &rules, err);
	if (r < 0)
		return r;
	if (rules.found != (1u << CHAIN_RULES) - 1)
		return missing(err, "chain", ruleset_chain(e->name, name), "lacks a rule");
	for (size_t i = 0; i < 2; i++) {
		r = inspect_bounds(sock, families[i], e, err);
		if (r < 0 && r != -ENOENT)
			return r;
		if (r <= 0)
			return missing(err, "set", ruleset_set(families[i], e->name, name),
				       "does not hold the excluded destinations");
	}
	return 0;
}

static int check_element(struct nlsock *sock, const struct ruleset_element *e, struct pw_error *err)
{
	const char *map = ruleset_map(e->address.family);
	struct ruleset_element there;
	int r;

	r = inspect_element(sock, &e->address, &there, err);
	if (r < 0)
		return r;
	if (r == 0)
		return pw_fail(err, ENOENT, PW_E_CHECK,
			       "masquerading: %s is not in nftables map %s",
			       IPADDR_STR(&e->address), map);
	if (strcmp(there.owner, e->owner) != 0)
		return pw_fail(err, ENOENT, PW_E_CHECK,
			       "masquerading: %s in nftables map %s is of \"%s\", not of %s",
			       IPADDR_STR(&e->address), map, there.owner, e->owner);
	if (strcmp(there.chain, e->chain) != 0)
		return pw_fail(err, ENOENT, PW_E_CHECK,
			       "masquerading: %s in nftables map %s does not jump to chain %s",
			       IPADDR_STR(&e->address), map, e->chain);
	return 0;
}

static int check_once(struct nlsock *sock, const struct wanted *w, struct pw_error *err)
{
	int r;

	r = check_shared(sock, err);
	for (size_t i = 0; r >= 0 && i < w->n; i++)
		r = check_element(sock, &w->elements[i], err);
	for (size_t i = 0; r >= 0 && i < w->n_lists; i++)
		r = check_list(sock, &w->lists[i], err);
	return r;
}

int masq_check(struct nlsock *sock, const struct masq_pod *pod, struct pw_error *err)
{
	_cleanup_(wanted_done) struct wanted w = {};
	struct retry retry = {};
	struct pw_error e;
	int r;

	if (pod->n_addresses == 0)
		return 0;
	r = wanted_add(&w, pod, err);
	if (r < 0)
		return r;
	do {
		e = (struct pw_error){};
		r = check_once(sock, &w, &e);
	} while (r < 0 && r != -ENOENT && retry_again(&retry, r));
	return r < 0 ? retry_give_up(r, &e, err) : 0;
}
