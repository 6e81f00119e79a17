/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Counters: each packet that a program sees is in exactly one of `packets` and `spoofed`
 *
 * One for each CPU, so that adding needs no lock: a program isn't moved while it runs.
 */
#include "lib/maps.bpf.h"
#include "lib/parse/source.bpf.h"

/* On the wire they are as many as the segments that a GSO packet will be cut into. */
static __always_inline __u32 packets_in(const struct __sk_buff *skb)
{
	return skb->gso_segs ?: 1;
}

static __always_inline void count_event(const struct __sk_buff *skb, __u32 event)
{
	__u64 *n = bpf_map_lookup_elem(&events, &event);

	if (n)
		*n += packets_in(skb);
}

static __always_inline void count_packet(const struct __sk_buff *skb, __u32 slot,
					 enum pw_direction direction, enum source source)
{
	__u32 i = slot * PW_DIRECTIONS + direction, n = packets_in(skb);
	struct pw_count *count = bpf_map_lookup_elem(&counts, &i);

	if (!count)
		return;
	if (source == SOURCE_SPOOFED) {
		count->spoofed += n;
		return;
	}
	count->packets += n;
	count->bytes += skb->len;
	if (source == SOURCE_UNPARSED)
		count->unparsed += n;
}
