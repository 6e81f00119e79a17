/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/cpus.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"

#define TEXT_MAX 4096

/* Above PW_CPUS_MAX they are all the same: none that a map has room for. */
static bool take_number(const char **at, uint32_t *ret)
{
	char *end;
	unsigned long n;

	if (**at < '0' || **at > '9')
		return false;
	n = strtoul(*at, &end, 10);
	*at = end;
	*ret = n < PW_CPUS_MAX ? (uint32_t)n : PW_CPUS_MAX;
	return true;
}

int cpus_parse(const char *text, uint32_t *cpu, size_t max, size_t *ret_n)
{
	bool in[PW_CPUS_MAX] = {};
	size_t n = 0;

	while (*text && *text != '\n') {
		uint32_t first, last;

		if (!take_number(&text, &first))
			return -EINVAL;
		last = first;
		if (*text == '-' && (text++, !take_number(&text, &last)))
			return -EINVAL;
		if (last < first)
			return -EINVAL;
		for (uint32_t i = first; i <= last && i < PW_CPUS_MAX; i++)
			in[i] = true;
		if (*text == ',' && text[1] >= '0' && text[1] <= '9')
			text++;
		else if (*text && *text != '\n')
			return -EINVAL;
	}
	for (uint32_t i = 0; i < PW_CPUS_MAX && n < max; i++) {
		if (in[i])
			cpu[n++] = i;
	}
	*ret_n = n;
	return 0;
}

/* A file that isn't there or says nothing: none. */
static size_t read_set(const char *path, uint32_t *cpu, size_t max)
{
	_cleanup_(freep) char *text = NULL;
	size_t len, n = 0;

	if (file_read_at(AT_FDCWD, path, TEXT_MAX, &text, &len, NULL) < 0 ||
	    cpus_parse(text, cpu, max, &n) < 0)
		return 0;
	return n;
}

static bool is_in(uint32_t cpu, const uint32_t *set, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (set[i] == cpu)
			return true;
	}
	return false;
}

int cpus_check(const uint32_t *cpu, size_t n, struct pw_error *err)
{
	uint32_t possible[PW_CPUS_MAX];
	size_t n_possible;

	if (n > PW_CPUS_MAX)
		return pw_fail(err, EINVAL, PW_E_ENV, "%zu CPUs are more than %d", n, PW_CPUS_MAX);
	n_possible = read_set("/sys/devices/system/cpu/possible", possible, ARRAY_COUNT(possible));
	for (size_t i = 0; i < n; i++) {
		if (!is_in(cpu[i], possible, n_possible))
			return pw_fail(err, EINVAL, PW_E_ENV, "there is no CPU %" PRIu32, cpu[i]);
		if (is_in(cpu[i], cpu, i))
			return pw_fail(err, EINVAL, PW_E_ENV, "CPU %" PRIu32 " is named twice",
				       cpu[i]);
	}
	return 0;
}

/* -ENOENT: none of the uplinks says. */
static int numa_node(struct model *m)
{
	for (size_t i = 0; i < model_ports(m); i++) {
		const struct port *p = model_port(m, i);
		_cleanup_(freep) char *text = NULL;
		char path[96];
		size_t len;

		(void)snprintf(path, sizeof(path), "/sys/class/net/%s/device/numa_node", p->ifname);
		if (p->kind == PW_PORT_UPLINK && p->ifindex &&
		    file_read_at(AT_FDCWD, path, TEXT_MAX, &text, &len, NULL) == 0 && *text != '-')
			return (int)strtol(text, NULL, 10);
	}
	return -ENOENT;
}

static size_t of_the_node(struct model *m, const uint32_t *online, size_t n_online, uint32_t *cpu,
			  size_t max)
{
	uint32_t isolated[PW_CPUS_MAX], near[PW_CPUS_MAX];
	size_t n_isolated, n_near = 0, n = 0;
	int node = numa_node(m);
	char path[64];

	n_isolated = read_set("/sys/devices/system/cpu/isolated", isolated, ARRAY_COUNT(isolated));
	(void)snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
	if (node >= 0)
		n_near = read_set(path, near, ARRAY_COUNT(near));
	for (size_t i = 0; i < n_online && n < max; i++) {
		if (!is_in(online[i], isolated, n_isolated) &&
		    (n_near == 0 || is_in(online[i], near, n_near)))
			cpu[n++] = online[i];
	}
	return n;
}

int cpus_find(const struct config *config, struct model *m, uint32_t *cpu, size_t max,
	      size_t *ret_n, struct pw_error *err)
{
	const uint32_t *named = config->cpus.v;
	uint32_t online[PW_CPUS_MAX];
	size_t n_online, n = 0;

	*ret_n = 0;
	if (config->no_cpus)
		return 0;
	n_online = read_set("/sys/devices/system/cpu/online", online, ARRAY_COUNT(online));
	if (n_online == 0)
		return pw_fail(err, EIO, PW_E_IO, "cannot tell which CPUs are online");
	if (config->cpus.n == 0) {
		*ret_n = of_the_node(m, online, n_online, cpu, max);
		return 0;
	}
	for (size_t i = 0; i < config->cpus.n && n < max; i++) {
		if (is_in(named[i], online, n_online))
			cpu[n++] = named[i];
	}
	*ret_n = n;
	return 0;
}
