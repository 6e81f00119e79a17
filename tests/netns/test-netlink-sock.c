/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/error.h"
#include "netlink/auto.h"
#include "netlink/sock.h"
#include "ns.h"

#define MANY 150 /* links: their dump takes several datagrams */

static struct nlsock *open_sock(void)
{
	struct nlsock *s = NULL;
	struct pw_error err = {};

	if (nlsock_open(NETLINK_ROUTE, &s, &err) < 0)
		fail_msg("%s", err.msg);
	return s;
}

static struct nl_msg *link_request(int type, int flags, const char *name)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, flags);
	struct ifinfomsg ifi = {};

	assert_non_null(msg);
	assert_int_equal(nlmsg_append(msg, &ifi, sizeof(ifi), NLMSG_ALIGNTO), 0);
	if (name)
		assert_int_equal(nla_put_string(msg, IFLA_IFNAME, name), 0);
	return msg;
}

static struct nl_msg *bridge(const char *name, uint32_t mtu)
{
	struct nl_msg *msg = link_request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, name);
	struct nlattr *info = nla_nest_start(msg, IFLA_LINKINFO);

	assert_int_equal(nla_put_string(msg, IFLA_INFO_KIND, "bridge"), 0);
	nla_nest_end(msg, info);
	if (mtu)
		assert_int_equal(nla_put_u32(msg, IFLA_MTU, mtu), 0);
	return msg;
}

static void a_refusal_has_the_kernels_own_words(void **state)
{
	_cleanup_(nlsock_freep) struct nlsock *s = open_sock();
	_cleanup_(nlmsg_freep) struct nl_msg *large = bridge("br-large", 0x7fffffff);
	_cleanup_(nlmsg_freep) struct nl_msg *none = link_request(RTM_DELLINK, 0, "absent");
	struct pw_error err = {};

	(void)state;
	assert_int_equal(nlsock_ask(s, large, &err, "cannot create %s", "br-large"), -EINVAL);
	assert_int_equal(err.code, PW_E_NETLINK);
	assert_int_equal(err.errnum, EINVAL);
	assert_string_equal(err.msg, "cannot create br-large: Invalid argument "
				     "(mtu greater than device maximum)");
	nlsock_set_place(s, " in pod");
	assert_int_equal(nlsock_ask(s, none, &err, "cannot remove it"), -ENODEV);
	assert_string_equal(err.msg, "cannot remove it in pod: No such device");
	assert_int_equal(nlsock_ask(s, none, NULL, "nobody cares"), -ENODEV);
}

static int fail_at_once(const struct nlmsghdr *nlh, void *arg)
{
	(void)nlh;
	++*(int *)arg;
	return -EPIPE;
}

/* What a refused dump says comes in its last message, and that has a form of its own. */
static void a_refused_dump_has_the_kernels_own_words(void **state)
{
	_cleanup_(nlsock_freep) struct nlsock *s = open_sock();
	_cleanup_(nlmsg_freep) struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETROUTE, 0);
	struct rtmsg rtm = { .rtm_family = AF_INET, .rtm_dst_len = 8 };
	struct pw_error err = {};
	int calls = 0;

	(void)state;
	assert_int_equal(nlmsg_append(msg, &rtm, sizeof(rtm), NLMSG_ALIGNTO), 0);
	assert_int_equal(nlsock_dump(s, msg, fail_at_once, &calls, &err, "cannot list routes"),
			 -EINVAL);
	assert_string_equal(err.msg, "cannot list routes: Invalid argument "
				     "(Invalid values in header for FIB dump request)");
	assert_int_equal(calls, 0);
}

struct listing {
	struct nlsock *other; /* changes links while we list */
	unsigned int spoil;   /* so many tries */
	unsigned int tries, links, serial;
};

/* Counts; and early in a try that is to be spoilt, makes one link more. */
static int count(const struct nlmsghdr *nlh, void *arg)
{
	struct listing *l = arg;
	char name[16];

	if (!nlh) {
		l->tries++;
		l->links = 0;
		return 0;
	}
	if (l->links++ == 3 && l->tries < l->spoil) {
		_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;

		snprintf(name, sizeof(name), "late%u", l->serial++);
		msg = bridge(name, 0);
		assert_int_equal(nlsock_ask(l->other, msg, NULL, "x"), 0);
	}
	return 0;
}

static int make_many(void **state)
{
	struct nlsock *s = open_sock();

	(void)state;
	for (int i = 0; i < MANY; i++) {
		_cleanup_(nlmsg_freep) struct nl_msg *msg = NULL;
		char name[16];

		snprintf(name, sizeof(name), "many%d", i);
		msg = bridge(name, 0);
		assert_int_equal(nlsock_ask(s, msg, NULL, "x"), 0);
	}
	nlsock_free(s);
	return 0;
}

