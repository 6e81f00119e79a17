/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/foreign.h"

#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "netlink/auto.h"
#include "source/message.h"

#define PARENT_INGRESS TC_H_MAKE(TC_H_CLSACT, 0xfff2U)
#define PARENT_EGRESS TC_H_MAKE(TC_H_CLSACT, 0xfff3U)

struct look {
	int ifindex;
	const struct foreign_ours *ours;
	char *ret;
	size_t size;
	const char *place;
	uint32_t xdp_prog_id;
	char qdisc[16]; /* at the root */
};

static void found(struct look *l, const char *what, const char *which)
{
	if (!*l->ret)
		(void)snprintf(l->ret, l->size, "%s %s", what, which);
}

/*
 * What a device has by itself (noop: it has not been up yet), or by net.core.default_qdisc: none of
 * these shapes.
 */
static bool is_ordinary(const char *kind)
{
	static const char *const kinds[] = { "noop",       "noqueue", "mq",       "mqprio",
					     "pfifo_fast", "pfifo",   "fq_codel", "fq",
					     "cake",       "sfq",     "bfifo" };

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		if (strcmp(kind, kinds[i]) == 0)
			return true;
	}
	return false;
}

/* Those in a block that devices share name no device; the dump is of this one's all the same. */
static int take_filter(const struct nlmsghdr *nlh, void *arg)
{
	struct look *l = arg;
	struct tc_seen tc;

	if (nlh && message_tc(nlh, &tc) &&
	    (tc.ifindex == l->ifindex || (uint32_t)tc.ifindex == TCM_IFINDEX_MAGIC_BLOCK) &&
	    TC_H_MAJ(tc.info) >> 16 != l->ours->filter_priority)
		found(l, "filter on", l->place);
	return 0;
}

static int take_link(const struct nlmsghdr *nlh, void *arg)
{
	struct look *l = arg;
	struct link_more more = {};
	struct link_seen link;
	struct nlattr *kind;

	if (!message_link(nlh, &link, &more))
		return 0;
	l->xdp_prog_id = more.xdp_prog_id;
	kind = nlmsg_find_attr((struct nlmsghdr *)nlh, sizeof(struct ifinfomsg), IFLA_QDISC);
	if (kind)
		(void)nla_strlcpy(l->qdisc, kind, sizeof(l->qdisc));
	return 0;
}

/*
 * The link says what its root qdisc is. To ask for a qdisc would be heard by all who listen to
 * them, us too; and to list them would be those of all devices.
 */
static int look_at_link(struct nlsock *s, struct look *l, struct pw_error *err)
{
	struct ifinfomsg ifi = { .ifi_index = l->ifindex };
	_cleanup_(nlmsg_freep) struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETLINK, 0);
	char id[16];
	int r;

	if (!msg || nlmsg_append(msg, &ifi, sizeof(ifi), NLMSG_ALIGNTO) < 0)
		return pw_oom(err);
	r = nlsock_get(s, msg, take_link, l, err, "cannot look at device %d", l->ifindex);
	if (r == 0 && l->xdp_prog_id && !l->ours->xdp) {
		(void)snprintf(id, sizeof(id), "%u", l->xdp_prog_id);
		found(l, "xdp program", id);
	}
	return r;
}

static int ask_filters(struct nlsock *s, uint32_t parent, struct look *l, struct pw_error *err)
{
	struct tcmsg tcm = { .tcm_ifindex = l->ifindex, .tcm_parent = parent };
	_cleanup_(nlmsg_freep) struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETTFILTER, 0);

	if (!msg || nlmsg_append(msg, &tcm, sizeof(tcm), NLMSG_ALIGNTO) < 0)
		return pw_oom(err);
	return nlsock_dump(s, msg, take_filter, l, err, "cannot list the filters of device %d",
			   l->ifindex);
}

static int take_qdisc(const struct nlmsghdr *nlh, void *arg)
{
	struct look *l = arg;
	struct tc_seen tc;

	if (nlh && message_tc(nlh, &tc) && tc.ifindex == l->ifindex && tc.parent == TC_H_INGRESS &&
	    strcmp(tc.kind, "ingress") == 0)
		found(l, "qdisc", tc.kind);
	return 0;
}

/* Of all devices, since to ask for one's would be heard: only until our filters are there. */
static int look_for_ingress(struct nlsock *s, struct look *l, struct pw_error *err)
{
	struct tcmsg tcm = { .tcm_family = AF_UNSPEC };
	_cleanup_(nlmsg_freep) struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETQDISC, 0);

	if (!msg || nlmsg_append(msg, &tcm, sizeof(tcm), NLMSG_ALIGNTO) < 0)
		return pw_oom(err);
	return nlsock_dump(s, msg, take_qdisc, l, err, "cannot list qdiscs");
}

int foreign_find(struct nlsock *s, int ifindex, const struct foreign_ours *ours, char *ret,
		 size_t size, struct pw_error *err)
{
	struct look l = { .ifindex = ifindex, .ours = ours, .ret = ret, .size = size };
	struct {
		uint32_t parent;
		const char *place;
	} const sides[] = { { PARENT_INGRESS, "ingress" }, { PARENT_EGRESS, "egress" } };
	int r;

	*ret = '\0';
	r = look_at_link(s, &l, err);
	if (r == 0) {
		for (size_t i = 0; i < ARRAY_COUNT(sides); i++) {
			if (ours->other_tcx[i])
				found(&l, "tc program on", sides[i].place);
		}
		if (*l.qdisc && !is_ordinary(l.qdisc))
			found(&l, "qdisc", l.qdisc);
	}
	/* of clsact or ingress; one that has none is no harm to tcx */
	for (size_t i = 0; i < ARRAY_COUNT(sides) && r == 0; i++) {
		l.place = sides[i].place;
		r = ask_filters(s, sides[i].parent, &l, err);
	}
	if (r == 0 && ours->wants_clsact && !*ret)
		r = look_for_ingress(s, &l, err);
	return r == -ENODEV || r == -EINVAL ? 0 : r;
}
