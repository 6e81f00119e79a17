/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Ethernet addresses as values. */
#include <stdbool.h>
#include <stdint.h>

#include "net/ipaddr.h"

struct pw_error;

struct mac {
	uint8_t b[6];
};

#define MAC_STRLEN 18

/* aa:bb:cc:dd:ee:ff, either case. 0, or -EINVAL with @ret untouched. */
int mac_parse(const char *text, struct mac *ret);
const char *mac_format(const struct mac *m, char buf[MAC_STRLEN]);

/* Neither a group address nor all zeros: one that the kernel lets a link have. */
bool mac_is_unicast(const struct mac *m);
bool mac_equal(const struct mac *a, const struct mac *b);

/* A random, locally administered unicast address. */
int mac_random(struct mac *ret, struct pw_error *err);

/* fe80:: with the modified EUI-64 of @m (RFC 4291, appendix A). */
struct ipaddr mac_linklocal(const struct mac *m);

#define MAC_STR(m) mac_format((m), (char[MAC_STRLEN]){ 0 })
