/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sink/datapath.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/error.h"
#include "podwire_bpf.skel.h"
#include "sink/copy.h"
#include "sink/pins.h"

struct datapath {
	struct podwire_bpf *skel;
	struct pins pins;
	char links[PATH_MAX + 8];
	int links_fd;
	int cpus;                /* possible ones */
	struct pw_count *counts; /* one a CPU, for reading */
	/*
	 * struct pw_source_key by slot: all of a slot's that may be in `sources`, which can't be
	 * asked for one slot's without walking those of all.
	 */
	struct array sources[PW_SLOTS];
};

struct datapath *datapath_close(struct datapath *dp)
{
	if (dp) {
		for (size_t i = 0; i < ARRAY_COUNT(dp->sources); i++)
			array_done(&dp->sources[i]);
		podwire_bpf__destroy(dp->skel);
		closep(&dp->links_fd);
		free(dp->counts);
	}
	free(dp);
	return NULL;
}

/* What libbpf's own pinning takes for another map: the kernel adds a flag to a devmap (6.18). */
static int check_pinned(const struct bpf_map *map, int fd, const char *path, struct pw_error *err)
{
	struct bpf_map_info info = {};
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot look at map %s: %m", path);
	if (info.type == bpf_map__type(map) && info.key_size == bpf_map__key_size(map) &&
	    info.value_size == bpf_map__value_size(map) &&
	    info.max_entries == bpf_map__max_entries(map))
		return 0;
	return pw_fail(err, EINVAL, PW_E_IO,
		       "map %s is not one of layout %d: keys of %u bytes, values of %u, %u entries",
		       path, PW_LAYOUT, info.key_size, info.value_size, info.max_entries);
}

static int reuse_map(struct datapath *dp, struct bpf_map *map, struct pw_error *err)
{
	_cleanup_(closep) int fd = -EBADF;
	char path[PATH_MAX + 32];
	int r;

	(void)snprintf(path, sizeof(path), "%s/%s", dp->pins.now, bpf_map__name(map));
	fd = bpf_obj_get(path);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open map %s: %m", path);
	r = check_pinned(map, fd, path, err);
	if (r < 0)
		return r;
	r = bpf_map__reuse_fd(map, fd);
	return r < 0 ? pw_fail(err, -r, PW_E_IO, "cannot use map %s: %m", path) : 0;
}

static int reuse_maps(struct datapath *dp, struct pw_error *err)
{
	struct bpf_map *map;
	int r = 0;

	bpf_object__for_each_map(map, dp->skel->obj) {
		if (!bpf_map__is_internal(map))
			r = reuse_map(dp, map, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int pin_maps(struct datapath *dp, struct pw_error *err)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, dp->skel->obj) {
		char path[PATH_MAX + 32];

		if (bpf_map__is_internal(map))
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", dp->pins.now, bpf_map__name(map));
		if (bpf_obj_pin(bpf_map__fd(map), path) < 0 && errno != EEXIST)
			return pw_fail(err, errno, PW_E_IO, "cannot pin map %s: %m", path);
	}
	return 0;
}

static int load(struct datapath *dp, struct pw_error *err)
{
	int r;

	dp->cpus = libbpf_num_possible_cpus();
	if (dp->cpus < 1)
		return pw_fail(err, EIO, PW_E_IO, "cannot count the CPUs");
	dp->counts = calloc((size_t)dp->cpus, sizeof(*dp->counts));
	if (!dp->counts)
		return pw_oom(err);
	dp->skel = podwire_bpf__open();
	if (!dp->skel)
		return pw_fail(err, errno, PW_E_IO, "cannot open the BPF programs: %m");
	r = bpf_map__set_max_entries(dp->skel->maps.cpus, (uint32_t)dp->cpus);
	if (r == 0)
		r = reuse_maps(dp, err);
	if (r < 0)
		return r;
	r = podwire_bpf__load(dp->skel);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "cannot load the BPF programs: %m");
	return pin_maps(dp, err);
}