static void a_dump_is_whole(void **state)
{
	_cleanup_(nlsock_freep) struct nlsock *s = open_sock();
	struct listing l = {};

	(void)state;
	for (int twice = 0; twice < 2; twice++) {
		_cleanup_(nlmsg_freep) struct nl_msg *msg = link_request(RTM_GETLINK, 0, NULL);

		l = (struct listing){};
		assert_int_equal(nlsock_dump(s, msg, count, &l, NULL, "x"), 0);
		assert_int_equal(l.links, MANY + 1);
		assert_int_equal(l.tries, 0);
	}
}

/* A dump that links came into while it ran may have holes: it is asked for again. */
static void an_interrupted_dump_starts_again(void **state)
{
	_cleanup_(nlsock_freep) struct nlsock *s = open_sock(), *other = open_sock();
	_cleanup_(nlmsg_freep) struct nl_msg *msg = link_request(RTM_GETLINK, 0, NULL);
	struct listing l = { .other = other, .spoil = 3 };
	struct pw_error err = {};

	(void)state;
	assert_int_equal(nlsock_dump(s, msg, count, &l, &err, "cannot list links"), 0);
	assert_int_equal(l.tries, 3);
	assert_int_equal(l.links, MANY + 1 + 3);
	ns_run(-1, "for i in 0 1 2; do ip link del late$i; done");
}

static void a_dump_that_is_always_interrupted_is_given_up(void **state)
{
	_cleanup_(nlsock_freep) struct nlsock *s = open_sock(), *other = open_sock();
	_cleanup_(nlmsg_freep) struct nl_msg *msg = link_request(RTM_GETLINK, 0, NULL);
	struct listing l = { .other = other, .spoil = 1000 };
	struct pw_error err = {};

	(void)state;
	assert_int_equal(nlsock_dump(s, msg, count, &l, &err, "cannot list links"), -EINTR);
	assert_string_equal(err.msg, "cannot list links: Interrupted system call");
	assert_in_range(l.tries, 2, 100);
	ns_run(-1, "for l in $(ls /proc/sys/net/ipv4/conf | grep late); do ip link del $l; done");
}

/* The rest of a dump that its reader gave up is read: it would be in the next answer's way. */
static void a_reader_that_gives_up_leaves_nothing_behind(void **state)
{
	_cleanup_(nlsock_freep) struct nlsock *s = open_sock();
	_cleanup_(nlmsg_freep) struct nl_msg *msg = link_request(RTM_GETLINK, 0, NULL);
	struct listing l = {};
	int calls = 0;

	(void)state;
	assert_int_equal(nlsock_dump(s, msg, fail_at_once, &calls, NULL, "x"), -EPIPE);
	assert_int_equal(calls, 1);
	assert_int_equal(nlsock_dump(s, msg, count, &l, NULL, "x"), 0);
	assert_int_equal(l.links, MANY + 1);
}

static int take_name(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[IFLA_MAX + 1];

	assert_int_equal(
		nlmsg_parse((struct nlmsghdr *)nlh, sizeof(struct ifinfomsg), tb, IFLA_MAX, NULL),
		0);
	nla_strlcpy(arg, tb[IFLA_IFNAME], 16);
	return 0;
}

/* The answers to somebody's earlier questions, that he never read, aren't ours. */
static void stale_answers_are_passed_over(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	_cleanup_(nlsock_freep) struct nlsock *s = NULL;
	_cleanup_(nlmsg_freep) struct nl_msg *stale = link_request(RTM_GETLINK, NLM_F_ACK, "many7");
	_cleanup_(nlmsg_freep) struct nl_msg *absent =
		link_request(RTM_GETLINK, NLM_F_ACK, "absent");
	_cleanup_(nlmsg_freep) struct nl_msg *get = link_request(RTM_GETLINK, 0, "many3");
	char name[16] = "";

	(void)state;
	close(fd);
	s = open_sock(); /* and so it has that descriptor */
	for (uint32_t seq = 1; seq < 4; seq++) {
		struct nlmsghdr *nlh = nlmsg_hdr(seq == 2 ? absent : stale);

		nlh->nlmsg_seq = seq;
		nlh->nlmsg_flags |= NLM_F_REQUEST;
		assert_int_equal(send(fd, nlh, nlh->nlmsg_len, 0), nlh->nlmsg_len);
	}
	assert_int_equal(nlsock_get(s, get, take_name, name, NULL, "x"), 0);
	assert_string_equal(name, "many3");
}

