/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Network sysctls, of the caller's network namespace: /proc/sys/net goes by who opens it. Keys are
 * paths below it, "ipv4/ip_forward"; an interface name may hold dots, so paths it is.
 */
#include <stddef.h>

struct pw_error;

/* The value as text without its newline. -ENOENT without a message where there's no such key. */
int sysctl_read(const char *key, char *ret, size_t size, struct pw_error *err);
/* The value as a number. */
int sysctl_read_int(const char *key, int *ret, struct pw_error *err);
int sysctl_write(const char *key, const char *value, struct pw_error *err);

/*
 * Sets @dir/@ifname/@name ("ipv4/conf", "eth0", "rp_filter") where it has another value. Returns 0
 * as well where there is no such key.
 */
int sysctl_ensure(const char *dir, const char *ifname, const char *name, const char *value,
		  struct pw_error *err);
