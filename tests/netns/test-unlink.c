/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A link is gone once unlink_link() returns, and the child that waits for the kernel holds nothing.
 */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ns.h"
#include "rtnl_lab.h"
#include "unlink.h"

static void reap(void)
{
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

static void a_link_is_gone_at_both_ends_and_its_name_is_free(void **state)
{
	static const struct veth_spec again = {
		.host_ifname = "host0",
		.pod_ifname = "eth0",
		.host_mac = { { 2, 0, 0, 0, 0, 3 } },
		.pod_mac = { { 2, 0, 0, 0, 0, 4 } },
		.mtu = 1500,
	};
	struct rtnl_lab *lab = *state;
	struct link_info link;

	assert_int_equal(unlink_link(lab->host, "host0", &lab->err), 1);
	assert_int_equal(link_find(lab->host, "host0", &link, &lab->err), 0);
	assert_int_equal(link_find(lab->pod, "eth0", &link, &lab->err), 0);
	assert_int_equal(unlink_link(lab->host, "host0", &lab->err), 0);

	/* and the child takes away none of what comes after */
	rtnl_lab_ok(lab, veth_create(lab->host, &again, lab->pod_fd, &lab->err));
	reap();
	assert_int_equal(link_find(lab->host, "host0", &link, &lab->err), 1);
	assert_int_equal(link_find(lab->pod, "eth0", &link, &lab->err), 1);
}

static void what_the_kernel_refuses_is_told(void **state)
{
	struct rtnl_lab *lab = *state;

	assert_int_equal(unlink_link(lab->host, "lo", &lab->err), -EOPNOTSUPP);
	assert_string_equal(lab->err.msg, "cannot remove link lo: Operation not supported");
	assert_int_equal(lab->err.code, PW_E_NETLINK);
	/* that child was waited for */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* A runtime waits for the end of our output, an IPAM plugin for that of its input. */
static void the_child_keeps_no_descriptor_open(void **state)
{
	struct rtnl_lab *lab = *state;
	int p[2];
	char c;

	assert_int_equal(pipe2(p, O_NONBLOCK), 0);
	assert_int_equal(unlink_link(lab->host, "host0", &lab->err), 1);
	close(p[1]);
	assert_int_equal(read(p[0], &c, 1), 0);
	close(p[0]);
	reap();
}

/* The first process of a PID namespace. */
static int be_init(struct rtnl_lab *lab)
{
	int r = unlink_link(lab->host, "host0", NULL);

	return r == 1 && waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : 1;
}

static int make_init(struct rtnl_lab *lab)
{
	int status;
	pid_t pid;

	if (unshare(CLONE_NEWPID) < 0)
		return 2;
	pid = fork();
	if (pid == 0)
		_exit(be_init(lab));
	return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : 1;
}

static void without_an_init_the_caller_waits_itself(void **state)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(make_init(*state));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
#define WITH_LAB(test) cmocka_unit_test_setup_teardown(test, rtnl_lab_setup, rtnl_lab_teardown)
	const struct CMUnitTest tests[] = {
		WITH_LAB(a_link_is_gone_at_both_ends_and_its_name_is_free),
		WITH_LAB(what_the_kernel_refuses_is_told),
		WITH_LAB(the_child_keeps_no_descriptor_open),
		WITH_LAB(without_an_init_the_caller_waits_itself), /* the last: its PID namespace
								      ends */
	};
	int r = ns_isolate();

	signal(SIGPIPE, SIG_IGN); /* as in main() */
	return r ? r : cmocka_run_group_tests(tests, NULL, NULL);
}
