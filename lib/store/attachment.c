/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/attachment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

#define HASH_BITS 36 /* nine hex digits: what is left of a link's name */

bool attachment_equal(const struct attachment *a, const struct attachment *b)
{
	return strcmp(a->network, b->network) == 0 &&
	       strcmp(a->container_id, b->container_id) == 0 && strcmp(a->ifname, b->ifname) == 0;
}

bool attachment_is_host_ifname(const char *ifname)
{
	return strncmp(ifname, HOST_IFNAME_PREFIX, strlen(HOST_IFNAME_PREFIX)) == 0;
}

void attachment_host_ifname(const struct attachment *a, char ret[HOST_IFNAME_LEN])
{
	uint64_t h = HASH_START;

	/* with their NULs, so that ("ab", "c") and ("a", "bc") differ */
	h = hash_bytes(h, a->network, strlen(a->network) + 1);
	h = hash_bytes(h, a->container_id, strlen(a->container_id) + 1);
	h = hash_bytes(h, a->ifname, strlen(a->ifname) + 1);
	snprintf(ret, HOST_IFNAME_LEN, HOST_IFNAME_PREFIX "%09" PRIx64,
		 hash_end(h) >> (64 - HASH_BITS));
}
