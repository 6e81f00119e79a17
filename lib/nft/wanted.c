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

bool wanted_has_list(const struct wanted *w, const char *hash)
{
	for (size_t i = 0; i < w->n_lists; i++) {
		if (strcmp(w->lists[i].name, hash) == 0)
			return true;
	}
	return false;
}

/* A pod's packets to itself never come by here. */
static bool is_own(const struct masq_pod *pod, const struct cidr *c)
{
	for (size_t i = 0; i < pod->n_addresses; i++) {
		struct cidr own = cidr_host(&pod->addresses[i]);

		if (cidr_equal(&own, c))
			return true;
	}
	return false;
}

/* Without the pod's own addresses, which IPAM with host prefixes would make a list a pod. */
static int canonical(const struct masq_pod *pod, struct exclusions *ret, struct pw_error *err)
{
	_cleanup_(freep) struct cidr *list = calloc(pod->n_exclusions + 1, sizeof(*list));
	size_t n = 0;

	if (!list)
		return pw_oom(err);
	for (size_t i = 0; i < pod->n_exclusions; i++) {
		if (!is_own(pod, &pod->exclusions[i]))
			list[n++] = pod->exclusions[i];
	}
	return exclusions_canonical(list, n, ret, err);
}

/* Puts @pod's list among the distinct ones. @hash: its name. */
static int add_list(struct wanted *w, const struct masq_pod *pod, char hash[EXCLUSIONS_NAMELEN],
		    struct pw_error *err)
{
	_cleanup_(exclusions_done) struct exclusions e = {};
	int r;

	r = canonical(pod, &e, err);
	if (r < 0)
		return r;
	memcpy(hash, e.name, EXCLUSIONS_NAMELEN);
	if (wanted_has_list(w, e.name))
		return 0;
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
	memcpy(element.hash, hash, EXCLUSIONS_NAMELEN);
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
	int r;

	if (a->address.family != b->address.family)
		return a->address.family == AF_INET ? -1 : 1;
	r = strcmp(a->hash, b->hash);
	return r ? r : memcmp(a->address.b, b->address.b, sizeof(a->address.b));
}

void wanted_sort(struct wanted *w)
{
	if (w->n > 0)
		qsort(w->elements, w->n, sizeof(*w->elements), compare);
}
