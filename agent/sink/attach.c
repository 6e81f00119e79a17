/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sink/attach.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <limits.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "sink/filter.h"
#include "sink/pins.h"
#include "tcx.h"

struct attach {
	struct datapath *dp;
	bool tcx;
	uint32_t ids[_PROGRAM_MAX]; /* of our programs */
};

struct hook {
	enum datapath_program program;
	const char *name; /* as in the BPF object, and in the pin's name */
	bool egress;
};

static const struct hook hooks[PW_PORT_UPLINK + 1][2] = {
	[PW_PORT_POD] = { { PROGRAM_FROM_POD, "from_pod", false },
			  { PROGRAM_TO_POD, "to_pod", true } },
	[PW_PORT_UPLINK] = { { PROGRAM_FROM_UPLINK, "from_uplink", false },
			     { PROGRAM_TO_UPLINK, "to_uplink", true } },
};
static const struct hook xdp_hook = { PROGRAM_UPLINK_XDP, "uplink_xdp", false };

/* A kernel that knows tcx misses the device; one that doesn't, the attach type. */
static bool probe_tcx(struct datapath *dp)
{
	int fd =
		bpf_link_create(datapath_program(dp, PROGRAM_TO_UPLINK), INT_MAX, TCX_EGRESS, NULL);

	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == ENODEV;
}

int attach_open(struct datapath *dp, struct attach **ret, struct pw_error *err)
{
	struct attach *a = calloc(1, sizeof(*a));

	if (!a)
		return pw_oom(err);
	*a = (struct attach){ .dp = dp, .tcx = probe_tcx(dp) };
	for (unsigned int i = 0; i < _PROGRAM_MAX; i++)
		a->ids[i] = filter_program_id(datapath_program(dp, i));
	*ret = a;
	return 0;
}

struct attach *attach_close(struct attach *a)
{
	free(a);
	return NULL;
}

bool attach_has_tcx(const struct attach *a)
{
	return a->tcx;
}

static void pin_path(const struct attach *a, int ifindex, const char *program, char *ret,
		     size_t size)
{
	(void)snprintf(ret, size, "%s/%d-%s", datapath_links_path(a->dp), ifindex, program);
}

/*
 * A pinned link that is on its device; -ENOENT where there's none. One that isn't any more
 * (somebody detached it, or the device is gone) is unpinned.
 */
static int open_link(const struct attach *a, int ifindex, const struct hook *hook,
		     uint32_t *ret_prog_id)
{
	struct bpf_link_info info = {};
	uint32_t len = sizeof(info);
	char path[PATH_MAX + 64];
	int fd;

	pin_path(a, ifindex, hook->name, path, sizeof(path));
	fd = bpf_obj_get(path);
	if (fd < 0)
		return -ENOENT;
	/* the device's index stands at the same place for tcx, which libbpf 1.1 has no name for */
	if (bpf_obj_get_info_by_fd(fd, &info, &len) == 0 && (int)info.xdp.ifindex == ifindex) {
		*ret_prog_id = info.prog_id;
		return fd;
	}
	close(fd);
	(void)unlink(path);
	return -ENOENT;
}

static int make_link(struct attach *a, const struct port *port, const struct hook *hook,
		     enum bpf_attach_type type, uint32_t flags, struct pw_error *err)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = flags);
	_cleanup_(closep) int fd = -EBADF;
	char path[PATH_MAX + 64];

	fd = bpf_link_create(datapath_program(a->dp, hook->program), port->ifindex, type,
			     flags ? &opts : NULL);
	if (fd < 0)
		return pw_fail(err, errno, PW_E_NETLINK, "cannot attach program %s to %s: %m",
			       hook->name, port->ifname);
	pin_path(a, port->ifindex, hook->name, path, sizeof(path));
	if (bpf_obj_pin(fd, path) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot pin %s: %m", path);
	return 1;
}

/* 1 if it wasn't there. */
static int ensure_link(struct attach *a, const struct port *port, const struct hook *hook,
		       enum bpf_attach_type type, uint32_t flags, struct pw_error *err)
{
	int program = datapath_program(a->dp, hook->program);
	uint32_t there = 0;
	_cleanup_(closep) int fd = open_link(a, port->ifindex, hook, &there);

	if (fd < 0)
		return make_link(a, port, hook, type, flags, err);
	if (there == a->ids[hook->program])
		return 0;
	/* a former agent's program: swapped without a gap */
	if (bpf_link_update(fd, program, NULL) < 0)
		return pw_fail(err, errno, PW_E_NETLINK, "cannot swap program %s on %s: %m",
			       hook->name, port->ifname);
	return 0;
}

static int ensure(struct attach *a, const struct port *port, const struct hook *hook,
		  struct pw_error *err)
{
	if (!a->tcx)
		return filter_put(datapath_bpffs(a->dp), port, hook->egress,
				  datapath_program(a->dp, hook->program), hook->name, err);
	return ensure_link(a, port, hook, hook->egress ? TCX_EGRESS : TCX_INGRESS, 0, err);
}