/* Maps whose content is somebody's memory. The rest the agent fills in by itself. */
static int copy_state(struct datapath *dp, struct pw_error *err)
{
	const struct bpf_map *maps[] = {
		dp->skel->maps.ports,  dp->skel->maps.slots,  dp->skel->maps.sources,
		dp->skel->maps.counts, dp->skel->maps.events, dp->skel->maps.heartbeat,
	};
	int r = 0;

	for (size_t i = 0; i < ARRAY_COUNT(maps) && r == 0; i++) {
		char path[PATH_MAX + 32];

		(void)snprintf(path, sizeof(path), "%s/%s", dp->pins.old, bpf_map__name(maps[i]));
		r = copy_map(path, bpf_map__fd(maps[i]), dp->cpus, err);
	}
	return r;
}

static int program_by_name(const struct datapath *dp, const char *name)
{
	struct bpf_program *program = bpf_object__find_program_by_name(dp->skel->obj, name);

	return program ? bpf_program__fd(program) : -ENOENT;
}

/* Attached by a former agent: runs our program from here on, and is pinned in the new place too. */
static int move_link(const char *name, void *arg, struct pw_error *err)
{
	struct datapath *dp = arg;
	_cleanup_(closep) int fd = -EBADF;
	char from[2 * PATH_MAX], to[2 * PATH_MAX];
	const char *program = strchr(name, '-');
	int prog_fd = program ? program_by_name(dp, program + 1) : -ENOENT;

	(void)snprintf(from, sizeof(from), "%s/links/%s", dp->pins.old, name);
	(void)snprintf(to, sizeof(to), "%s/%s", dp->links, name);
	fd = bpf_obj_get(from);
	if (fd < 0 || prog_fd < 0)
		return 0; /* goes with the old layout, and what it attached as well */
	if (bpf_link_update(fd, prog_fd, NULL) < 0) {
		if (errno == ENOLINK) /* its device is gone */
			return 0;
		return pw_fail(err, errno, PW_E_IO, "cannot swap the program of link %s: %m", from);
	}
	if (bpf_obj_pin(fd, to) < 0 && errno != EEXIST)
		return pw_fail(err, errno, PW_E_IO, "cannot pin link %s: %m", to);
	return 0;
}

static int move(struct datapath *dp, struct pw_error *err)
{
	char links[PATH_MAX + 8];
	int r;

	r = copy_state(dp, err);
	if (r < 0)
		return r;
	(void)snprintf(links, sizeof(links), "%s/links", dp->pins.old);
	return pins_each(links, move_link, dp, err);
}

