/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IPv6 has a catch: a host that forwards no longer takes router advertisements, and drops the
 * default routes that it has from them, unless accept_ra is 2 (Documentation/networking/ip-sysctl).
 * A node must not lose its uplink because a pod came.
 */
#include "forwarding.h"

#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/sysctl.h"
#include "json/jdec.h"
#include "json/jenc.h"
#include "rtnl/devconf.h"
#include "rtnl/link.h"
#include "rtnl/route.h"
#include "store/lock.h"
#include "store/saved.h"

#define LOCK_WAIT_MS 5000
#define UPLINKS_MAX 16

static const char *const forwarding_keys[2] = {
	"ipv4/ip_forward",
	"ipv6/conf/all/forwarding",
};

int forwarding_is_on(struct nlsock *host, const bool family[2], struct pw_error *err)
{
	for (int f = 0; f < 2; f++) {
		int on = family[f] ? devconf_forwarding(host, f ? AF_INET6 : AF_INET, err) : 1;

		if (on <= 0)
			return on;
	}
	return 1;
}

/* The values that were there before us; what isn't JSON is nothing that we wrote. */
static int load_saved(int fd, struct json_object **ret, struct pw_error *err)
{
	_cleanup_(freep) char *text = NULL;
	size_t len;
	int r;

	r = file_read_fd(fd, SAVED_NAME, SAVED_MAX, &text, &len, err);
	if (r < 0)
		return r;
	if (len == 0 || jdec_parse(text, len, SAVED_NAME, ret, NULL) < 0 ||
	    !json_object_is_type(*ret, json_type_object)) {
		json_object_put(*ret);
		*ret = json_object_new_object();
	}
	return *ret ? 0 : pw_oom(err);
}

static int store_saved(int fd, struct json_object *saved, struct pw_error *err)
{
	const char *text = jenc_text(saved);
	int r;

	if (!text)
		return pw_oom(err);
	/* over what is there, which is never longer: keys are only added */
	if (lseek(fd, 0, SEEK_SET) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot write %s: %m", SAVED_NAME);
	r = file_write_fd(fd, text, strlen(text));
	if (r == 0 && ftruncate(fd, (off_t)strlen(text)) < 0)
		r = -errno;
	return r < 0 ? pw_fail(err, -r, PW_E_IO, "cannot write %s: %m", SAVED_NAME) : 0;
}

/* Sets @key, after its old value (the first one that we met) has been put down. */
static int change(int fd, struct json_object *saved, const char *key, const char *value,
		  struct pw_error *err)
{
	char old[64];
	int r;

	r = sysctl_read(key, old, sizeof(old), err);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	if (strcmp(old, value) == 0)
		return 0;
	if (!jdec_member(saved, key)) {
		if (jenc_string(saved, key, old) < 0)
			return pw_oom(err);
		r = store_saved(fd, saved, err);
		if (r < 0)
			return r;
	}
	return sysctl_write(key, value, err);
}

struct uplinks {
	int ifindex[UPLINKS_MAX];
	size_t n;
};

static int collect_ra_uplink(const struct route_info *route, void *arg)
{
	struct uplinks *up = arg;

	if (!route)
		up->n = 0;
	else if (cidr_is_default(&route->dst) && route->protocol == RTPROT_RA &&
		 up->n < UPLINKS_MAX)
		up->ifindex[up->n++] = route->ifindex;
	return 0;
}

static int keep_ra_uplinks(struct nlsock *host, int fd, struct json_object *saved,
			   struct pw_error *err)
{
	struct uplinks up = {};
	char key[64];
	int r;

	r = route_dump(host, AF_INET6, 0, collect_ra_uplink, &up, err);
	for (size_t i = 0; i < up.n && r >= 0; i++) {
		struct link_info link;
		int accept = 0;

		r = link_find_index(host, up.ifindex[i], &link, err);
		if (r <= 0)
			continue;
		snprintf(key, sizeof(key), "ipv6/conf/%s/accept_ra", link.name);
		r = sysctl_read_int(key, &accept, err);
		if (r == 0 && accept == 1)
			r = change(fd, saved, key, "2", err);
	}
	return r < 0 ? r : 0;
}

int forwarding_ensure(struct nlsock *host, int runtime_fd, const bool family[2],
		      struct pw_error *err)
{
	_cleanup_(json_object_putp) struct json_object *saved = NULL;
	_cleanup_(closep) int fd = -EBADF;
	int r;

	r = forwarding_is_on(host, family, err);
	if (r != 0)
		return r < 0 ? r : 0;

	fd = lock_take(runtime_fd, SAVED_NAME, LOCK_WAIT_MS, err);
	if (fd < 0)
		return fd;
	r = load_saved(fd, &saved, err);
	if (r == 0 && family[0])
		r = change(fd, saved, forwarding_keys[0], "1", err);
	if (r == 0 && family[1])
		r = keep_ra_uplinks(host, fd, saved, err);
	if (r == 0 && family[1])
		r = change(fd, saved, forwarding_keys[1], "1", err);
	return r;
}
