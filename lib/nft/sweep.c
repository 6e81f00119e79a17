/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nft/sweep.h"

#include <string.h>
#include <sys/socket.h>

#include "nft/elements.h"

/* How many of @gone are of the list of gone[at]; 0 if one before it is too. */
static size_t count_gone(const struct ruleset_element *gone, size_t n, size_t at)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(gone[i].hash, gone[at].hash) != 0)
			continue;
		if (i < at)
			return 0;
		count++;
	}
	return count;
}

static void write_deletion(struct batch *b, const struct view *view, const char *hash)
{
	static const int families[] = { AF_INET, AF_INET6 };
	char set[RULESET_NAMELEN];

	for (size_t i = 0; i < 2; i++) {
		const struct view_rule *rule = view_find_rule(view, families[i], hash);

		if (rule)
			ruleset_delete_rule(b, rule->handle);
		if (view_has_set(view, ruleset_pods(families[i], hash, set)))
			ruleset_delete_set(b, set);
		if (view_has_set(view, ruleset_excluded(families[i], hash, set)))
			ruleset_delete_set(b, set);
	}
}

int sweep_lists(struct batch *b, struct nlsock *sock, const struct view *view,
		const struct ruleset_element *gone, size_t n, struct pw_error *err)
{
	int swept = 0;

	for (size_t i = 0; i < n; i++) {
		_cleanup_(elements_done) struct elements there = {};
		size_t count = count_gone(gone, n, i);
		int r;

		if (count == 0)
			continue;
		r = elements_dump(sock, gone[i].hash, NULL, &there, err);
		if (r < 0)
			return r;
		if (there.n > count)
			continue;
		write_deletion(b, view, gone[i].hash);
		swept++;
	}
	return swept;
}
