/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Packets from a list of layers
 *
 *	static const struct layer dhcp[] = { ETH(OWN, ETH_P_IP), IP4("0.0.0.0", IPPROTO_UDP),
 *					     UDP(68, 67), DATA(20), {} };
 *
 * What a layer says of the next one is as the list has it, right or wrong; checksums are zero, as
 * none of the programs looks at them.
 */
#include <stddef.h>
#include <stdint.h>

#define PACKET_MAX 8192

struct packet {
	uint8_t b[PACKET_MAX];
	size_t len;
};

enum layer_kind {
	LAYER_END,
	LAYER_ETH,
	LAYER_TAG,
	LAYER_ARP,
	LAYER_IP4,
	LAYER_IP6,
	LAYER_EXTENSION,
	LAYER_FRAGMENT,
	LAYER_UDP,
	LAYER_TCP,
	LAYER_ICMP6,
	LAYER_NDP,
	LAYER_DATA,
	LAYER_PATCH,
};

struct layer {
	enum layer_kind kind;
	const char *address;
	unsigned int a, b, c;
};

/* MACs are 02:00:00:00:00:MAC */
#define ETH(mac, type)                                     \
	{                                                  \
		.kind = LAYER_ETH, .a = (mac), .b = (type) \
	}
#define TAG(tci, type)                                     \
	{                                                  \
		.kind = LAYER_TAG, .a = (tci), .b = (type) \
	}
#define ARP(operation, sender)                                           \
	{                                                                \
		.kind = LAYER_ARP, .address = (sender), .a = (operation) \
	}
#define IP4(source, protocol) IP4_FRAGMENT(source, protocol, 0)
#define IP4_FRAGMENT(source, protocol, fragment) IP4_ALL(source, protocol, fragment, 0)
#define IP4_OPTIONS(source, protocol, words) IP4_ALL(source, protocol, 0, words)
#define IP4_ALL(source, protocol, fragment, words)                                        \
	{                                                                                 \
		.kind = LAYER_IP4, .address = (source), .a = (protocol), .b = (fragment), \
		.c = (words)                                                              \
	}
#define IP6(source, next)                                           \
	{                                                           \
		.kind = LAYER_IP6, .address = (source), .a = (next) \
	}
/* hop by hop, destination options, routing; @units of 8 bytes after the first */
#define EXTENSION(next, units)                                     \
	{                                                          \
		.kind = LAYER_EXTENSION, .a = (next), .b = (units) \
	}
#define FRAGMENT(next, offset)                                     \
	{                                                          \
		.kind = LAYER_FRAGMENT, .a = (next), .b = (offset) \
	}
#define UDP(source, dest)                                     \
	{                                                     \
		.kind = LAYER_UDP, .a = (source), .b = (dest) \
	}
#define TCP                       \
	{                         \
		.kind = LAYER_TCP \
	}
#define ICMP6(type)                              \
	{                                        \
		.kind = LAYER_ICMP6, .a = (type) \
	}
#define NDP(type, target)                                           \
	{                                                           \
		.kind = LAYER_NDP, .address = (target), .a = (type) \
	}
#define DATA(len)                              \
	{                                      \
		.kind = LAYER_DATA, .a = (len) \
	}
/* not a layer: the byte at @off is another one */
#define PATCH(off, value)                                     \
	{                                                     \
		.kind = LAYER_PATCH, .a = (off), .b = (value) \
	}

/* @layers end with LAYER_END. */
void packet_build(struct packet *p, const struct layer *layers);

/* A sequence of numbers that is the same in every run. */
struct dice {
	uint64_t state; /* not 0 */
};
uint32_t dice_below(struct dice *d, uint32_t n);
