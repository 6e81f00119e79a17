/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "packet.h"

#include "test.h"

#include <arpa/inet.h>
#include <linux/icmpv6.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <string.h>

static void *add(struct packet *p, const void *data, size_t len)
{
	void *at = p->b + p->len;

	assert_true(p->len + len <= sizeof(p->b));
	if (data)
		memcpy(at, data, len);
	else
		memset(at, 0, len);
	p->len += len;
	return at;
}

static void add16(struct packet *p, unsigned int value)
{
	uint16_t v = htons((uint16_t)value);

	add(p, &v, sizeof(v));
}

static void add_mac(struct packet *p, unsigned int last)
{
	const uint8_t mac[ETH_ALEN] = { 2, 0, 0, 0, 0, (uint8_t)last };

	add(p, mac, sizeof(mac));
}

static void parse(int family, const char *text, void *ret)
{
	assert_int_equal(inet_pton(family, text, ret), 1);
}

static void add_arp(struct packet *p, const struct layer *l)
{
	uint8_t address[4];

	add16(p, 1);
	add16(p, ETH_P_IP);
	add16(p, ETH_ALEN << 8 | sizeof(address));
	add16(p, l->a);
	add_mac(p, 7);
	parse(AF_INET, l->address, address);
	add(p, address, sizeof(address));
	add(p, NULL, ETH_ALEN);
	add(p, (uint8_t[]){ 10, 1, 0, 1 }, sizeof(address));
}

static void add_ip4(struct packet *p, const struct layer *l)
{
	struct iphdr ip = { .version = 4, .ihl = (5 + l->c) & 15, .ttl = 64 };
	size_t options = 4 * (size_t)l->c;

	ip.tot_len = htons((uint16_t)(sizeof(ip) + 40)); /* nobody looks */
	ip.protocol = (uint8_t)l->a;
	ip.frag_off = htons((uint16_t)l->b);
	parse(AF_INET, l->address, &ip.saddr);
	parse(AF_INET, "198.51.100.1", &ip.daddr);
	add(p, &ip, sizeof(ip));
	memset(add(p, NULL, options), 1, options); /* they do nothing */
}

static void add_ip6(struct packet *p, const struct layer *l)
{
	struct ipv6hdr ip = { .version = 6, .hop_limit = 255, .nexthdr = (uint8_t)l->a };

	ip.payload_len = htons(64);
	parse(AF_INET6, l->address, &ip.saddr);
	parse(AF_INET6, "2001:db8::1", &ip.daddr);
	add(p, &ip, sizeof(ip));
}

static void add_icmp6(struct packet *p, const struct layer *l)
{
	struct icmp6hdr head = { .icmp6_type = (uint8_t)l->a };
	uint8_t target[16];

	add(p, &head, sizeof(head));
	if (l->kind != LAYER_NDP)
		return;
	parse(AF_INET6, l->address, target);
	add(p, target, sizeof(target));
}

static void add_ports(struct packet *p, const struct layer *l, size_t len)
{
	size_t begin = p->len;

	add16(p, l->a);
	add16(p, l->b);
	add(p, NULL, len - (p->len - begin));
}

static void add_extension(struct packet *p, const struct layer *l)
{
	add16(p, (l->a & 0xff) << 8 | (l->b & 0xff));
	add(p, NULL, 6 + 8 * (size_t)l->b);
}

static void add_fragment(struct packet *p, const struct layer *l)
{
	add16(p, (l->a & 0xff) << 8);
	add16(p, l->b << 3);
	add(p, NULL, 4);
}

static void add_layer(struct packet *p, const struct layer *l)
{
	switch (l->kind) {
	case LAYER_END:
		return;
	case LAYER_ETH:
		add_mac(p, 1);
		add_mac(p, l->a);
		return add16(p, l->b);
	case LAYER_TAG:
		add16(p, l->a);
		return add16(p, l->b);
	case LAYER_ARP:
		return add_arp(p, l);
	case LAYER_IP4:
		return add_ip4(p, l);
	case LAYER_IP6:
		return add_ip6(p, l);
	case LAYER_EXTENSION:
		return add_extension(p, l);
	case LAYER_FRAGMENT:
		return add_fragment(p, l);
	case LAYER_UDP:
		return add_ports(p, l, sizeof(struct udphdr));
	case LAYER_TCP:
		return add_ports(p, l, sizeof(struct tcphdr));
	case LAYER_ICMP6:
	case LAYER_NDP:
		return add_icmp6(p, l);
	case LAYER_DATA:
		memset(add(p, NULL, l->a), 0x5a, l->a);
		return;
	case LAYER_PATCH:
		assert_true(l->a < p->len);
		p->b[l->a] = (uint8_t)l->b;
		return;
	}
}

void packet_build(struct packet *p, const struct layer *layers)
{
	p->len = 0;
	for (; layers->kind != LAYER_END; layers++)
		add_layer(p, layers);
}

/* xorshift64* */
uint32_t dice_below(struct dice *d, uint32_t n)
{
	d->state ^= d->state >> 12;
	d->state ^= d->state << 25;
	d->state ^= d->state >> 27;
	return (uint32_t)((d->state * 0x2545f4914f6cdd1dULL) >> 32) % n;
}
