/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/nexthops.h"

#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <netlink/msg.h>

#include "base/error.h"
#include "netlink/auto.h"
#include "source/message.h"

struct look {
	struct array *ids, *devices;
};

bool nexthops_has(const struct array *set, uint32_t what)
{
	const uint32_t *v = set->v;

	for (size_t i = 0; i < set->n; i++) {
		if (v[i] == what)
			return true;
	}
	return false;
}

int nexthops_remember(struct array *set, uint32_t what)
{
	uint32_t *to;

	if (nexthops_has(set, what))
		return 0;
	to = array_grow(set, sizeof(*to), 1);
	if (!to)
		return -ENOMEM;
	*to = what;
	return 0;
}

/* What an interrupted list said was so a moment ago, and what is different now comes as news. */
static int take_members(const struct nlmsghdr *nlh, void *arg)
{
	const struct look *l = arg;
	struct nexthop_seen hop;
	int r = 0;

	if (!nlh || !message_nexthop(nlh, &hop) || !nexthops_has(l->ids, hop.id))
		return 0;
	for (size_t i = 0; i < hop.n && r == 0; i++)
		r = nexthops_remember(l->ids, hop.member[i]);
	return r;
}

static int take_device(const struct nlmsghdr *nlh, void *arg)
{
	const struct look *l = arg;
	struct nexthop_seen hop;

	if (!nlh || !message_nexthop(nlh, &hop) || hop.ifindex <= 0 ||
	    !nexthops_has(l->ids, hop.id))
		return 0;
	return nexthops_remember(l->devices, (uint32_t)hop.ifindex);
}

static int list(struct nlsock *s, nlsock_reply_t reply, struct look *l, struct pw_error *err)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETNEXTHOP, 0);
	struct nhmsg header = {};

	if (!msg || nlmsg_append(msg, &header, sizeof(header), NLMSG_ALIGNTO) < 0)
		return pw_oom(err);
	return nlsock_dump(s, msg, reply, l, err, "cannot list nexthops");
}

int nexthops_resolve(struct nlsock *s, struct array *ids, struct array *devices,
		     struct pw_error *err)
{
	struct look l = { ids, devices };
	int r;

	/* a group has no groups in it, so that is all of them */
	r = list(s, take_members, &l, err);
	return r < 0 ? r : list(s, take_device, &l, err);
}
