/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "nft/elements.h"
#include "nft/masq.h"
#include "nft/retry.h"
#include "nft/ruleset.h"
#include "nft/view.h"
#include "nft/wanted.h"

#define TABLE "nftables table inet " RULESET_TABLE

static const int families[] = { AF_INET, AF_INET6 };

static int check_frame(const struct view *v, struct pw_error *err)
{
	if (!v->table)
		return pw_fail(err, ENOENT, PW_E_CHECK, "masquerading: " TABLE " is missing");
	if (v->dormant)
		return pw_fail(err, ENOENT, PW_E_CHECK, "masquerading: " TABLE " is dormant");
	if (!v->chain)
		return pw_fail(err, ENOENT, PW_E_CHECK,
			       "masquerading: chain " RULESET_HOOK " of " TABLE " is missing");
	if (!v->hooked)
		return pw_fail(err, ENOENT, PW_E_CHECK,
			       "masquerading: chain " RULESET_HOOK " of " TABLE
			       " is not hooked as source NAT");
	return 0;
}

static int check_list(struct nlsock *sock, const struct view *v, const struct exclusions *e,
		      struct pw_error *err)
{
	char set[RULESET_NAMELEN];

	for (size_t i = 0; i < 2; i++) {
		int r;

		if (!view_find_rule(v, families[i], e->name))
			return pw_fail(err, ENOENT, PW_E_CHECK,
				       "masquerading: chain " RULESET_HOOK " of " TABLE
				       " lacks the rule for set %s",
				       ruleset_pods(families[i], e->name, set));
		r = elements_match(sock, families[i], e, err);
		if (r < 0)
			return r;
		if (r == 0)
			return pw_fail(err, ENOENT, PW_E_CHECK,
				       "masquerading: set %s of " TABLE
				       " does not hold the excluded destinations",
				       ruleset_excluded(families[i], e->name, set));
	}
	return 0;
}

static int check_element(struct nlsock *sock, const struct ruleset_element *e, struct pw_error *err)
{
	_cleanup_(elements_done) struct elements there = {};
	char set[RULESET_NAMELEN];
	int r;

	ruleset_pods(e->address.family, e->hash, set);
	r = elements_get(sock, e->hash, &e->address, &there, err);
	if (r < 0)
		return r;
	if (there.n == 0)
		return pw_fail(err, ENOENT, PW_E_CHECK,
			       "masquerading: %s is not in set %s of " TABLE,
			       IPADDR_STR(&e->address), set);
	if (strcmp(there.list[0].owner, e->owner) != 0)
		return pw_fail(err, ENOENT, PW_E_CHECK,
			       "masquerading: %s in set %s of " TABLE " is of \"%s\", not of %s",
			       IPADDR_STR(&e->address), set, there.list[0].owner, e->owner);
	return 0;
}

static int check_once(struct nlsock *sock, const struct wanted *w, struct pw_error *err)
{
	_cleanup_(view_done) struct view v = {};
	int r;

	r = view_read(sock, &v, err);
	if (r == 0)
		r = check_frame(&v, err);
	for (size_t i = 0; r == 0 && i < w->n_lists; i++)
		r = check_list(sock, &v, &w->lists[i], err);
	for (size_t i = 0; r == 0 && i < w->n; i++)
		r = check_element(sock, &w->elements[i], err);
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
