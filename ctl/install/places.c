/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "install/places.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "install/beside.h"
#include "install/toml.h"
#include "install/walk.h"

#define CONFIG_MAX (1u << 20) /* bytes of a runtime's configuration */
#define CONTAINERD "/etc/containerd/config.toml"
#define CRIO "/etc/crio/crio.conf"
#define CRIO_D "/etc/crio/crio.conf.d"
#define DEBIAN_BIN "/usr/lib/cni"
#define USUAL_BIN "/opt/cni/bin"
#define USUAL_CONF "/etc/cni/net.d"

struct search {
	int rootfd;
	struct places *places;
	const char *who;
	bool bin_fixed, conf_fixed; /* the operator has said it */
	bool has_ipam;              /* in the bin_dir that was found */
};

static void set(char to[PATH_MAX], const char **ret_from, const char *value, const char *from)
{
	size_t len = strlen(value);

	/* relative: not ours to say to what */
	if (value[0] != '/' || len >= PATH_MAX)
		return;
	while (len > 1 && value[len - 1] == '/')
		len--;
	memcpy(to, value, len);
	to[len] = '\0';
	*ret_from = from;
}

/* Of several directories, the first that has an IPAM plugin in it, or else the first. */
static void offer_bin(struct search *s, const char *value, size_t index)
{
	if (s->bin_fixed || (index > 0 && s->has_ipam))
		return;
	if (index > 0 && beside_find(s->rootfd, value, "host-local") < 0)
		return;
	set(s->places->bin_dir, &s->places->bin_from, value, s->who);
	s->has_ipam = beside_find(s->rootfd, s->places->bin_dir, "host-local") == 0;
}

static bool is_one_of(const char *path, const char *const known[], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(path, known[i]) == 0)
			return true;
	}
	return false;
}

/* Of the configuration's versions 3, 2 and 1. bin_dirs came with 2.1. */
static void containerd_value(const char *path, const char *value, size_t index, void *arg)
{
	static const char *const bins[] = {
		"plugins/io.containerd.cri.v1.runtime/cni/bin_dirs",
		"plugins/io.containerd.cri.v1.runtime/cni/bin_dir",
		"plugins/io.containerd.grpc.v1.cri/cni/bin_dir",
		"plugins/cri/cni/bin_dir",
	};
	static const char *const confs[] = {
		"plugins/io.containerd.cri.v1.runtime/cni/conf_dir",
		"plugins/io.containerd.grpc.v1.cri/cni/conf_dir",
		"plugins/cri/cni/conf_dir",
	};
	struct search *s = arg;

	if (is_one_of(path, bins, ARRAY_COUNT(bins)))
		offer_bin(s, value, index);
	else if (!s->conf_fixed && is_one_of(path, confs, ARRAY_COUNT(confs)))
		set(s->places->conf_dir, &s->places->conf_from, value, s->who);
	else if (strcmp(path, "imports") == 0)
		s->places->imports = true;
}

static void crio_value(const char *path, const char *value, size_t index, void *arg)
{
	struct search *s = arg;

	if (strcmp(path, "crio/network/plugin_dirs") == 0 ||
	    strcmp(path, "crio/network/plugin_dir") == 0)
		offer_bin(s, value, index);
	else if (!s->conf_fixed && strcmp(path, "crio/network/network_dir") == 0)
		set(s->places->conf_dir, &s->places->conf_from, value, s->who);
}

/* 1 if it was read, 0 if there's none. */
static int read_config(struct search *s, const char *path, toml_value_t each, struct pw_error *err)
{
	_cleanup_(closep) int fd = walk_open_file(s->rootfd, path);
	_cleanup_(freep) char *text = NULL;
	size_t len;
	int r;

	if (fd == -ENOENT || fd == -ENOTDIR)
		return 0;
	if (fd < 0)
		return pw_fail(err, -fd, PW_E_IO, "cannot open %s: %m", path);
	r = file_read_fd(fd, path, CONFIG_MAX, &text, &len, err);
	if (r < 0)
		return r;
	toml_read(text, len, each, s);
	return 1;
}

static int is_conf(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && dot != entry->d_name && strcmp(dot, ".conf") == 0;
}

/* By the bytes of their names, as CRI-O does; a later one wins. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int read_crio_d(struct search *s, struct pw_error *err)
{
	_cleanup_(closep) int fd = walk_open_file(s->rootfd, CRIO_D);
	struct dirent **entries = NULL;
	int n, r = 0;

	if (fd < 0)
		return 0;
	n = scandirat(fd, ".", &entries, is_conf, by_bytes);
	for (int i = 0; i < n; i++) {
		char path[sizeof(CRIO_D) + NAME_MAX + 2];

		(void)snprintf(path, sizeof(path), CRIO_D "/%s", entries[i]->d_name);
		if (r >= 0)
			r = read_config(s, path, crio_value, err);
		free(entries[i]);
	}
	free(entries);
	return r < 0 ? r : 0;
}

static void fall_back(struct search *s)
{
	struct places *p = s->places;
	bool debian = beside_find(s->rootfd, DEBIAN_BIN, "loopback") == 0 &&
		      beside_find(s->rootfd, USUAL_BIN, "loopback") < 0;

	if (!p->bin_dir[0])
		set(p->bin_dir, &p->bin_from, debian ? DEBIAN_BIN : USUAL_BIN,
		    debian ? "as on Debian" : "as usual");
	if (!p->conf_dir[0])
		set(p->conf_dir, &p->conf_from, USUAL_CONF, "as usual");
}

static int check_absolute(const char *option, const char *dir, struct pw_error *err)
{
	if (dir && (dir[0] != '/' || strlen(dir) >= PATH_MAX))
		return pw_fail(err, EINVAL, PW_E_ENV, "%s %.100s is not an absolute path", option,
			       dir);
	return 0;
}

int places_find(int rootfd, const char *bin_dir, const char *conf_dir, struct places *ret,
		struct pw_error *err)
{
	struct search s = {
		.rootfd = rootfd, .places = ret, .bin_fixed = bin_dir, .conf_fixed = conf_dir
	};
	int r;

	*ret = (struct places){ .bin_from = "as told", .conf_from = "as told" };
	r = check_absolute("--bin-dir", bin_dir, err);
	if (r == 0)
		r = check_absolute("--conf-dir", conf_dir, err);
	if (r < 0)
		return r;
	if (bin_dir)
		set(ret->bin_dir, &ret->bin_from, bin_dir, "as told");
	if (conf_dir)
		set(ret->conf_dir, &ret->conf_from, conf_dir, "as told");
	if (!bin_dir || !conf_dir) {
		s.who = "containerd's configuration";
		r = read_config(&s, CONTAINERD, containerd_value, err);
		if (r == 0) {
			s.who = "CRI-O's configuration";
			r = read_config(&s, CRIO, crio_value, err);
			if (r >= 0)
				r = read_crio_d(&s, err);
		}
		if (r < 0)
			return r;
	}
	fall_back(&s);
	return 0;
}