int datapath_open(const char *bpffs, struct datapath **ret, struct pw_error *err)
{
	_cleanup_(datapath_closep) struct datapath *dp = calloc(1, sizeof(*dp));
	int r;

	if (!dp)
		return pw_oom(err);
	dp->links_fd = -EBADF;
	r = pins_open(bpffs, PW_LAYOUT, &dp->pins, err);
	if (r < 0)
		return r;
	(void)snprintf(dp->links, sizeof(dp->links), "%s/links", dp->pins.now);
	r = load(dp, err);
	if (r == 0 && *dp->pins.old)
		r = move(dp, err);
	if (r == 0)
		r = pins_settle(&dp->pins, PW_LAYOUT, err);
	if (r < 0)
		return r;
	(void)snprintf(dp->links, sizeof(dp->links), "%s/links", dp->pins.now);
	dp->links_fd = open(dp->links, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dp->links_fd < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open %s: %m", dp->links);
	*ret = take_ptr(dp);
	return 0;
}

static bool has_key(const struct pw_source_key *keys, size_t n, const struct pw_source_key *key)
{
	for (size_t i = 0; i < n; i++) {
		if (memcmp(&keys[i], key, sizeof(*key)) == 0)
			return true;
	}
	return false;
}

static int remember_source(struct datapath *dp, const struct pw_source_key *key,
			   struct pw_error *err)
{
	struct pw_source_key *to = array_grow(&dp->sources[key->slot], sizeof(*to), 1);

	if (!to)
		return pw_oom(err);
	*to = *key;
	return 0;
}

/* What a former agent left there; a key of no slot's is nobody's. */
static int adopt_sources(struct datapath *dp, struct pw_error *err)
{
	int fd = bpf_map__fd(dp->skel->maps.sources), r = 0;
	struct pw_source_key key, next;
	bool more = bpf_map_get_next_key(fd, NULL, &next) == 0;

	while (more && r == 0) {
		key = next;
		more = bpf_map_get_next_key(fd, &key, &next) == 0;
		if (key.slot < PW_SLOTS)
			r = remember_source(dp, &key, err);
		else
			(void)bpf_map_delete_elem(fd, &key);
	}
	return r;
}

int datapath_adopt(struct datapath *dp, struct model *m, struct pw_error *err)
{
	int fd = bpf_map__fd(dp->skel->maps.ports);
	int r = adopt_sources(dp, err);

	if (r < 0)
		return r;

	for (uint32_t slot = 1; slot < PW_SLOTS; slot++) {
		struct pw_port was;

		if (bpf_map_lookup_elem(fd, &slot, &was) < 0)
			return pw_fail(err, errno, PW_E_IO, "cannot read map ports: %m");
		if (was.generation)
			model_adopt_slot(m, slot, &was);
	}
	return 0;
}

static int refused(struct pw_error *err, const char *map, const char *ifname)
{
	return pw_fail(err, errno, PW_E_IO, "cannot write map %s for %s: %m", map, ifname);
}

int datapath_set_device(struct datapath *dp, int ifindex, bool takes_frames, struct pw_error *err)
{
	int fd = bpf_map__fd(dp->skel->maps.devices);
	struct bpf_devmap_val value = { .ifindex = (uint32_t)ifindex };

	if (!takes_frames) {
		(void)bpf_map_delete_elem(fd, &ifindex);
		return 0;
	}
	if (bpf_map_update_elem(fd, &ifindex, &value, BPF_ANY) < 0 && errno != ENODEV &&
	    errno != EINVAL) /* it has just gone: its event comes */
		return pw_fail(err, errno, PW_E_IO, "cannot write map devices for device %d: %m",
			       ifindex);
	return 0;
}

int datapath_set_cpus(struct datapath *dp, const uint32_t *cpu, size_t n, uint32_t queue,
		      struct pw_error *err)
{
	int fd = bpf_map__fd(dp->skel->maps.cpus);

	for (uint32_t key = 0; key < (uint32_t)dp->cpus; key++) {
		struct bpf_cpumap_val now = {}, want = { .qsize = queue };
		bool wanted = false;

		for (size_t i = 0; i < n && !wanted; i++)
			wanted = cpu[i] == key;
		if (!wanted) {
			(void)bpf_map_delete_elem(fd, &key);
			continue;
		}
		/* writing it again would make a new queue and a new thread */
		if (bpf_map_lookup_elem(fd, &key, &now) == 0 && now.qsize == queue)
			continue;
		if (bpf_map_update_elem(fd, &key, &want, BPF_ANY) < 0)
			return pw_fail(err, errno, PW_E_IO, "cannot add CPU %u to map cpus: %m",
				       key);
	}
	return 0;
}

int datapath_count(struct datapath *dp, uint32_t slot, enum pw_direction direction,
		   struct pw_count *ret, struct pw_error *err)
{
	uint32_t key = slot * PW_DIRECTIONS + direction;

	if (bpf_map_lookup_elem(bpf_map__fd(dp->skel->maps.counts), &key, dp->counts) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot read map counts: %m");
	*ret = (struct pw_count){};
	for (int i = 0; i < dp->cpus; i++) {
		ret->packets += dp->counts[i].packets;
		ret->bytes += dp->counts[i].bytes;
		ret->spoofed += dp->counts[i].spoofed;
		ret->unparsed += dp->counts[i].unparsed;
	}
	return 0;
}

static int clear_counts(struct datapath *dp, uint32_t slot, struct pw_error *err)
{
	int fd = bpf_map__fd(dp->skel->maps.counts);

	memset(dp->counts, 0, (size_t)dp->cpus * sizeof(*dp->counts));
	for (uint32_t direction = 0; direction < PW_DIRECTIONS; direction++) {
		uint32_t key = slot * PW_DIRECTIONS + direction;

		if (bpf_map_update_elem(fd, &key, dp->counts, BPF_ANY) < 0)
			return pw_fail(err, errno, PW_E_IO, "cannot clear map counts: %m");
	}
	return 0;
}

/* The addresses that are in `sources` for a slot, all of them or those that aren't in @keep. */
static void clear_sources(struct datapath *dp, uint32_t slot, const struct pw_source_key *keep,
			  size_t n)
{
	struct array *known = &dp->sources[slot];
	struct pw_source_key *keys = known->v;
	size_t kept = 0;

	for (size_t i = 0; i < known->n; i++) {
		if (has_key(keep, n, &keys[i]))
			keys[kept++] = keys[i];
		else
			(void)bpf_map_delete_elem(bpf_map__fd(dp->skel->maps.sources), &keys[i]);
	}
	known->n = kept;
	if (!kept)
		array_done(known);
}

static struct pw_address as_address(const struct ipaddr *ip)
{
	struct pw_address a = {};

	if (ip->family == AF_INET6) {
		memcpy(a.b, ip->b, 16);
	} else {
		a.b[10] = a.b[11] = 0xff;
		memcpy(a.b + 12, ip->b, 4);
	}
	return a;
}

static struct pw_source_key source_key(uint32_t slot, const struct cidr *c)
{
	unsigned int before = c->ip.family == AF_INET6 ? 0 : 96;

	return (struct pw_source_key){
		.prefixlen = PW_SOURCE_PREFIX + before + c->len,
		.slot = slot,
		.address = as_address(&c->ip),
	};
}

/* What doesn't fit into the port, and what more the network allows. */
static int set_sources(struct datapath *dp, const struct port *port, struct pw_error *err)
{
	const struct array *own = &port->record.addresses;
	const struct array *allowed = &port->record.options.allowed_sources;
	const struct array *known = &dp->sources[port->slot];
	size_t rest = own->n > PW_OWN_MAX ? own->n - PW_OWN_MAX : 0, n = rest + allowed->n;
	_cleanup_(freep) struct pw_source_key *keys = calloc(n + 1, sizeof(*keys));
	if (!keys)
		return pw_oom(err);
	for (size_t i = 0; i < n; i++) {
		const struct cidr *c = i < rest ? (struct cidr *)own->v + PW_OWN_MAX + i
						: (struct cidr *)allowed->v + (i - rest);
		uint8_t family = c->ip.family == AF_INET6 ? 6 : 4;
		struct cidr one = *c;

		if (i < rest) /* an address, and not its subnet */
			one.len = (uint8_t)ipaddr_bits(&one.ip);
		keys[i] = source_key(port->slot, &one);
		if (!has_key(known->v, known->n, &keys[i]) &&
		    remember_source(dp, &keys[i], err) < 0)
			return -ENOMEM;
		if (bpf_map_update_elem(bpf_map__fd(dp->skel->maps.sources), &keys[i], &family,
					BPF_ANY) < 0)
			return refused(err, "sources", port->ifname);
	}
	clear_sources(dp, port->slot, keys, n);
	return (int)n;
}

static void fill_addresses(const struct port *port, struct pw_port *to)
{
	const struct cidr *own = port->record.addresses.v;

	for (size_t i = 0; i < port->record.addresses.n && i < PW_OWN_MAX; i++)
		to->own[to->n_own++] = as_address(&own[i].ip);
	if (port_wants_source_check(port))
		to->flags |= PW_PORT_SOURCE_CHECK | PW_PORT_CHECK_MAC;
}

/*
 * A program may read the slot while it is being written. What it checks by is therefore changed in
 * steps: no check, then the new addresses, then the check.
 */
static int write_port(struct datapath *dp, uint32_t slot, const struct pw_port *to)
{
	int fd = bpf_map__fd(dp->skel->maps.ports);
	struct pw_port was = {}, step;

	if (bpf_map_lookup_elem(fd, &slot, &was) < 0)
		return -errno;
	if (memcmp(&was, to, sizeof(was)) == 0)
		return 0;
	if (was.flags && was.ifindex == to->ifindex) {
		was.flags = 0;
		if (bpf_map_update_elem(fd, &slot, &was, BPF_ANY) < 0)
			return -errno;
	}
	step = *to;
	step.flags = 0;
	if (bpf_map_update_elem(fd, &slot, &step, BPF_ANY) < 0 ||
	    bpf_map_update_elem(fd, &slot, to, BPF_ANY) < 0)
		return -errno;
	return 0;
}

int datapath_set_port(struct datapath *dp, const struct port *port, struct pw_error *err)
{
	const struct mac *mac = port->kind == PW_PORT_POD ? &port->pod_mac : &port->mac;
	struct pw_port to = {
		.generation = port->generation,
		.ifindex = (uint32_t)port->ifindex,
		.kind = (uint8_t)port->kind,
	};
	int more = 0;

	memcpy(to.mac, mac->b, sizeof(to.mac));
	if (port->kind == PW_PORT_POD) {
		fill_addresses(port, &to);
		more = set_sources(dp, port, err);
	}
	if (more < 0)
		return more;
	if (more > 0)
		to.flags |= PW_PORT_MORE_SOURCES;
	if (write_port(dp, port->slot, &to) < 0)
		return refused(err, "ports", port->ifname);
	if (bpf_map_update_elem(bpf_map__fd(dp->skel->maps.slots), &port->ifindex, &port->slot,
				BPF_ANY) < 0)
		return refused(err, "slots", port->ifname);
	return 0;
}

int datapath_clear_slot(struct datapath *dp, const struct model_freed *freed, struct pw_error *err)
{
	struct pw_port nobody = { .generation = freed->generation };
	uint32_t slot = 0;
	int slots = bpf_map__fd(dp->skel->maps.slots);

	/* first the generation: from then on nothing that names the slot means anyone */
	if (bpf_map_update_elem(bpf_map__fd(dp->skel->maps.ports), &freed->slot, &nobody, BPF_ANY) <
	    0)
		return pw_fail(err, errno, PW_E_IO, "cannot clear slot %u: %m", freed->slot);
	if (bpf_map_lookup_elem(slots, &freed->ifindex, &slot) == 0 && slot == freed->slot)
		(void)bpf_map_delete_elem(slots, &freed->ifindex);
	clear_sources(dp, freed->slot, NULL, 0);
	return clear_counts(dp, freed->slot, err);
}

void datapath_beat(struct datapath *dp)
{
	struct timespec now;
	uint32_t key = 0;
	uint64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	(void)bpf_map_update_elem(bpf_map__fd(dp->skel->maps.heartbeat), &key, &ns, BPF_ANY);
}

int datapath_program(const struct datapath *dp, enum datapath_program program)
{
	const struct bpf_program *const programs[_PROGRAM_MAX] = {
		[PROGRAM_FROM_POD] = dp->skel->progs.from_pod,
		[PROGRAM_TO_POD] = dp->skel->progs.to_pod,
		[PROGRAM_FROM_UPLINK] = dp->skel->progs.from_uplink,
		[PROGRAM_TO_UPLINK] = dp->skel->progs.to_uplink,
		[PROGRAM_UPLINK_XDP] = dp->skel->progs.uplink_xdp,
	};

	return bpf_program__fd(programs[program]);
}

int datapath_links_fd(const struct datapath *dp)
{
	return dp->links_fd;
}

const char *datapath_links_path(const struct datapath *dp)
{
	return dp->links;
}

const char *datapath_bpffs(const struct datapath *dp)
{
	return dp->pins.root;
}

int datapath_remove(const char *bpffs, struct pw_error *err)
{
	return pins_remove_all(bpffs, err);
}