int attach_port(struct attach *a, const struct port *port, struct pw_error *err)
{
	int in = ensure(a, port, &hooks[port->kind][0], err);
	int out = in < 0 ? in : ensure(a, port, &hooks[port->kind][1], err);

	return out < 0 ? out : in + out;
}

static bool is_pinned(const struct attach *a, int ifindex, const struct hook *hook)
{
	uint32_t there = 0;
	int fd = open_link(a, ifindex, hook, &there);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* By one question: thousands of devices are looked at again and again. @ret_n: of all, whosever. */
static bool is_seen(const struct attach *a, int ifindex, const struct hook *hook, uint32_t *ret_n)
{
	uint32_t ids[64] = {}, flags = 0, n = ARRAY_COUNT(ids);

	*ret_n = 0;
	if (bpf_prog_query(ifindex, hook->egress ? TCX_EGRESS : TCX_INGRESS, 0, &flags, ids, &n) <
	    0)
		return false;
	*ret_n = n;
	for (uint32_t i = 0; i < n && i < ARRAY_COUNT(ids); i++) {
		if (ids[i] && ids[i] == a->ids[hook->program])
			return true;
	}
	return false;
}

void attach_look(struct attach *a, const struct port *port, struct attach_seen *ret)
{
	*ret = (struct attach_seen){};
	for (unsigned int i = 0; i < 2; i++) {
		const struct hook *hook = &hooks[port->kind][i];
		uint32_t n;

		if (!a->tcx) {
			ret->ours[i] = filter_program(port->ifindex, hook->egress) != 0;
			continue;
		}
		/* this agent's program, or a former one's, which only the pin tells of */
		ret->ours[i] = is_seen(a, port->ifindex, hook, &n) ||
			       (n > 0 && is_pinned(a, port->ifindex, hook));
		ret->others[i] = n > ret->ours[i];
	}
}

int attach_xdp(struct attach *a, const struct port *port, struct pw_error *err)
{
	int r = ensure_link(a, port, &xdp_hook, BPF_XDP, XDP_FLAGS_DRV_MODE, err);

	return r < 0 ? r : 0;
}

int attach_check_xdp(struct attach *a, const struct port *port)
{
	return is_pinned(a, port->ifindex, &xdp_hook);
}

/*
 * Off the device when it returns: the kernel would free a link that nobody has any more a while
 * after its end, and until then refuse the same program for a device that gets it back.
 */
static void drop(const struct attach *a, int ifindex, const char *program)
{
	char path[PATH_MAX + 64];
	int fd;

	pin_path(a, ifindex, program, path, sizeof(path));
	fd = bpf_obj_get(path);
	if (fd >= 0) {
		(void)bpf_link_detach(fd); /* the device may be gone */
		close(fd);
	}
	(void)unlink(path);
}

void attach_drop_xdp(struct attach *a, int ifindex)
{
	drop(a, ifindex, xdp_hook.name);
}

void attach_drop(struct attach *a, int ifindex)
{
	for (unsigned int kind = PW_PORT_POD; kind <= PW_PORT_UPLINK; kind++) {
		for (unsigned int i = 0; i < 2; i++)
			drop(a, ifindex, hooks[kind][i].name);
	}
	if (!a->tcx)
		filter_drop(datapath_bpffs(a->dp), ifindex);
	drop(a, ifindex, xdp_hook.name);
}

struct sweep {
	struct attach *a;
	struct model *m;
};

static int sweep_one(const char *name, void *arg, struct pw_error *err)
{
	const struct sweep *s = arg;
	const struct port *port;
	char *end;
	long ifindex = strtol(name, &end, 10);

	(void)err;
	if (*end != '-' || ifindex <= 0 || ifindex > INT_MAX)
		return 0; /* not a name of ours */
	port = model_find_index(s->m, (int)ifindex);
	if (!port || !port->slot)
		attach_drop(s->a, (int)ifindex);
	return 0;
}

/* They have no pins to go by. */
static int sweep_filters(struct attach *a, struct model *m, struct pw_error *err)
{
	struct if_nameindex *all = if_nameindex();

	if (!all)
		return pw_fail(err, errno, PW_E_NETLINK, "cannot list devices: %m");
	for (struct if_nameindex *one = all; one->if_index; one++) {
		const struct port *port = model_find_index(m, (int)one->if_index);

		if (!port || !port->slot)
			filter_drop(datapath_bpffs(a->dp), (int)one->if_index);
	}
	if_freenameindex(all);
	return filter_sweep(datapath_bpffs(a->dp), err);
}

int attach_sweep(struct attach *a, struct model *m, struct pw_error *err)
{
	struct sweep s = { a, m };
	int r = pins_each(datapath_links_path(a->dp), sweep_one, &s, err);

	return r < 0 || a->tcx ? r : sweep_filters(a, m, err);
}
