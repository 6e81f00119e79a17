/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <sys/socket.h>

#include "base/error.h"
#include "nft/elements.h"
#include "nft/lists.h"
#include "nft/masq.h"
#include "nft/retry.h"
#include "nft/ruleset.h"
#include "nft/view.h"

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

static int check_set(struct nlsock *sock, enum ruleset_side side, int family,
		     const struct list *list, struct pw_error *err)
{
	bool from = side == RULESET_FROM;
	char set[RULESET_NAMELEN];
	int r;

	r = elements_match(sock, ruleset_set(side, family, list->key.hash, set), family,
			   from ? &list->from : &list->to, err);
	if (r != 0)
		return r < 0 ? r : 0;
	return pw_fail(err, ENOENT, PW_E_CHECK,
		       "masquerading: set %s of " TABLE " does not hold the %s", set,
		       from ? "sources that stay as they are" : "excluded destinations");
}

static int check_list(struct nlsock *sock, const struct view *v, const struct list *list,
		      struct pw_error *err)
{
	int r = 0;

	for (size_t i = 0; i < 2 && r == 0; i++) {
		if (!view_find_rule(v, families[i], &list->key))
			return pw_fail(err, ENOENT, PW_E_CHECK,
				       "masquerading: chain " RULESET_HOOK " of " TABLE
				       " lacks the rule for IPv%c of link group %" PRIu32,
				       families[i] == AF_INET ? '4' : '6',
				       ruleset_group(list->key.hash));
		if (list->key.from)
			r = check_set(sock, RULESET_FROM, families[i], list, err);
		if (r == 0)
			r = check_set(sock, RULESET_TO, families[i], list, err);
	}
	return r;
}

static int check_once(struct nlsock *sock, const struct list *list, struct pw_error *err)
{
	_cleanup_(view_done) struct view v = {};
	int r;

	r = view_read(sock, &v, err);
	if (r == 0)
		r = check_frame(&v, err);
	return r < 0 ? r : check_list(sock, &v, list, err);
}

int masq_check(struct nlsock *sock, const struct masq_list *list, struct pw_error *err)
{
	_cleanup_(lists_done) struct lists lists = {};
	struct retry retry = {};
	struct pw_error e;
	int r;

	r = lists_add(&lists, list, err);
	if (r < 0)
		return r;
	do {
		e = (struct pw_error){};
		r = check_once(sock, lists.all.v, &e);
	} while (r < 0 && r != -ENOENT && retry_again(&retry, r));
	return r < 0 ? retry_give_up(r, &e, err) : 0;
}