/* A pod that may may write to the sockets in its namespace. It isn't the kernel. */
static void what_others_send_is_passed_over(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), forger;
	struct {
		struct nlmsghdr nlh;
		struct nlmsgerr e;
	} lie = {
		.nlh = { .nlmsg_len = sizeof(lie), .nlmsg_type = NLMSG_ERROR },
		.e = { .error = -EPERM },
	};
	_cleanup_(nlsock_freep) struct nlsock *s = NULL;
	_cleanup_(nlmsg_freep) struct nl_msg *get = link_request(RTM_GETLINK, 0, "many3");
	struct sockaddr_nl to = {};
	socklen_t len = sizeof(to);
	char name[16] = "";
	uint32_t now = (uint32_t)time(NULL); /* what libnl counts from */

	(void)state;
	close(fd);
	s = open_sock(); /* and so it has that descriptor */
	assert_int_equal(getsockname(fd, (struct sockaddr *)&to, &len), 0);
	forger = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	for (uint32_t seq = now - 5; seq < now + 20; seq++) {
		lie.nlh.nlmsg_seq = seq;
		assert_int_equal(sendto(forger, &lie, sizeof(lie), 0, (struct sockaddr *)&to, len),
				 sizeof(lie));
	}
	close(forger);
	assert_int_equal(nlsock_get(s, get, take_name, name, NULL, "x"), 0);
	assert_string_equal(name, "many3");
}

static void a_batch_is_one_answer(void **state)
{
	_cleanup_(nlsock_freep) struct nlsock *s = open_sock();
	struct nl_msg *msgs[20];
	struct pw_error err = {};
	size_t failed = 42;
	char name[16];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(msgs); i++) {
		snprintf(name, sizeof(name), "batch%zu", i == 13 ? 5 : i);
		msgs[i] = bridge(name, 0);
		nlmsg_hdr(msgs[i])->nlmsg_flags |= NLM_F_ACK;
	}
	assert_int_equal(nlsock_batch(s, msgs, 10, &failed, &err, "x"), 0);
	assert_int_equal(failed, 42);
	/* the one that is there already is the first refusal; those behind it went on */
	assert_int_equal(nlsock_batch(s, msgs + 10, 10, &failed, &err, "cannot make %s", "it"),
			 -EEXIST);
	assert_int_equal(failed, 3);
	assert_string_equal(err.msg, "cannot make it: File exists");
	assert_int_equal(ns_try(-1, "ip link show batch19 >/dev/null"), 0);
	assert_int_equal(nlsock_batch(s, msgs, 1, NULL, NULL, "x"), -EEXIST);
	for (size_t i = 0; i < TEST_COUNT(msgs); i++)
		nlmsg_free(msgs[i]);
	ns_run(-1, "for l in $(ls /proc/sys/net/ipv4/conf | grep batch); do ip link del $l; done");
}

/* Larger than a socket's send buffer: one datagram all the same. */
static void a_batch_may_be_large(void **state)
{
	_cleanup_(nlsock_freep) struct nlsock *s = open_sock();
	static char padding[30000];
	struct nl_msg *msgs[20];
	struct pw_error err = {};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(msgs); i++) {
		msgs[i] = nlmsg_alloc_size(sizeof(padding) + 1000);
		assert_non_null(msgs[i]);
		assert_non_null(nlmsg_put(msgs[i], 0, 0, NLMSG_NOOP, sizeof(padding), NLM_F_ACK));
	}
	assert_int_equal(nlsock_batch(s, msgs, TEST_COUNT(msgs), NULL, &err, "x"), 0);
	for (size_t i = 0; i < TEST_COUNT(msgs); i++)
		nlmsg_free(msgs[i]);
}

static void an_unknown_protocol_is_an_error(void **state)
{
	struct nlsock *s = NULL;
	struct pw_error err = {};

	(void)state;
	assert_true(nlsock_open(63, &s, &err) < 0);
	assert_null(s);
	assert_int_equal(err.code, PW_E_NETLINK);
	assert_null(nlsock_free(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_refusal_has_the_kernels_own_words),
		cmocka_unit_test(a_refused_dump_has_the_kernels_own_words),
		cmocka_unit_test(a_dump_is_whole),
		cmocka_unit_test(an_interrupted_dump_starts_again),
		cmocka_unit_test(a_dump_that_is_always_interrupted_is_given_up),
		cmocka_unit_test(a_reader_that_gives_up_leaves_nothing_behind),
		cmocka_unit_test(stale_answers_are_passed_over),
		cmocka_unit_test(what_others_send_is_passed_over),
		cmocka_unit_test(a_batch_is_one_answer),
		cmocka_unit_test(a_batch_may_be_large),
		cmocka_unit_test(an_unknown_protocol_is_an_error),
	};
	int r = ns_isolate();

	return r ? r : cmocka_run_group_tests(tests, make_many, NULL);
}
