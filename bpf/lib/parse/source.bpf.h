/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Is a packet of a pod from the pod?
 *
 * What would make the kernel believe in another sender is spoofed: the source address, ARP's sender
 * and a neighbour advertisement's target, and the MAC. What the kernel drops for itself (cut
 * headers, versions that don't exist, VLANs that the node doesn't have) is left to it, so that its
 * counters tell of it. The order of the checks is the kernel's own: nothing may look harmless here
 * and be something else there.
 */
#include <linux/errno.h>
#include <linux/icmpv6.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>

#include "lib/maps.bpf.h"
#include "lib/parse/frame.bpf.h"

#define IP_OFFSET 0x1fff
#define IP6_OFFSET 0xfff8
#define DHCP_CLIENT 68
#define DHCP_SERVER 67
#define NEIGHBOUR_SOLICITATION 135
#define NEIGHBOUR_ADVERTISEMENT 136
#define EXTENSION_HEADERS_MAX 8
#define OFFSET_MASK 0x7fff /* they end below, and the verifier wants to see it */
#define ARP_ETHERNET 1     /* linux/if_arp.h wants a libc */
#define ARP_IEEE802 6      /* the kernel takes it for Ethernet's */

enum source {
	SOURCE_GOOD,
	SOURCE_NEIGHBOUR, /* good, and how the kernel learns of a new MAC */
	SOURCE_UNPARSED,
	SOURCE_SPOOFED,
};

/* IPv6, or IPv4 mapped into it: as struct pw_address, but read by the word. */
struct address {
	__be32 w[4];
};

struct arp_ipv4 {
	__be16 hardware;
	__be16 protocol;
	__u8 hardware_len;
	__u8 protocol_len;
	__be16 operation;
	__u8 sender_mac[ETH_ALEN];
	__be16 sender[2]; /* an address that is only aligned to 2 */
	__u8 target_mac[ETH_ALEN];
	__be16 target[2];
};

struct extension {
	__u8 next;
	__u8 len; /* in units of 8 bytes, without the first */
};

struct fragment {
	__u8 next;
	__u8 reserved;
	__be16 offset;
	__be32 id;
};

struct udp_ports {
	__be16 source;
	__be16 dest;
};

struct advertisement {
	struct icmp6hdr head;
	struct in6_addr target;
};

_Static_assert(sizeof(struct arp_ipv4) == 28, "as it is on the wire");
_Static_assert(__builtin_offsetof(struct pw_port, own) % sizeof(__be32) == 0, "read by the word");
_Static_assert(__builtin_offsetof(struct pw_port, mac) % sizeof(__be16) == 0, "read by the half");

static __always_inline struct address mapped(__be32 v4)
{
	return (struct address){ { 0, 0, bpf_htonl(0xffff), v4 } };
}

static __always_inline struct address from_in6(const struct in6_addr *a)
{
	return (struct address){ {
		a->in6_u.u6_addr32[0],
		a->in6_u.u6_addr32[1],
		a->in6_u.u6_addr32[2],
		a->in6_u.u6_addr32[3],
	} };
}

static __always_inline bool is_unspecified(const struct address *a)
{
	return !(a->w[0] | a->w[1] | a->w[2] | a->w[3]);
}

static __always_inline bool is_link_local(const struct address *a)
{
	return (a->w[0] & bpf_htonl(0xffc00000)) == bpf_htonl(0xfe800000);
}

static __always_inline bool is_mapped(const struct address *a)
{
	return !(a->w[0] | a->w[1] | (a->w[2] ^ bpf_htonl(0xffff)));
}

static __always_inline bool is_own(const struct pw_port *port, const struct address *a)
{
	/* The array is at a multiple of 4 in its struct: words are the widest that fit anywhere. */
	const struct address *own = (const struct address *)port->own;

	for (int i = 0; i < PW_OWN_MAX; i++) {
		if (i >= port->n_own)
			return false;
		if (!((own[i].w[0] ^ a->w[0]) | (own[i].w[1] ^ a->w[1]) | (own[i].w[2] ^ a->w[2]) |
		      (own[i].w[3] ^ a->w[3])))
			return true;
	}
	return false;
}

