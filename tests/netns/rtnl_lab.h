/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A node and a pod with a socket in each, and a veth pair of ours between them, "host0" and "eth0".
 */
#include "base/error.h"
#include "netlink/sock.h"
#include "rtnl/link.h"
#include "rtnl/veth.h"

struct rtnl_lab {
	int pod_fd;
	struct nlsock *host, *pod;
	struct link_info host_link, pod_link;
	struct pw_error err;
};

/* For cmocka_unit_test_setup_teardown(); the pair is made anew for each test, and up. */
int rtnl_lab_setup(void **state);
int rtnl_lab_teardown(void **state);

/* Fails the test with the lab's error where @r is negative. */
void rtnl_lab_ok(struct rtnl_lab *lab, int r);

/* The text that a command prints, without its last newline; good until the next call. */
const char *rtnl_lab_text(int fd, const char *command, ...) __attribute__((format(printf, 2, 3)));

/* The sysctl net/@key in the namespace @fd. */
int rtnl_lab_sysctl(int fd, const char *key);
