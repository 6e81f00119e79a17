/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chains that go with the last element that jumps to them
 *
 * The kernel counts who uses a chain: its rules and the jumps to it. So the question costs the same
 * with one pod and with a thousand, and an operator's own rule that jumps there keeps it.
 */
#include "nft/sweep.h"

#include <string.h>
#include <sys/socket.h>

#include "nft/inspect.h"

/* The hash in the name of a chain of ours, or NULL. */
static const char *chain_hash(const char *chain)
{
	const char *hash = chain + strlen(RULESET_CHAIN_PREFIX);

	if (strncmp(chain, RULESET_CHAIN_PREFIX, strlen(RULESET_CHAIN_PREFIX)) != 0 ||
	    strlen(hash) != EXCLUSIONS_NAMELEN - 1)
		return NULL;
	return hash;
}

/* How many of @gone jump where gone[at] does; 0 if one before it does too. */
static size_t count_jumps(const struct ruleset_element *gone, size_t n, size_t at)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(gone[i].chain, gone[at].chain) != 0)
			continue;
		if (i < at)
			return 0;
		count++;
	}
	return count;
}

/* 1 if nothing but @jumps elements leads to @chain. */
static int is_unused(struct nlsock *sock, const char *chain, size_t jumps, struct pw_error *err)
{
	struct inspect_chain seen;
	struct inspect_rules rules;
	int r;

	r = inspect_chain(sock, chain, &seen, err);
	if (r < 0 || !seen.there)
		return r;
	r = inspect_rules(sock, chain, NULL, 0, &rules, err);
	if (r < 0)
		return r;
	return seen.use <= rules.total + jumps;
}

static int write_deletion(struct batch *b, struct nlsock *sock, const char *chain,
			  struct pw_error *err)
{
	static const int families[] = { AF_INET, AF_INET6 };
	char set[RULESET_NAMELEN];
	int r;

	ruleset_delete_chain(b, chain);
	for (size_t i = 0; i < 2; i++) {
		r = inspect_set(sock, ruleset_set(families[i], chain_hash(chain), set), err);
		if (r < 0)
			return r;
		if (r > 0)
			ruleset_delete_set(b, set);
	}
	return 0;
}

int sweep_chains(struct batch *b, struct nlsock *sock, const struct ruleset_element *gone, size_t n,
		 struct pw_error *err)
{
	int found = 0, r;

	for (size_t i = 0; i < n; i++) {
		size_t jumps = count_jumps(gone, n, i);

		if (jumps == 0 || !chain_hash(gone[i].chain))
			continue;
		r = is_unused(sock, gone[i].chain, jumps, err);
		if (r > 0) {
			found = 1;
			r = write_deletion(b, sock, gone[i].chain, err);
		}
		if (r < 0)
			return r;
	}
	return found;
}
