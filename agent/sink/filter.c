/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sink/filter.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <limits.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/error.h"
#include "netlink/auto.h"
#include "netlink/sock.h"
#include "sink/pins.h"

/* Our place among a clsact qdisc's filters: "pw" and "p1" in ASCII. */
#define FILTER_PRIORITY 0x7077
#define FILTER_HANDLE 0x7031

unsigned int filter_priority(void)
{
	return FILTER_PRIORITY;
}

static struct bpf_tc_hook hook_of(int ifindex, enum bpf_tc_attach_point point)
{
	return (struct bpf_tc_hook){
		.sz = sizeof(struct bpf_tc_hook),
		.ifindex = ifindex,
		.attach_point = point,
	};
}

static enum bpf_tc_attach_point point_of(bool egress)
{
	return egress ? BPF_TC_EGRESS : BPF_TC_INGRESS;
}

uint32_t filter_program(int ifindex, bool egress)
{
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = FILTER_HANDLE, .priority = FILTER_PRIORITY);
	struct bpf_tc_hook at = hook_of(ifindex, point_of(egress));

	return bpf_tc_query(&at, &opts) < 0 ? 0 : opts.prog_id;
}

static void mark_path(const char *bpffs, int ifindex, char *ret, size_t size)
{
	(void)snprintf(ret, size, "%s/" PINS_CLSACT "/%d", bpffs, ifindex);
}

static int mark_as_ours(const char *bpffs, int ifindex, struct pw_error *err)
{
	char path[PATH_MAX + 32];

	(void)snprintf(path, sizeof(path), "%s/" PINS_CLSACT, bpffs);
	if (mkdir(path, 0700) == 0 || errno == EEXIST) {
		mark_path(bpffs, ifindex, path, sizeof(path));
		if (mkdir(path, 0700) == 0 || errno == EEXIST)
			return 0;
	}
	return pw_fail(err, errno, PW_E_IO, "cannot make directory %s: %m", path);
}

/* Whether it was marked. */
static bool unmark(const char *bpffs, int ifindex)
{
	char path[PATH_MAX + 32];

	mark_path(bpffs, ifindex, path, sizeof(path));
	return rmdir(path) == 0;
}

static int add_qdisc(const char *bpffs, const struct port *port, struct pw_error *err)
{
	struct bpf_tc_hook at = hook_of(port->ifindex, BPF_TC_INGRESS | BPF_TC_EGRESS);
	int r = bpf_tc_hook_create(&at);

	if (r == -EEXIST) {
		/* somebody has put his in the place of ours */
		if (!filter_program(port->ifindex, false) && !filter_program(port->ifindex, true))
			(void)unmark(bpffs, port->ifindex);
		return 0;
	}
	if (r < 0)
		return pw_fail(err, -r, PW_E_NETLINK, "cannot add a clsact qdisc to %s: %m",
			       port->ifname);
	return mark_as_ours(bpffs, port->ifindex, err);
}

uint32_t filter_program_id(int prog_fd)
{
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);

	return bpf_obj_get_info_by_fd(prog_fd, &info, &len) < 0 ? 0 : info.id;
}

static void drop_one(int ifindex, bool egress)
{
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = FILTER_HANDLE, .priority = FILTER_PRIORITY);
	struct bpf_tc_hook at = hook_of(ifindex, point_of(egress));

	if (filter_program(ifindex, egress))
		(void)bpf_tc_detach(&at, &opts);
}

int filter_put(const char *bpffs, const struct port *port, bool egress, int prog_fd,
	       const char *name, struct pw_error *err)
{
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = prog_fd, .handle = FILTER_HANDLE,
		    .priority = FILTER_PRIORITY, .flags = BPF_TC_F_REPLACE);
	struct bpf_tc_hook at = hook_of(port->ifindex, point_of(egress));
	uint32_t there = filter_program(port->ifindex, egress);
	int r;

	if (there && there == filter_program_id(prog_fd))
		return 0;
	r = there ? 0 : add_qdisc(bpffs, port, err);
	if (r < 0)
		return r;
	r = bpf_tc_attach(&at, &opts);
	if (r < 0)
		return pw_fail(err, -r, PW_E_NETLINK, "cannot attach program %s to %s: %m", name,
			       port->ifname);
	/* an ingress qdisc takes both directions for its own */
	if (filter_program(port->ifindex, !egress) == filter_program(port->ifindex, egress)) {
		drop_one(port->ifindex, egress);
		return pw_fail(err, EBUSY, PW_E_NETLINK,
			       "%s has an ingress qdisc, and no room for a clsact one",
			       port->ifname);
	}
	return !there;
}

static int take_filter(const struct nlmsghdr *nlh, void *arg)
{
	bool *any = arg;

	*any = nlh != NULL;
	return 0;
}

/* Where that can't be found out it's taken for used. */
static bool is_used(int ifindex)
{
	static const uint32_t parents[] = {
		TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS),
		TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS),
	};
	_cleanup_(nlsock_freep) struct nlsock *s = NULL;
	bool any = false;

	if (nlsock_open(NETLINK_ROUTE, &s, NULL) < 0)
		return true;
	for (size_t i = 0; i < ARRAY_COUNT(parents) && !any; i++) {
		struct tcmsg tcm = { .tcm_ifindex = ifindex, .tcm_parent = parents[i] };
		_cleanup_(nlmsg_freep) struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETTFILTER, 0);

		if (!msg || nlmsg_append(msg, &tcm, sizeof(tcm), NLMSG_ALIGNTO) < 0 ||
		    nlsock_dump(s, msg, take_filter, &any, NULL, "cannot list filters") < 0)
			return true;
	}
	return any;
}

void filter_drop(const char *bpffs, int ifindex)
{
	struct bpf_tc_hook at = hook_of(ifindex, BPF_TC_INGRESS | BPF_TC_EGRESS);

	drop_one(ifindex, false);
	drop_one(ifindex, true);
	if (unmark(bpffs, ifindex) && !is_used(ifindex))
		(void)bpf_tc_hook_destroy(&at);
}

static int sweep_one(const char *name, void *arg, struct pw_error *err)
{
	char ifname[IF_NAMESIZE], *end;
	long ifindex = strtol(name, &end, 10);

	(void)err;
	if (*end == '\0' && ifindex > 0 && ifindex <= INT_MAX &&
	    !if_indextoname((unsigned int)ifindex, ifname))
		(void)unmark(arg, (int)ifindex);
	return 0;
}

int filter_sweep(const char *bpffs, struct pw_error *err)
{
	char path[PATH_MAX + 32];

	(void)snprintf(path, sizeof(path), "%s/" PINS_CLSACT, bpffs);
	return pins_each(path, sweep_one, (void *)bpffs, err);
}
