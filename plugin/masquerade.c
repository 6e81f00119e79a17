/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masquerade.h"

#include <linux/netlink.h>

#include "addresses.h"
#include "base/error.h"
#include "netlink/sock.h"
#include "nft/masq.h"
#include "store/lock.h"

#define LOCK_NAME "masq.lock"
#define LOCK_WAIT_MS 10000

/* The lock and the socket of one change. */
struct access {
	int lock_fd;
	struct nlsock *sock;
};

static void access_done(struct access *a)
{
	nlsock_free(a->sock);
	closep(&a->lock_fd);
}

static int access_open(int runtime_fd, struct access *a, struct pw_error *err)
{
	a->lock_fd = lock_take(runtime_fd, LOCK_NAME, LOCK_WAIT_MS, err);
	if (a->lock_fd < 0)
		return a->lock_fd;
	return nlsock_open(NETLINK_NETFILTER, &a->sock, err);
}

static int describe(const struct record *rec, struct array *addresses, struct masq_pod *ret,
		    struct pw_error *err)
{
	int r = addresses_strip(&rec->addresses, addresses, err);

	*ret = (struct masq_pod){
		.owner = rec->host_ifname,
		.addresses = addresses->v,
		.n_addresses = addresses->n,
		.exclusions = rec->masq_exclude.v,
		.n_exclusions = rec->masq_exclude.n,
	};
	return r;
}

struct others {
	int records_fd;
	struct masq_others *to;
	struct pw_error *err;
};

static int add_other(const char *host_ifname, struct record *rec, const struct pw_error *why,
		     void *arg)
{
	_cleanup_(array_done) struct array addresses = {};
	struct others *others = arg;
	struct masq_pod pod;
	int r;

	(void)host_ifname;
	(void)why; /* a record that can't be read is its own pod's trouble */
	if (!rec || rec->state != RECORD_READY || !rec->ip_masq)
		return 0;
	r = describe(rec, &addresses, &pod, others->err);
	return r < 0 ? r : masq_others_add(others->to, &pod, others->err);
}

static int add_others(struct masq_others *to, void *arg, struct pw_error *err)
{
	struct others *others = arg;

	others->to = to;
	others->err = err;
	return record_each(others->records_fd, add_other, others, err);
}

int masquerade_add(int runtime_fd, int records_fd, const struct record *rec, struct pw_error *err)
{
	_cleanup_(access_done) struct access a = { .lock_fd = -EBADF };
	_cleanup_(array_done) struct array addresses = {};
	struct others others = { .records_fd = records_fd };
	struct masq_pod pod;
	int r;

	r = access_open(runtime_fd, &a, err);
	if (r == 0)
		r = describe(rec, &addresses, &pod, err);
	if (r == 0)
		r = masq_add(a.sock, &pod, add_others, &others, err);
	return r;
}

int masquerade_remove(struct nlsock *sock, int runtime_fd, const char *host_ifname,
		      const struct array *addresses, struct pw_error *err)
{
	_cleanup_(closep) int lock_fd = lock_take(runtime_fd, LOCK_NAME, LOCK_WAIT_MS, err);
	_cleanup_(array_done) struct array ips = {};
	int r;

	if (lock_fd < 0)
		return lock_fd;
	r = addresses_strip(addresses, &ips, err);
	if (r == 0)
		r = masq_remove(sock, host_ifname, ips.v, ips.n, err);
	return r < 0 ? r : 0;
}

int masquerade_check(const struct record *rec, struct pw_error *err)
{
	_cleanup_(nlsock_freep) struct nlsock *sock = NULL;
	_cleanup_(array_done) struct array addresses = {};
	struct masq_pod pod;
	int r;

	r = nlsock_open(NETLINK_NETFILTER, &sock, err);
	if (r == 0)
		r = describe(rec, &addresses, &pod, err);
	if (r == 0)
		r = masq_check(sock, &pod, err);
	return r;
}
