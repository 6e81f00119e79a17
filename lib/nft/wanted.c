/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nft/wanted.h"

#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"

void wanted_done(struct wanted *w)
{
	for (size_t i = 0; i < w->n_lists; i++)
		exclusions_done(&w->lists[i]);
	free(w->lists);
	free(w->elements);
	*w = (struct wanted){};
}

static bool grow(void **array, size_t *room, size_t need, size_t size)
{
	size_t n = *room ? *room : 4;
	void *p;

	if (need <= *room)
		return true;
	while (n < need)
		n *= 2;
	p = reallocarray(*array, n, size);
	if (!p)
		return false;
	*array = p;
	*room = n;
	return true;
}

/* Puts @pod's list among the distinct ones. @hash: its name. */
static int add_list(struct wanted *w, const struct masq_pod *pod, char hash[EXCLUSIONS_NAMELEN],
		    struct pw_error *err)
{
	_cleanup_(exclusions_done) struct exclusions e = {};
	int r;

	r = exclusions_canonical(pod->exclusions, pod->n_exclusions, &e, err);
	if (r < 0)
		return r;
	memcpy(hash, e.name, EXCLUSIONS_NAMELEN);
	for (size_t i = 0; i < w->n_lists; i++) {
		if (strcmp(w->lists[i].name, e.name) == 0)
			return 0;
	}
	if (!grow((void **)&w->lists, &w->lists_room, w->n_lists + 1, sizeof(*w->lists)))
		return pw_oom(err);
	w->lists[w->n_lists++] = e;
	e = (struct exclusions){};
	return 0;
}

static bool is_wanted(const struct wanted *w, const struct ipaddr *address)
{
	for (size_t i = 0; i < w->n; i++) {
		if (ipaddr_equal(&w->elements[i].address, address))
			return true;
	}
	return false;
}

static int add_address(struct wanted *w, const struct ipaddr *address, const char *owner,
		       const char *hash, struct pw_error *err)
{
	struct ruleset_element element = { .address = *address };

	if (address->family != AF_INET && address->family != AF_INET6)
		return pw_fail(err, EINVAL, PW_E_INTERNAL,
			       "masquerading of %s: address of unknown family", owner);
	if (is_wanted(w, address))
		return 0;
	if (!grow((void **)&w->elements, &w->room, w->n + 1, sizeof(*w->elements)))
		return pw_oom(err);
	memcpy(element.owner, owner, strlen(owner) + 1);
	ruleset_chain(hash, element.chain);
	w->elements[w->n++] = element;
	return 0;
}

int wanted_add(struct wanted *w, const struct masq_pod *pod, struct pw_error *err)
{
	char hash[EXCLUSIONS_NAMELEN];
	int r;

	if (!pod->owner[0] || strlen(pod->owner) >= IFNAMSIZ)
		return pw_fail(err, EINVAL, PW_E_INTERNAL, "masquerading: bad owner \"%s\"",
			       pod->owner);
	if (pod->n_addresses == 0)
		return 0;

	r = add_list(w, pod, hash, err);
	for (size_t i = 0; r == 0 && i < pod->n_addresses; i++)
		r = add_address(w, &pod->addresses[i], pod->owner, hash, err);
	return r;
}

static int compare(const void *pa, const void *pb)
{
	const struct ruleset_element *a = pa, *b = pb;

	if (a->address.family != b->address.family)
		return a->address.family == AF_INET ? -1 : 1;
	return memcmp(a->address.b, b->address.b, sizeof(a->address.b));
}

void wanted_sort(struct ruleset_element *list, size_t n)
{
	if (n > 0)
		qsort(list, n, sizeof(*list), compare);
}

const struct ruleset_element *wanted_find(const struct ruleset_element *list, size_t n,
					  const struct ipaddr *address)
{
	struct ruleset_element key = { .address = *address };

	return n > 0 ? bsearch(&key, list, n, sizeof(key), compare) : NULL;
}
