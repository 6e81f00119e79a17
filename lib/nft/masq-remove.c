/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * End of masquerading
 *
 * An element is removed only by its owner's name, so a pod that is late in leaving cannot take the
 * address from the one that has it now. A list's rules and sets go in the same transaction as its
 * last element, and the table with the last pod, so nothing is ever left over for a later sweep.
 */
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "nft/batch.h"
#include "nft/elements.h"
#include "nft/masq.h"
#include "nft/retry.h"
#include "nft/ruleset.h"
#include "nft/sweep.h"
#include "nft/view.h"

struct removal {
	const char *owner;
	const struct ipaddr *addresses;
	size_t n;
	bool tidy; /* take lists and the table along */
};

static bool is_before(const struct removal *rm, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (ipaddr_equal(&rm->addresses[i], &rm->addresses[at]))
			return true;
	}
	return false;
}

/* The elements of the owner's in one list. */
static int find_in_list(struct nlsock *sock, const struct removal *rm, const char *hash,
			struct elements *ret, struct pw_error *err)
{
	int r = 0;

	if (rm->n == 0)
		return elements_dump(sock, hash, rm->owner, ret, err);
	for (size_t i = 0; r == 0 && i < rm->n; i++) {
		size_t before = ret->n;

		if (is_before(rm, i))
			continue;
		r = elements_get(sock, hash, &rm->addresses[i], ret, err);
		if (ret->n > before && strcmp(ret->list[before].owner, rm->owner) != 0)
			ret->n = before;
	}
	return r;
}

/* 1 if somebody else has an element. */
static int others_left(struct nlsock *sock, const struct view *view, const struct elements *own,
		       struct pw_error *err)
{
	_cleanup_(elements_done) struct elements all = {};
	int r = 0;

	for (size_t i = 0; r == 0 && i < view->n_hashes; i++)
		r = elements_dump(sock, view->hashes[i], NULL, &all, err);
	return r < 0 ? r : all.n > own->n;
}

static int remove_once(struct nlsock *sock, const struct removal *rm, struct pw_error *err)
{
	_cleanup_(elements_done) struct elements own = {};
	_cleanup_(view_done) struct view view = {};
	_cleanup_(batch_done) struct batch b = {};
	int r;

	r = view_read(sock, &view, err);
	if (r < 0 || !view.table)
		return r;
	for (size_t i = 0; r == 0 && i < view.n_hashes; i++)
		r = find_in_list(sock, rm, view.hashes[i], &own, err);
	if (r < 0)
		return r;

	for (size_t i = 0; i < own.n; i++)
		ruleset_delete_element(&b, &own.list[i]);
	if (rm->tidy)
		r = sweep_lists(&b, sock, &view, own.list, own.n, err);
	/* a pod that was not the last of its list was not the last at all */
	if (rm->tidy && (r > 0 || own.n == 0)) {
		r = others_left(sock, &view, &own, err);
		if (r == 0) {
			batch_done(&b);
			ruleset_delete_table(&b);
		}
	}
	if (r >= 0)
		r = batch_send(&b, sock, err);
	return r < 0 ? r : own.n > 0;
}

int masq_remove(struct nlsock *sock, const char *owner, const struct ipaddr *addresses, size_t n,
		struct pw_error *err)
{
	struct removal rm = { .owner = owner, .addresses = addresses, .n = n, .tidy = true };
	struct retry retry = {};
	struct pw_error e;
	int r;

	do {
		e = (struct pw_error){};
		r = remove_once(sock, &rm, &e);
		/* an operator's rule may refer to what we would tidy up: then it stays */
		if (r == -EBUSY)
			rm.tidy = false;
	} while (r < 0 && retry_again(&retry, r));
	return r < 0 ? retry_give_up(r, &e, err) : r;
}
