/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus/find.h"

#include <stdio.h>
#include <string.h>

#include "net/ipaddr.h"

struct search {
	const char *name;
	struct ipaddr ip; /* no family: the name isn't an address */
	bool prefix;      /* by the beginnings of ids, rather than by whole names */
};

struct found {
	const struct object *first;
	size_t n;
	char all[256]; /* their host interfaces, cut to this */
	size_t len;
};

/* An attachment that has no record has no names either, and none of them is what "" or "/" asks
 * for.
 */
static bool is_pod(const struct view *view, const char *name)
{
	size_t len = strlen(view->namespace);

	return len > 0 && view->name[0] && strncmp(view->namespace, name, len) == 0 &&
	       name[len] == '/' && strcmp(view->name, name + len + 1) == 0;
}

static bool has_ip(const struct view *view, const struct ipaddr *ip)
{
	const struct ipaddr *one = view->ips.v;

	for (size_t i = 0; i < view->ips.n; i++) {
		if (ipaddr_equal(&one[i], ip))
			return true;
	}
	return false;
}

static bool is_called(const struct view *view, const struct search *s)
{
	if (s->prefix)
		return strncmp(view->container_id, s->name, strlen(s->name)) == 0;
	if (strcmp(view->ifname, s->name) == 0)
		return true;
	if (s->ip.family)
		return has_ip(view, &s->ip);
	return (view->container_id[0] && strcmp(view->container_id, s->name) == 0) ||
	       is_pod(view, s->name);
}

static void search(const struct objects *objects, const struct search *s, struct found *found)
{
	for (size_t i = 0; i < objects_count(objects); i++) {
		const struct object *o = objects_at(objects, i);

		if (o->kind != &attachment_kind || !is_called(&o->view, s))
			continue;
		if (!found->first)
			found->first = o;
		if (found->len < sizeof(found->all)) /* cutting is what is wanted */
			found->len += (size_t)snprintf(found->all + found->len,
						       sizeof(found->all) - found->len, "%s%s",
						       found->n > 0 ? ", " : "", o->view.ifname);
		found->n++;
	}
}

/* Shorter ones, and what no runtime makes an id of, find nothing by chance. */
static bool may_begin_an_id(const char *name)
{
	size_t digits = strspn(name, "0123456789abcdef");

	return digits >= FIND_PREFIX_MIN && name[digits] == '\0';
}

/*
 * A host interface is one attachment. A pod, its address or its container has one for each of its
 * networks, and while a sandbox takes the place of another, those of both.
 */
const struct object *find_attachment(const struct objects *objects, const char *name,
				     enum bus_fault *ret_fault, struct pw_error *err)
{
	struct search s = { .name = name };
	struct found found = {};

	(void)ipaddr_parse(name, &s.ip);
	search(objects, &s, &found);
	if (found.n == 0 && may_begin_an_id(name)) {
		s.prefix = true;
		search(objects, &s, &found);
	}
	if (found.n == 1)
		return found.first;
	*ret_fault = found.n == 0 ? BUS_NO_SUCH_ATTACHMENT : BUS_AMBIGUOUS;
	if (found.n == 0)
		pw_fail(err, ENOENT, PW_E_CONTAINER, "%.200s: there is no such attachment", name);
	else
		pw_fail(err, ENOTUNIQ, PW_E_ENV, "%.200s: %zu attachments are called so: %s", name,
			found.n, found.all);
	return NULL;
}
