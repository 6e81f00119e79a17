/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/xdp_features.h"

#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "base/error.h"
#include "netlink/auto.h"

/* Of linux/netdev.h, which Debian 12's headers don't have. */
enum {
	CMD_DEV_GET = 1,
	CMD_DEV_ADD_NTF = 2,
	CMD_DEV_DEL_NTF = 3,
	CMD_DEV_CHANGE_NTF = 4,
};
enum {
	ATTR_IFINDEX = 1,
	ATTR_XDP_FEATURES = 3,
	ATTR_MAX = 6,
};
#define FEATURE_NDO_XMIT (1ULL << 2)

struct features {
	struct nl_sock *ask, *news;
	int family;
	sd_event_source *source;
	struct model *m;
	void (*settled)(void *arg);
	void *arg;
};

struct features *features_close(struct features *f)
{
	if (f) {
		sd_event_source_disable_unref(f->source);
		if (f->ask)
			nl_socket_free(f->ask);
		if (f->news)
			nl_socket_free(f->news);
	}
	free(f);
	return NULL;
}

static int take(struct nl_msg *msg, void *arg)
{
	const struct genlmsghdr *g = genlmsg_hdr(nlmsg_hdr(msg));
	struct nlattr *tb[ATTR_MAX + 1];
	struct features *f = arg;

	if (g->cmd == CMD_DEV_DEL_NTF || g->cmd > CMD_DEV_CHANGE_NTF ||
	    nla_parse(tb, ATTR_MAX, genlmsg_attrdata(g, 0), genlmsg_attrlen(g, 0), NULL) < 0)
		return NL_OK;
	if (!tb[ATTR_IFINDEX] || nla_len(tb[ATTR_IFINDEX]) != 4 || !tb[ATTR_XDP_FEATURES] ||
	    nla_len(tb[ATTR_XDP_FEATURES]) != 8)
		return NL_OK;
	model_can_take_frames(f->m, (int)nla_get_u32(tb[ATTR_IFINDEX]),
			      nla_get_u64(tb[ATTR_XDP_FEATURES]) & FEATURE_NDO_XMIT);
	return NL_OK;
}

int features_look(struct features *f, struct pw_error *err)
{
	int r;

	r = genl_send_simple(f->ask, f->family, CMD_DEV_GET, 1, NLM_F_DUMP);
	if (r >= 0)
		r = nl_recvmsgs_default(f->ask);
	if (r < 0)
		return pw_fail(err, EIO, PW_E_NETLINK, "cannot ask for XDP features: %s",
			       nl_geterror(r));
	return 0;
}

static int on_readable(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
	struct features *f = arg;

	(void)source;
	(void)fd;
	(void)revents;
	/* what was lost on the way is asked for again; if that fails too, the next look will do */
	if (nl_recvmsgs_default(f->news) == -NLE_NOMEM)
		(void)features_look(f, NULL);
	f->settled(f->arg);
	return 0;
}

static struct nl_sock *connect_to(struct features *f, int (*handler)(struct nl_msg *, void *))
{
	_cleanup_(nl_socket_freep) struct nl_sock *sk = nl_socket_alloc();

	if (!sk || genl_connect(sk) < 0 ||
	    nl_socket_modify_cb(sk, NL_CB_VALID, NL_CB_CUSTOM, handler, f) < 0)
		return NULL;
	return take_ptr(sk);
}

static int listen_to_news(struct features *f, sd_event *event, struct pw_error *err)
{
	int group = genl_ctrl_resolve_grp(f->ask, "netdev", "mgmt"), r;

	f->news = connect_to(f, take);
	if (!f->news || group < 0 || nl_socket_add_membership(f->news, group) < 0 ||
	    nl_socket_set_nonblocking(f->news) < 0)
		return pw_fail(err, EIO, PW_E_NETLINK, "cannot listen to changes of XDP features");
	nl_socket_disable_seq_check(f->news);
	r = sd_event_add_io(event, &f->source, nl_socket_get_fd(f->news), EPOLLIN, on_readable, f);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "cannot watch XDP features: %m");
	return 0;
}

int features_open(sd_event *event, struct model *m, void (*settled)(void *arg), void *arg,
		  struct features **ret, struct pw_error *err)
{
	_cleanup_(features_closep) struct features *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return pw_oom(err);
	f->m = m;
	f->settled = settled;
	f->arg = arg;
	f->ask = connect_to(f, take);
	if (!f->ask)
		return pw_fail(err, EIO, PW_E_NETLINK, "cannot open generic netlink");
	f->family = genl_ctrl_resolve(f->ask, "netdev");
	if (f->family < 0)
		return pw_fail(err, ENOENT, PW_E_NETLINK,
			       "this kernel doesn't tell XDP features (6.3 does)");
	r = listen_to_news(f, event, err);
	if (r < 0)
		return r;
	*ret = take_ptr(f);
	return 0;
}
