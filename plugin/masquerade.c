/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masquerade.h"

#include <linux/netlink.h>

#include "base/error.h"
#include "netlink/sock.h"
#include "rtnl/link.h"
#include "store/lock.h"

#define LOCK_NAME "masq.lock"
#define LOCK_WAIT_MS 10000

struct others {
	int records_fd;
	struct masq_others *to;
	struct pw_error *err;
};

static int add_other(const char *host_ifname, struct record *rec, const struct pw_error *why,
		     void *arg)
{
	struct others *others = arg;
	struct masq_list list;

	(void)host_ifname;
	(void)why; /* a record that can't be read is its own pod's trouble */
	if (!rec || rec->state != RECORD_READY || !rec->ip_masq || !rec->addresses.n)
		return 0;
	list = (struct masq_list){
		.exclusions = rec->masq_exclude.v,
		.n_exclusions = rec->masq_exclude.n,
		.sources = rec->options.allowed_sources.v,
		.n_sources = rec->options.allowed_sources.n,
	};
	return masq_others_add(others->to, &list, others->err);
}

static int add_others(struct masq_others *to, void *arg, struct pw_error *err)
{
	struct others *others = arg;

	others->to = to;
	others->err = err;
	return record_each(others->records_fd, add_other, others, err);
}

int masquerade_add(int runtime_fd, int records_fd, const struct masq_list *list,
		   struct pw_error *err)
{
	_cleanup_(closep) int lock_fd = lock_take(runtime_fd, LOCK_NAME, LOCK_WAIT_MS, err);
	_cleanup_(nlsock_freep) struct nlsock *sock = NULL;
	struct others others = { .records_fd = records_fd };
	int r;

	if (lock_fd < 0)
		return lock_fd;
	r = nlsock_open(NETLINK_NETFILTER, &sock, err);
	return r < 0 ? r : masq_add(sock, list, add_others, &others, err);
}

static int find_users(void *arg, const uint32_t *groups, bool *used, size_t n, struct pw_error *err)
{
	(void)arg;
	return link_find_groups(groups, used, n, err);
}

int masquerade_sweep(struct nlsock *sock, int runtime_fd, struct pw_error *err)
{
	_cleanup_(closep) int lock_fd = lock_take(runtime_fd, LOCK_NAME, LOCK_WAIT_MS, err);
	int r;

	if (lock_fd < 0)
		return lock_fd;
	r = masq_sweep(sock, find_users, NULL, err);
	return r < 0 ? r : 0;
}

int masquerade_check(const struct masq_list *list, struct pw_error *err)
{
	_cleanup_(nlsock_freep) struct nlsock *sock = NULL;
	int r = nlsock_open(NETLINK_NETFILTER, &sock, err);

	return r < 0 ? r : masq_check(sock, list, err);
}
