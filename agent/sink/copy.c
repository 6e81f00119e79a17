/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sink/copy.h"

#include <bpf/bpf.h>
#include <stdbool.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/error.h"

#define ROUND_UP_8(n) (((n) + 7) & ~(size_t)7)

struct copy {
	int from, to, cpus;
	struct bpf_map_info old, new;
	bool per_cpu;
	size_t old_step, new_step; /* bytes from one CPU's value to the next one's */
	char *key, *next, *old_value, *new_value;
};

static void copy_done(struct copy *c)
{
	closep(&c->from);
	free(c->key);
	free(c->next);
	free(c->old_value);
	free(c->new_value);
}

static bool is_per_cpu(const struct bpf_map_info *info)
{
	return info->type == BPF_MAP_TYPE_PERCPU_ARRAY || info->type == BPF_MAP_TYPE_PERCPU_HASH ||
	       info->type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static int describe(int fd, struct bpf_map_info *ret)
{
	uint32_t len = sizeof(*ret);

	return bpf_obj_get_info_by_fd(fd, ret, &len) < 0 ? -errno : 0;
}

static int prepare(struct copy *c, const char *path, struct pw_error *err)
{
	size_t values;

	if (describe(c->from, &c->old) < 0 || describe(c->to, &c->new) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot look at map %s: %m", path);
	if (c->old.key_size != c->new.key_size || c->old.type != c->new.type)
		return pw_fail(err, EINVAL, PW_E_IO, "map %s has other keys: it can't be copied",
			       path);
	c->per_cpu = is_per_cpu(&c->old);
	values = c->per_cpu ? (size_t)c->cpus : 1;
	c->old_step = ROUND_UP_8((size_t)c->old.value_size);
	c->new_step = ROUND_UP_8((size_t)c->new.value_size);
	c->key = malloc(c->old.key_size);
	c->next = malloc(c->old.key_size);
	c->old_value = calloc(values, c->old_step);
	c->new_value = calloc(values, c->new_step);
	return c->key && c->next && c->old_value && c->new_value ? 0 : pw_oom(err);
}

static int copy_one(struct copy *c)
{
	size_t both = c->old.value_size < c->new.value_size ? c->old.value_size : c->new.value_size;

	if (bpf_map_lookup_elem(c->from, c->key, c->old_value) < 0)
		return errno == ENOENT ? 0 : -errno;
	for (int i = 0; i < (c->per_cpu ? c->cpus : 1); i++)
		memcpy(c->new_value + (size_t)i * c->new_step,
		       c->old_value + (size_t)i * c->old_step, both);
	return bpf_map_update_elem(c->to, c->key, c->new_value, BPF_ANY) < 0 ? -errno : 0;
}

int copy_map(const char *from, int to_fd, int cpus, struct pw_error *err)
{
	_cleanup_(
		copy_done) struct copy c = { .from = bpf_obj_get(from), .to = to_fd, .cpus = cpus };
	bool more;
	int r;

	if (c.from < 0 && errno == ENOENT)
		return 0;
	if (c.from < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open map %s: %m", from);
	r = prepare(&c, from, err);
	if (r < 0)
		return r;
	more = bpf_map_get_next_key(c.from, NULL, c.next) == 0;
	while (more) {
		memcpy(c.key, c.next, c.old.key_size);
		more = bpf_map_get_next_key(c.from, c.key, c.next) == 0;
		r = copy_one(&c);
		/* fewer places in the new one: what finds none is as if it hadn't been there */
		if (r < 0 && r != -E2BIG)
			return pw_fail(err, -r, PW_E_IO, "cannot copy map %s: %m", from);
	}
	return 0;
}
