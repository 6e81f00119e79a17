/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rtnl_lab.h"

#include "test.h"

#include <linux/if.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sysctl.h"
#include "netlink/netns.h"
#include "ns.h"

void rtnl_lab_ok(struct rtnl_lab *lab, int r)
{
	if (r < 0)
		fail_msg("%s", lab->err.msg);
}

/* Up, and with a queue: what is sent before the kernel's work queue has come to it is lost. */
static void wait_until_running(struct rtnl_lab *lab, struct nlsock *s, const char *name)
{
	struct link_info link = {};

	for (int ms = 0; ms < 5000 && !(link.flags & IFF_RUNNING); ms++) {
		if (ms)
			poll(NULL, 0, 1);
		assert_int_equal(link_find(s, name, &link, &lab->err), 1);
	}
	assert_true(link.flags & IFF_RUNNING);
}

int rtnl_lab_setup(void **state)
{
	static const struct veth_spec spec = {
		.host_ifname = "host0",
		.pod_ifname = "eth0",
		.host_mac = { { 2, 0, 0, 0, 0, 1 } },
		.pod_mac = { { 2, 0, 0, 0, 0, 2 } },
		.mtu = 1500,
	};
	static const struct link_change up = { .up = true, .rp_filter = -1 };
	struct rtnl_lab *lab = calloc(1, sizeof(*lab));

	assert_non_null(lab);
	*state = lab;
	lab->pod_fd = ns_new();
	rtnl_lab_ok(lab, nlsock_open(NETLINK_ROUTE, &lab->host, &lab->err));
	rtnl_lab_ok(lab, netns_socket(lab->pod_fd, NETLINK_ROUTE, &lab->pod, &lab->err));
	rtnl_lab_ok(lab, veth_create(lab->host, &spec, lab->pod_fd, &lab->err));
	assert_int_equal(link_find(lab->host, "host0", &lab->host_link, &lab->err), 1);
	assert_int_equal(link_find(lab->pod, "eth0", &lab->pod_link, &lab->err), 1);
	rtnl_lab_ok(lab, link_change(lab->host, &lab->host_link, &up, &lab->err));
	rtnl_lab_ok(lab, link_change(lab->pod, &lab->pod_link, &up, &lab->err));
	wait_until_running(lab, lab->host, "host0");
	wait_until_running(lab, lab->pod, "eth0");
	return 0;
}

int rtnl_lab_teardown(void **state)
{
	struct rtnl_lab *lab = *state;

	(void)link_remove(lab->host, "host0", NULL);
	nlsock_free(lab->host);
	nlsock_free(lab->pod);
	close(lab->pod_fd);
	free(lab);
	return 0;
}

const char *rtnl_lab_text(int fd, const char *command, ...)
{
	static char text[8192];
	char line[512], *output;
	va_list ap;
	size_t n;

	va_start(ap, command);
	vsnprintf(line, sizeof(line), command, ap);
	va_end(ap);
	output = ns_output(fd, "%s", line);
	n = (size_t)snprintf(text, sizeof(text), "%s", output);
	assert_true(n < sizeof(text));
	free(output);
	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
		text[--n] = '\0';
	return text;
}

struct question {
	const char *key;
	int value;
};

static int read_key(void *arg, struct pw_error *err)
{
	struct question *q = arg;

	return sysctl_read_int(q->key, &q->value, err);
}

int rtnl_lab_sysctl(int fd, const char *key)
{
	struct question q = { .key = key };
	struct pw_error err = {};

	if ((fd < 0 ? read_key(&q, &err) : netns_call(fd, read_key, &q, &err)) < 0)
		fail_msg("%s: %s", key, err.errnum ? err.msg : "there's no such key");
	return q.value;
}
