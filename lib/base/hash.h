/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * FNV-1a with a final mix: 64 bits that name things (host ends, config digests). Not a defence
 * against somebody who looks for collisions; what it names is always compared as well.
 */
#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t hash_bytes(uint64_t h, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return h;
}

/* MurmurHash3's finalizer: each bit of @h reaches every bit of the result. */
static inline uint64_t hash_end(uint64_t h)
{
	h = (h ^ (h >> 33)) * UINT64_C(0xff51afd7ed558ccd);
	h = (h ^ (h >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
	return h ^ (h >> 33);
}
