/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs on pods' host ends and on uplinks: they count, and check who a pod says it is
 *
 * All that isn't proven to be spoofed goes on, to others' filters and to the kernel, with not a
 * byte changed: so does what can't be parsed, and what comes in on a device that the agent hasn't
 * given a slot yet, or has just taken it from.
 */
#include <linux/pkt_cls.h>

#include "lib/count.bpf.h"
#include "lib/helpers.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/parse/source.bpf.h"
#include "pw_abi.h"

/* An ifindex may come again as another device: the port itself says whose it is. */
static __always_inline const struct pw_port *find_port(const struct __sk_buff *skb, __u32 *slot)
{
	__u32 ifindex = skb->ifindex;
	const struct pw_port *port;
	const __u32 *found;

	found = bpf_map_lookup_elem(&slots, &ifindex);
	if (found) {
		*slot = *found;
		port = bpf_map_lookup_elem(&ports, slot);
		if (port && port->ifindex == ifindex)
			return port;
	}
	count_event(skb, PW_EVENT_NO_SLOT);
	return NULL;
}

static __always_inline int count_and_pass(const struct __sk_buff *skb, enum pw_direction direction)
{
	__u32 slot;

	if (find_port(skb, &slot))
		count_packet(skb, slot, direction, SOURCE_GOOD);
	return TC_ACT_UNSPEC;
}

SEC("tc")
int from_pod(struct __sk_buff *skb)
{
	enum source source = SOURCE_GOOD;
	const struct pw_port *port;
	__u32 slot;

	port = find_port(skb, &slot);
	if (!port)
		return TC_ACT_UNSPEC;
	if (port->flags & PW_PORT_SOURCE_CHECK)
		source = source_check(skb, port, slot);
	count_packet(skb, slot, PW_IN, source);
	return source == SOURCE_SPOOFED ? TC_ACT_SHOT : TC_ACT_UNSPEC;
}

SEC("tc")
int to_pod(struct __sk_buff *skb)
{
	return count_and_pass(skb, PW_OUT);
}

SEC("tc")
int from_uplink(struct __sk_buff *skb)
{
	return count_and_pass(skb, PW_IN);
}

SEC("tc")
int to_uplink(struct __sk_buff *skb)
{
	return count_and_pass(skb, PW_OUT);
}

/* Each frame passes from_uplink as well, which counts it: here it would be counted twice. */
SEC("xdp.frags")
int uplink_xdp(struct xdp_md *ctx)
{
	return XDP_PASS;
}

const char program_license[] SEC("license") = "GPL";
