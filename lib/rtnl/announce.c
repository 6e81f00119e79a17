/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rtnl/announce.h"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <netinet/icmp6.h>
#include <netinet/if_ether.h>
#include <netinet/ip6.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/error.h"

#define HOP_LIMIT 255 /* what neighbour discovery must have: it never crossed a router */

struct na_option {
	uint8_t type, units;
	uint8_t mac[ETH_ALEN];
};

struct na_packet {
	struct ip6_hdr ip;
	struct nd_neighbor_advert na;
	struct na_option target;
};

_Static_assert(sizeof(struct na_packet) == 40 + 24 + 8, "goes onto the wire as it is");

static size_t build_arp(void *buf, const struct mac *mac, const struct ipaddr *ip)
{
	struct ether_arp arp = {
		.ea_hdr = { .ar_hrd = htons(ARPHRD_ETHER),
			    .ar_pro = htons(ETH_P_IP),
			    .ar_hln = ETH_ALEN,
			    .ar_pln = 4,
			    .ar_op = htons(ARPOP_REQUEST) },
	};

	memcpy(arp.arp_sha, mac->b, ETH_ALEN);
	memcpy(arp.arp_spa, ip->b, 4);
	memcpy(arp.arp_tpa, ip->b, 4);
	memcpy(buf, &arp, sizeof(arp));
	return sizeof(arp);
}

/* RFC 1071 over the pseudo-header and @len bytes of ICMPv6. */
static uint16_t icmp6_checksum(const struct ip6_hdr *ip, const void *data, size_t len)
{
	const uint8_t *parts[] = { (const uint8_t *)&ip->ip6_src, data };
	const size_t sizes[] = { 32, len };
	uint32_t sum = (uint32_t)len + IPPROTO_ICMPV6;

	for (size_t p = 0; p < 2; p++) {
		for (size_t i = 0; i + 1 < sizes[p]; i += 2)
			sum += (uint32_t)parts[p][i] << 8 | parts[p][i + 1];
	}
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~sum);
}

static size_t build_na(void *buf, const struct mac *mac, const struct ipaddr *ip)
{
	static const uint8_t all_nodes[16] = { 0xff, 0x02, [15] = 1 };
	struct na_packet p = {
		.ip = { .ip6_hlim = HOP_LIMIT, .ip6_nxt = IPPROTO_ICMPV6 },
		.na = { .nd_na_type = ND_NEIGHBOR_ADVERT,
			.nd_na_flags_reserved = ND_NA_FLAG_OVERRIDE | ND_NA_FLAG_ROUTER },
		.target = { .type = ND_OPT_TARGET_LINKADDR, .units = 1 },
	};
	size_t len = sizeof(p) - sizeof(p.ip);

	p.ip.ip6_flow = htonl(6u << 28);
	p.ip.ip6_plen = htons((uint16_t)len);
	memcpy(&p.ip.ip6_src, ip->b, 16);
	memcpy(&p.ip.ip6_dst, all_nodes, 16);
	memcpy(&p.na.nd_na_target, ip->b, 16);
	memcpy(p.target.mac, mac->b, ETH_ALEN);
	p.na.nd_na_cksum = icmp6_checksum(&p.ip, &p.na, len);
	memcpy(buf, &p, sizeof(p));
	return sizeof(p);
}

int announce(int ifindex, const char *ifname, const struct mac *mac, const struct ipaddr *ip,
	     struct pw_error *err)
{
	bool v4 = ip->family == AF_INET;
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(v4 ? ETH_P_ARP : ETH_P_IPV6),
		.sll_ifindex = ifindex,
		.sll_halen = ETH_ALEN,
	};
	_cleanup_(closep) int fd = -EBADF;
	uint8_t buf[sizeof(struct na_packet)];
	size_t len;

	if (v4)
		memset(to.sll_addr, 0xff, ETH_ALEN);
	else
		memcpy(to.sll_addr, (const uint8_t[]){ 0x33, 0x33, 0, 0, 0, 1 }, ETH_ALEN);
	len = v4 ? build_arp(buf, mac, ip) : build_na(buf, mac, ip);

	/* Protocol 0: this socket only sends. */
	fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || sendto(fd, buf, len, 0, (struct sockaddr *)&to, sizeof(to)) < 0)
		return pw_fail(err, errno, PW_E_NETLINK, "cannot announce %s on %s: %m",
			       IPADDR_STR(ip), ifname);
	return 0;
}