/* Not inlined: there are four callers, and for the packet's sake it should stay in the cache. */
static __noinline bool is_allowed(const struct pw_port *port, __u32 slot, const struct address *a)
{
	struct pw_source_key key = { .prefixlen = PW_SOURCE_PREFIX + 128, .slot = slot };
	const __u8 *family;

	if (is_own(port, a))
		return true;
	if (!(port->flags & PW_PORT_MORE_SOURCES))
		return false;
	__builtin_memcpy(&key.address, a, sizeof(key.address));
	family = bpf_map_lookup_elem(&sources, &key);
	return family && *family == (is_mapped(a) ? 4 : 6);
}

static __always_inline enum source spoofed_unless(bool good)
{
	return good ? SOURCE_GOOD : SOURCE_SPOOFED;
}

/* 0.0.0.0 is who has no address yet: a DHCP client, and IGMP before the address is there. */
static __always_inline enum source check_nobody4(struct __sk_buff *skb, const struct iphdr *ip,
						 __u32 off)
{
	const struct udp_ports *ports;
	struct udp_ports room;

	if (ip->protocol == IPPROTO_IGMP)
		return SOURCE_GOOD;
	if (ip->protocol != IPPROTO_UDP || (ip->frag_off & bpf_htons(IP_OFFSET)))
		return SOURCE_SPOOFED;
	ports = frame_bytes(skb, off + ip->ihl * 4, &room, sizeof(room));
	if (!ports)
		return SOURCE_UNPARSED;
	return spoofed_unless(ports->source == bpf_htons(DHCP_CLIENT) &&
			      ports->dest == bpf_htons(DHCP_SERVER));
}

static __always_inline enum source check_ipv4(struct __sk_buff *skb, const struct pw_port *port,
					      __u32 slot, __u32 off)
{
	const struct iphdr *ip;
	struct address source;
	struct iphdr room;

	ip = frame_bytes(skb, off, &room, sizeof(room));
	if (!ip || ip->version != 4 || ip->ihl < 5)
		return SOURCE_UNPARSED;
	if (!ip->saddr)
		return check_nobody4(skb, ip, off);
	source = mapped(ip->saddr);
	return spoofed_unless(is_allowed(port, slot, &source));
}

static __always_inline bool is_extension(__u8 protocol)
{
	return protocol == IPPROTO_HOPOPTS || protocol == IPPROTO_ROUTING ||
	       protocol == IPPROTO_DSTOPTS || protocol == IPPROTO_FRAGMENT;
}

/*
 * The protocol under extension headers in the low byte, and above it where it begins. -ENODATA:
 * cut, or more headers than anybody has a use for. IPPROTO_FRAGMENT: of a later one it can't be
 * told. Not static: so the verifier goes through the loop once, not once for each way that leads
 * here.
 */
__noinline int ipv6_protocol(struct __sk_buff *skb, __u32 next, __u32 off)
{
	struct fragment fragment;
	struct extension ext;

	for (int i = 0; i < EXTENSION_HEADERS_MAX && is_extension(next); i++) {
		if (next == IPPROTO_FRAGMENT) {
			if (bpf_skb_load_bytes(skb, off, &fragment, sizeof(fragment)) < 0)
				return -ENODATA;
			if (fragment.offset & bpf_htons(IP6_OFFSET))
				return IPPROTO_FRAGMENT;
			next = fragment.next;
			off += sizeof(fragment);
		} else {
			if (bpf_skb_load_bytes(skb, off, &ext, sizeof(ext)) < 0)
				return -ENODATA;
			next = ext.next;
			off += (ext.len + 1) * 8;
		}
	}
	return is_extension(next) ? -ENODATA : (int)(off << 8 | next);
}

/* An advertisement is believed for its target, whoever sent it. */
static __always_inline enum source check_icmpv6(struct __sk_buff *skb, const struct pw_port *port,
						__u32 slot, __u32 off)
{
	const struct advertisement *na;
	struct advertisement room;
	struct address target;
	const __u8 *type;

	type = frame_bytes(skb, off, &room, sizeof(*type));
	if (!type)
		return SOURCE_UNPARSED;
	if (*type == NEIGHBOUR_SOLICITATION)
		return SOURCE_NEIGHBOUR;
	if (*type != NEIGHBOUR_ADVERTISEMENT)
		return SOURCE_GOOD;
	na = frame_bytes(skb, off, &room, sizeof(room));
	if (!na)
		return SOURCE_UNPARSED;
	target = from_in6(&na->target);
	if (!is_link_local(&target) && (is_mapped(&target) || !is_allowed(port, slot, &target)))
		return SOURCE_SPOOFED;
	return SOURCE_NEIGHBOUR;
}

