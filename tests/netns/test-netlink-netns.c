/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "netlink/netns.h"
#include "netlink/sock.h"
#include "ns.h"
#include "rtnl/link.h"

static int own_fd(void)
{
	int fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void a_namespace_is_opened_by_its_path(void **state)
{
	_cleanup_(closep) int pod = ns_new(), fd = -EBADF;
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", pod);
	fd = netns_open(path, NULL);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(netns_same(fd, pod, NULL), 1);
	assert_int_equal(netns_is_own(fd, NULL), 0);
}

static void what_is_no_network_namespace_is_refused(void **state)
{
	static const struct {
		const char *path;
		int r;
		const char *msg;
	} cases[] = {
		{ "/proc/self/ns/mnt", -EINVAL, "/proc/self/ns/mnt is not a network namespace" },
		{ "/proc/self/ns/uts", -EINVAL, "/proc/self/ns/uts is not a network namespace" },
		{ "/proc/self/status", -EINVAL, "/proc/self/status is not a network namespace" },
		{ "/dev/null", -EINVAL, "/dev/null is not a network namespace" },
		{ "/tmp", -EINVAL, "/tmp is not a network namespace" },
		{ "/no/such", -ENOENT,
		  "cannot open network namespace /no/such: No such file or directory" },
		{ "", -ENOENT, "cannot open network namespace : No such file or directory" },
		{ "/proc/4194305/ns/net", -ENOENT,
		  "cannot open network namespace /proc/4194305/ns/net: No such file or directory" },
		{ "/dev/null/x", -ENOTDIR,
		  "cannot open network namespace /dev/null/x: Not a directory" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct pw_error err = {};

		assert_int_equal(netns_open(cases[i].path, &err), cases[i].r);
		assert_string_equal(err.msg, cases[i].msg);
		assert_int_equal(err.code, PW_E_NETNS);
	}
}

/* A runtime that makes the file first and mounts the namespace there later. */
static void a_fifo_in_its_place_does_not_make_us_wait(void **state)
{
	char path[] = "/tmp/pw-netns-XXXXXX";
	struct pw_error err = {};

	(void)state;
	assert_non_null(mkdtemp(path));
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(netns_open(path, &err), -EINVAL);
	assert_int_equal(unlink(path), 0);
}

static void namespaces_are_told_apart(void **state)
{
	_cleanup_(closep) int a = ns_new(), b = ns_new(), own = own_fd();
	struct pw_error err = {};

	(void)state;
	assert_int_equal(netns_same(a, b, &err), 0);
	assert_int_equal(netns_same(a, a, &err), 1);
	assert_int_equal(netns_same(a, own, &err), 0);
	assert_int_equal(netns_is_own(own, &err), 1);
	assert_int_equal(netns_is_own(a, &err), 0);
	assert_int_equal(netns_same(a, -EBADF, &err), -EBADF);
	assert_int_equal(err.code, PW_E_NETNS);
}

struct visit {
	int fd;
	int inside, calls, result;
};

static int visit(void *arg, struct pw_error *err)
{
	struct visit *v = arg;

	v->calls++;
	v->inside = netns_is_own(v->fd, NULL);
	return v->result < 0 ? pw_fail(err, -v->result, PW_E_IO, "inside") : v->result;
}

static void work_is_done_inside_and_we_come_back(void **state)
{
	static const int results[] = { 0, 7, -EPIPE };
	_cleanup_(closep) int pod = ns_new(), own = own_fd();

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(results); i++) {
		struct visit v = { .fd = pod, .result = results[i] };
		struct pw_error err = {};

		assert_int_equal(netns_call(pod, visit, &v, &err), results[i]);
		assert_int_equal(v.calls, 1);
		assert_int_equal(v.inside, 1);
		assert_int_equal(netns_is_own(own, NULL), 1);
		assert_string_equal(err.msg, results[i] < 0 ? "inside" : "");
	}
}

static void what_cannot_be_entered_is_an_error_and_no_work(void **state)
{
	_cleanup_(closep) int null = open("/dev/null", O_RDONLY | O_CLOEXEC), own = own_fd();
	struct visit v = { .fd = own };
	struct pw_error err = {};

	(void)state;
	assert_int_equal(netns_call(null, visit, &v, &err), -EINVAL);
	assert_string_equal(err.msg, "cannot enter the pod's network namespace: Invalid argument");
	assert_int_equal(err.code, PW_E_NETNS);
	assert_int_equal(netns_call(-EBADF, visit, &v, &err), -EBADF);
	assert_int_equal(v.calls, 0);
	assert_int_equal(netns_is_own(own, NULL), 1);
}

static void a_socket_lives_where_it_was_opened(void **state)
{
	_cleanup_(closep) int pod = ns_new(), own = own_fd();
	_cleanup_(nlsock_freep) struct nlsock *there = NULL, *here = NULL;
	struct link_info link;
	struct pw_error err = {};

	(void)state;
	ns_run(pod, "ip link add only-there type bridge");
	assert_int_equal(netns_socket(pod, NETLINK_ROUTE, &there, &err), 0);
	assert_int_equal(nlsock_open(NETLINK_ROUTE, &here, &err), 0);
	assert_int_equal(netns_is_own(own, NULL), 1);
	assert_int_equal(link_find(there, "only-there", &link, &err), 1);
	assert_int_equal(link_find(here, "only-there", &link, &err), 0);

	nlsock_free(there);
	there = NULL;
	assert_true(netns_socket(pod, 63, &there, &err) < 0);
	assert_null(there);
	assert_int_equal(netns_is_own(own, NULL), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_namespace_is_opened_by_its_path),
		cmocka_unit_test(what_is_no_network_namespace_is_refused),
		cmocka_unit_test(a_fifo_in_its_place_does_not_make_us_wait),
		cmocka_unit_test(namespaces_are_told_apart),
		cmocka_unit_test(work_is_done_inside_and_we_come_back),
		cmocka_unit_test(what_cannot_be_entered_is_an_error_and_no_work),
		cmocka_unit_test(a_socket_lives_where_it_was_opened),
	};
	int r = ns_isolate();

	return r ? r : cmocka_run_group_tests(tests, NULL, NULL);
}
