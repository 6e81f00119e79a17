/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The node's links: what they are, whether they're up, and whose XDP program is on them. */
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "base/array.h"
#include "base/utf8.h"
#include "json/jenc.h"
#include "netlink/auto.h"
#include "netlink/sock.h"
#include "report/report.h"

struct list {
	struct json_object *v;
	size_t n;
};

static int add_kind(struct json_object *to, struct nlattr *info)
{
	struct nlattr *tb[IFLA_INFO_MAX + 1];
	char kind[32];

	if (!info || nla_parse_nested(tb, IFLA_INFO_MAX, info, NULL) < 0 || !tb[IFLA_INFO_KIND])
		return 0;
	(void)nla_strlcpy(kind, tb[IFLA_INFO_KIND], sizeof(kind));
	return jenc_string(to, "kind", kind);
}

static int add_xdp(struct json_object *to, struct nlattr *xdp)
{
	static const char *const modes[] = { "none", "native", "generic", "offload", "several" };
	struct nlattr *tb[IFLA_XDP_MAX + 1];
	unsigned int mode;
	int r;

	if (!xdp || nla_parse_nested(tb, IFLA_XDP_MAX, xdp, NULL) < 0 || !tb[IFLA_XDP_ATTACHED])
		return 0;
	mode = nla_get_u8(tb[IFLA_XDP_ATTACHED]);
	if (mode == 0)
		return 0;
	r = jenc_string(to, "xdp", mode < ARRAY_COUNT(modes) ? modes[mode] : "unknown");
	if (tb[IFLA_XDP_PROG_ID])
		r |= jenc_int(to, "xdpProgram", nla_get_u32(tb[IFLA_XDP_PROG_ID]));
	return r;
}

static int add_link(struct json_object *to, const struct ifinfomsg *ifi, struct nlattr *tb[])
{
	char raw[IFNAMSIZ] = "", name[IFNAMSIZ], qdisc[32] = "";
	int r = 0;

	if (tb[IFLA_IFNAME])
		(void)nla_strlcpy(raw, tb[IFLA_IFNAME], sizeof(raw));
	if (tb[IFLA_QDISC])
		(void)nla_strlcpy(qdisc, tb[IFLA_QDISC], sizeof(qdisc));
	utf8_copy(name, sizeof(name), raw);
	r |= jenc_string(to, "name", name);
	r |= jenc_int(to, "index", ifi->ifi_index);
	r |= jenc_bool(to, "up", ifi->ifi_flags & IFF_UP);
	r |= jenc_bool(to, "running", ifi->ifi_flags & IFF_RUNNING);
	if (tb[IFLA_MTU])
		r |= jenc_int(to, "mtu", nla_get_u32(tb[IFLA_MTU]));
	if (tb[IFLA_MASTER])
		r |= jenc_int(to, "master", nla_get_u32(tb[IFLA_MASTER]));
	r |= jenc_string_opt(to, "qdisc", qdisc);
	r |= add_kind(to, tb[IFLA_LINKINFO]);
	return r | add_xdp(to, tb[IFLA_XDP]);
}

static int take(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[IFLA_MAX + 1];
	struct list *list = arg;
	struct json_object *one;

	if (!nlh) { /* interrupted: once more */
		list->n = 0;
		return json_object_array_del_idx(list->v, 0, json_object_array_length(list->v)) < 0
			       ? -ENOMEM
			       : 0;
	}
	if (nlh->nlmsg_type != RTM_NEWLINK || list->n++ >= REPORT_LIST_MAX ||
	    nlmsg_parse((struct nlmsghdr *)nlh, sizeof(struct ifinfomsg), tb, IFLA_MAX, NULL) < 0)
		return 0;
	one = json_object_new_object();
	if (add_link(one, nlmsg_data(nlh), tb) < 0) {
		json_object_put(one);
		return -ENOMEM;
	}
	return jenc_append(list->v, one);
}

static int dump(struct list *list, struct pw_error *err)
{
	_cleanup_(nlmsg_freep) struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETLINK, 0);
	_cleanup_(nlsock_freep) struct nlsock *s = NULL;
	struct ifinfomsg ifi = {};
	int r;

	if (!msg || nlmsg_append(msg, &ifi, sizeof(ifi), NLMSG_ALIGNTO) < 0)
		return pw_oom(err);
	r = nlsock_open(NETLINK_ROUTE, &s, err);
	return r < 0 ? r : nlsock_dump(s, msg, take, list, err, "cannot list links");
}

struct json_object *report_links(struct report *report)
{
	struct list list = { .v = json_object_new_array() };
	struct pw_error err = {};
	int r = dump(&list, &err);

	if (r == -ENOMEM) {
		json_object_put(list.v);
		return NULL;
	}
	if (r < 0)
		report_omit(report, "links: %s", err.msg);
	if (list.n > REPORT_LIST_MAX)
		report_omit(report, "%zu of %zu links", list.n - REPORT_LIST_MAX, list.n);
	return list.v;
}
