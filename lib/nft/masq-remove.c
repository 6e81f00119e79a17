/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * End of masquerading
 *
 * An element is removed only by its owner's name, so a pod that is late in leaving cannot take the
 * address from the one that has it now. A chain without pods goes in the same transaction as its
 * last element, and the table with the last pod, so nothing is ever left over for a later sweep.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "nft/batch.h"
#include "nft/inspect.h"
#include "nft/masq.h"
#include "nft/retry.h"
#include "nft/ruleset.h"
#include "nft/sweep.h"

static const int families[] = { AF_INET, AF_INET6 };

struct removal {
	const char *owner;
	const struct ipaddr *addresses;
	size_t n;
	bool tidy; /* take chains and the table along */
};

static bool is_listed(const struct inspect_elements *e, const struct ipaddr *address)
{
	for (size_t i = 0; i < e->n; i++) {
		if (ipaddr_equal(&e->list[i].address, address))
			return true;
	}
	return false;
}

/* The elements that are the owner's. */
static int find_own(struct nlsock *sock, const struct removal *rm, struct inspect_elements *ret,
		    struct pw_error *err)
{
	int r = 0;

	if (rm->n == 0) {
		for (size_t i = 0; r >= 0 && i < 2; i++)
			r = inspect_elements(sock, families[i], rm->owner, ret, err);
		return r;
	}
	ret->list = calloc(rm->n, sizeof(*ret->list));
	if (!ret->list)
		return pw_oom(err);
	for (size_t i = 0; r >= 0 && i < rm->n; i++) {
		r = inspect_element(sock, &rm->addresses[i], &ret->list[ret->n], err);
		if (r > 0 && strcmp(ret->list[ret->n].owner, rm->owner) == 0 &&
		    !is_listed(ret, &rm->addresses[i]))
			ret->n++;
	}
	return r < 0 ? r : 0;
}

/* 1 if somebody else has an element in a map. */
static int others_left(struct nlsock *sock, const struct inspect_elements *own,
		       struct pw_error *err)
{
	_cleanup_(inspect_elements_done) struct inspect_elements all = {};
	int r = 0;

	for (size_t i = 0; r >= 0 && i < 2; i++)
		r = inspect_elements(sock, families[i], NULL, &all, err);
	return r < 0 ? r : all.n > own->n;
}

static int remove_once(struct nlsock *sock, const struct removal *rm, struct pw_error *err)
{
	_cleanup_(inspect_elements_done) struct inspect_elements own = {};
	_cleanup_(batch_done) struct batch b = {};
	struct inspect_table table;
	int r;

	r = inspect_table(sock, &table, err);
	if (r < 0 || !table.there)
		return r;
	r = find_own(sock, rm, &own, err);
	if (r < 0)
		return r;

	for (size_t i = 0; i < own.n; i++)
		ruleset_delete_element(&b, &own.list[i].address);
	if (rm->tidy)
		r = sweep_chains(&b, sock, own.list, own.n, err);
	/* a pod that was not the last with its exclusions was not the last at all */
	if (rm->tidy && (r > 0 || own.n == 0)) {
		r = others_left(sock, &own, err);
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