static __always_inline enum source check_ipv6(struct __sk_buff *skb, const struct pw_port *port,
					      __u32 slot, __u32 off)
{
	const struct ipv6hdr *ip;
	struct address source;
	struct ipv6hdr room;
	__u8 protocol;
	bool nobody;
	int found;

	ip = frame_bytes(skb, off, &room, sizeof(room));
	if (!ip || ip->version != 6)
		return SOURCE_UNPARSED;
	source = from_in6(&ip->saddr);
	nobody = is_unspecified(&source);
	/* A mapped one would pass for the pod's IPv4 address. */
	if (!nobody && !is_link_local(&source) &&
	    (is_mapped(&source) || !is_allowed(port, slot, &source)))
		return SOURCE_SPOOFED;
	protocol = ip->nexthdr;
	off += sizeof(*ip);
	if (is_extension(protocol)) {
		found = ipv6_protocol(skb, protocol, off);
		if (found < 0)
			return SOURCE_UNPARSED;
		protocol = found & 0xff;
		off = found >> 8 & OFFSET_MASK;
	}
	/* `::` is who asks whether an address is free, or for groups and routers before that. */
	if (protocol != IPPROTO_ICMPV6)
		return spoofed_unless(!nobody);
	return check_icmpv6(skb, port, slot, off);
}

static __always_inline enum source check_arp(struct __sk_buff *skb, const struct pw_port *port,
					     __u32 slot, __u32 off)
{
	const struct arp_ipv4 *arp;
	struct arp_ipv4 room;
	struct address sender;
	__be32 v4;

	arp = frame_bytes(skb, off, &room, sizeof(room));
	if (!arp || arp->protocol != bpf_htons(ETH_P_IP) || arp->hardware_len != ETH_ALEN ||
	    arp->protocol_len != sizeof(v4) ||
	    (arp->hardware != bpf_htons(ARP_ETHERNET) && arp->hardware != bpf_htons(ARP_IEEE802)))
		return SOURCE_UNPARSED;
	__builtin_memcpy(&v4, arp->sender, sizeof(v4));
	if (!v4) /* a probe: is the address free? */
		return SOURCE_NEIGHBOUR;
	sender = mapped(v4);
	return is_allowed(port, slot, &sender) ? SOURCE_NEIGHBOUR : SOURCE_SPOOFED;
}

static __always_inline enum source check_network(struct __sk_buff *skb, const struct pw_port *port,
						 __u32 slot, __be16 type)
{
	__u32 off = ETH_HLEN;

	switch (frame_skip_tags(skb, &type, &off)) {
	case FRAME_PLAIN:
		break;
	case FRAME_CUT:
	case FRAME_VLAN:
		return SOURCE_UNPARSED;
	case FRAME_TOWER: /* the kernel would find what is under it, so it can't be let through */
		return SOURCE_SPOOFED;
	}
	switch (type) {
	case bpf_htons(ETH_P_IP):
		return check_ipv4(skb, port, slot, off);
	case bpf_htons(ETH_P_IPV6):
		return check_ipv6(skb, port, slot, off);
	case bpf_htons(ETH_P_ARP):
		return check_arp(skb, port, slot, off);
	default:
		return SOURCE_UNPARSED;
	}
}

static __always_inline bool is_from_mac(const struct ethernet *eth, const __u8 *mac)
{
	const __be16 *m = (const __be16 *)mac; /* at an even place in struct pw_port */

	return !((eth->source[0] ^ m[0]) | (eth->source[1] ^ m[1]) | (eth->source[2] ^ m[2]));
}

/* A frame of the pod with @port in @slot, as it comes in at the node's end. */
static __always_inline enum source source_check(struct __sk_buff *skb, const struct pw_port *port,
						__u32 slot)
{
	const struct ethernet *eth;
	struct ethernet room;
	enum source source;
	bool other_mac;

	eth = frame_bytes(skb, 0, &room, sizeof(room));
	if (!eth)
		return SOURCE_UNPARSED;
	other_mac = (port->flags & PW_PORT_CHECK_MAC) && !is_from_mac(eth, port->mac);
	source = check_network(skb, port, slot, eth->type);
	if (other_mac && source != SOURCE_NEIGHBOUR)
		return SOURCE_SPOOFED;
	return source;
}
