/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cases.h"

#include <linux/if_ether.h>
#include <netinet/in.h>

#define V4 ETH(OWN, ETH_P_IP)
#define V6 ETH(OWN, ETH_P_IPV6)
#define MY4 "10.1.0.2"
#define MY6 "fd00::2"
#define LOCAL6 "fe80::2"
#define ALLOWED4 "10.7.9.9"
#define ALLOWED6 "2001:db8:7:9::9"
#define OTHER4 "10.1.0.3"
#define OTHER6 "fd00::3"
#define ECHO 128
#define RS 133
#define NS 135
#define NA 136
#define MLD2 143

/* how many bytes up to the end of a header */
#define AT_ARP (14 + 28)
#define AT_IP4 (14 + 20)
#define AT_IP6 (14 + 40)
#define AT_TYPE (AT_IP6 + 1)
#define AT_TARGET (AT_IP6 + 24)

/* clang-format off */
const struct packet_case packet_cases[] = {
	/* the pod's own */
	{ "TCP over IPv4", PASSED, AT_IP4, { V4, IP4(MY4, IPPROTO_TCP), TCP, DATA(40) } },
	{ "UDP over IPv4", PASSED, AT_IP4, { V4, IP4(MY4, IPPROTO_UDP), UDP(999, 53), DATA(40) } },
	{ "ICMP", PASSED, AT_IP4, { V4, IP4(MY4, IPPROTO_ICMP), DATA(40) } },
	{ "SCTP over IPv4", PASSED, AT_IP4, { V4, IP4(MY4, IPPROTO_SCTP), DATA(40) } },
	{ "IPv4 with options", PASSED, AT_IP4, { V4, IP4_OPTIONS(MY4, IPPROTO_TCP, 10), TCP } },
	{ "a first fragment", PASSED, AT_IP4,
	  { V4, IP4_FRAGMENT(MY4, IPPROTO_UDP, 0x2000), UDP(1, 2) } },
	{ "a later fragment", PASSED, AT_IP4,
	  { V4, IP4_FRAGMENT(MY4, IPPROTO_UDP, 185), DATA(40) } },
	{ "TCP over IPv6", PASSED, AT_IP6, { V6, IP6(MY6, IPPROTO_TCP), TCP, DATA(40) } },
	{ "UDP over IPv6", PASSED, AT_IP6, { V6, IP6(MY6, IPPROTO_UDP), UDP(999, 53), DATA(40) } },
	{ "ICMPv6 echo", PASSED, AT_TYPE, { V6, IP6(MY6, IPPROTO_ICMPV6), ICMP6(ECHO), DATA(40) } },
	{ "an IPv6 fragment", PASSED, AT_IP6 + 8,
	  { V6, IP6(MY6, IPPROTO_FRAGMENT), FRAGMENT(IPPROTO_ICMPV6, 9), DATA(40) } },
	{ "IPv6 with options", PASSED, AT_IP6 + 2 + 24,
	  { V6, IP6(MY6, IPPROTO_DSTOPTS), EXTENSION(IPPROTO_ROUTING, 2), EXTENSION(IPPROTO_TCP, 1),
	    TCP } },
	{ "ESP", PASSED, AT_IP6, { V6, IP6(MY6, IPPROTO_ESP), DATA(40) } },
	{ "no next header", PASSED, AT_IP6, { V6, IP6(MY6, IPPROTO_NONE) } },
	{ "link-local", PASSED, AT_IP6, { V6, IP6(LOCAL6, IPPROTO_UDP), UDP(546, 547), DATA(40) } },
	{ "the last of fe80::/10", PASSED, AT_IP6,
	  { V6, IP6("febf::1", IPPROTO_UDP), UDP(546, 547) } },
	{ "ARP request", PASSED, AT_ARP, { ETH(OWN, ETH_P_ARP), ARP(1, MY4) } },
	{ "ARP reply with padding", PASSED, AT_ARP,
	  { ETH(OWN, ETH_P_ARP), ARP(2, MY4), DATA(18) } },
	{ "ARP with IEEE 802 for hardware", PASSED, AT_ARP,
	  { ETH(OWN, ETH_P_ARP), ARP(2, MY4), PATCH(15, 6) } },
	{ "NS", PASSED, AT_TYPE, { V6, IP6(MY6, IPPROTO_ICMPV6), NDP(NS, OTHER6), DATA(8) } },
	{ "NA", PASSED, AT_TARGET, { V6, IP6(MY6, IPPROTO_ICMPV6), NDP(NA, MY6), DATA(8) } },
	{ "NA for its link-local", PASSED, AT_TARGET,
	  { V6, IP6(LOCAL6, IPPROTO_ICMPV6), NDP(NA, LOCAL6), DATA(8) } },
	/* who has no address yet */
	{ "DHCP", PASSED, AT_IP4 + 4, { V4, IP4("0.0.0.0", IPPROTO_UDP), UDP(68, 67), DATA(40) } },
	{ "DHCP with IP options", PASSED, AT_IP4 + 8 + 4,
	  { V4, IP4_OPTIONS("0.0.0.0", IPPROTO_UDP, 2), UDP(68, 67), DATA(40) } },
	{ "IGMP", PASSED, AT_IP4, { V4, IP4_OPTIONS("0.0.0.0", IPPROTO_IGMP, 1), DATA(8) } },
	{ "ARP probe", PASSED, AT_ARP, { ETH(OWN, ETH_P_ARP), ARP(1, "0.0.0.0") } },
	{ "DAD", PASSED, AT_TYPE, { V6, IP6("::", IPPROTO_ICMPV6), NDP(NS, OTHER6) } },
	{ "RS before DAD", PASSED, AT_TYPE, { V6, IP6("::", IPPROTO_ICMPV6), ICMP6(RS) } },
	{ "MLD before DAD", PASSED, AT_IP6 + 8 + 1,
	  { V6, IP6("::", IPPROTO_HOPOPTS), EXTENSION(IPPROTO_ICMPV6, 0), ICMP6(MLD2), DATA(20) } },
	{ "MLD", PASSED, AT_IP6 + 8 + 1,
	  { V6, IP6(LOCAL6, IPPROTO_HOPOPTS), EXTENSION(IPPROTO_ICMPV6, 0), ICMP6(MLD2),
	    DATA(20) } },
	/* what it may send besides */
	{ "allowed IPv4", PASSED, AT_IP4, { V4, IP4(ALLOWED4, IPPROTO_TCP), TCP } },
	{ "allowed IPv6", PASSED, AT_IP6, { V6, IP6(ALLOWED6, IPPROTO_TCP), TCP } },
	{ "allowed in ARP", PASSED, AT_ARP, { ETH(OWN, ETH_P_ARP), ARP(2, ALLOWED4) } },
	{ "allowed in NA", PASSED, AT_TARGET, { V6, IP6(MY6, IPPROTO_ICMPV6), NDP(NA, ALLOWED6) } },
	/* how the kernel learns of another MAC */
	{ "ARP of a new MAC", PASSED, AT_ARP, { ETH(OTHER, ETH_P_ARP), ARP(1, MY4) } },
	{ "ARP probe of a new MAC", PASSED, AT_ARP, { ETH(OTHER, ETH_P_ARP), ARP(1, "0.0.0.0") } },
	{ "NS of a new MAC", PASSED, AT_TYPE,
	  { ETH(OTHER, ETH_P_IPV6), IP6(MY6, IPPROTO_ICMPV6), NDP(NS, OTHER6) } },
	{ "NA of a new MAC", PASSED, AT_TARGET,
	  { ETH(OTHER, ETH_P_IPV6), IP6(MY6, IPPROTO_ICMPV6), NDP(NA, MY6) } },
	/* a priority is no VLAN */
	{ "IPv4 with a priority", PASSED, AT_IP4 + 4,
	  { ETH(OWN, ETH_P_8021Q), TAG(5 << 13, ETH_P_IP), IP4(MY4, IPPROTO_TCP), TCP } },
	{ "IPv6 with a priority", PASSED, AT_IP6 + 4,
	  { ETH(OWN, ETH_P_8021AD), TAG(0, ETH_P_IPV6), IP6(MY6, IPPROTO_UDP), UDP(1, 2) } },
	{ "DHCP with a priority", PASSED, AT_IP4 + 4 + 4,
	  { ETH(OWN, ETH_P_8021Q), TAG(0, ETH_P_IP), IP4("0.0.0.0", IPPROTO_UDP), UDP(68, 67) } },
	{ "NA with a priority", PASSED, AT_TARGET + 4,
	  { ETH(OWN, ETH_P_8021Q), TAG(0, ETH_P_IPV6), IP6(MY6, IPPROTO_ICMPV6), NDP(NA, MY6) } },
	/* nothing we know: the kernel's */
	{ "LLDP", UNPARSED, 14, { ETH(OWN, 0x88cc), DATA(40) } },
	{ "802.3", UNPARSED, 14, { ETH(OWN, 40), DATA(40) } },
	{ "a VLAN", UNPARSED, 14,
	  { ETH(OWN, ETH_P_8021Q), TAG(5, ETH_P_IP), IP4(OTHER4, IPPROTO_TCP), TCP } },
	{ "a service VLAN", UNPARSED, 14,
	  { ETH(OWN, ETH_P_8021AD), TAG(5, ETH_P_8021Q), TAG(6, ETH_P_IP),
	    IP4(OTHER4, IPPROTO_TCP) } },
	{ "IPv4 that says it is IPv6", UNPARSED, 14,
	  { V4, IP4(OTHER4, IPPROTO_TCP), PATCH(14, 0x65), TCP } },
	{ "IPv4 with a header too short", UNPARSED, 14,
	  { V4, IP4(OTHER4, IPPROTO_TCP), PATCH(14, 0x44), TCP } },
	{ "IPv6 that says it is IPv4", UNPARSED, 14,
	  { V6, IP6(OTHER6, IPPROTO_TCP), PATCH(14, 0x40), TCP } },
	{ "DHCP whose options end after it", UNPARSED, 14,
	  { V4, IP4("0.0.0.0", IPPROTO_UDP), PATCH(14, 0x4f), UDP(68, 67) } },
	{ "ARP for other hardware", UNPARSED, 14,
	  { ETH(OWN, ETH_P_ARP), ARP(2, OTHER4), PATCH(15, 32) } },
	{ "ARP for another protocol", UNPARSED, 14,
	  { ETH(OWN, ETH_P_ARP), ARP(2, OTHER4), PATCH(17, 6) } },
	{ "ARP with long MACs", UNPARSED, 14,
	  { ETH(OWN, ETH_P_ARP), ARP(2, OTHER4), PATCH(18, 8) } },
	{ "ARP with long addresses", UNPARSED, 14,
	  { ETH(OWN, ETH_P_ARP), ARP(2, OTHER4), PATCH(19, 16) } },
	{ "nine extension headers", UNPARSED, 14,
	  { V6, IP6(MY6, IPPROTO_DSTOPTS), EXTENSION(60, 0), EXTENSION(60, 0), EXTENSION(60, 0),
	    EXTENSION(60, 0), EXTENSION(60, 0), EXTENSION(60, 0), EXTENSION(60, 0),
	    EXTENSION(60, 0), EXTENSION(6, 0), TCP } },
	{ "an extension header longer than the packet", UNPARSED, 14,
	  { V6, IP6(MY6, IPPROTO_DSTOPTS), EXTENSION(60, 1), PATCH(55, 255), DATA(99) } },
	/* somebody else's */
	{ "foreign IPv4", SPOOFED, AT_IP4, { V4, IP4(OTHER4, IPPROTO_TCP), TCP, DATA(40) } },
	{ "foreign IPv4 with options", SPOOFED, AT_IP4,
	  { V4, IP4_OPTIONS(OTHER4, IPPROTO_TCP, 10), TCP } },
	{ "foreign IPv4 whose options are cut", SPOOFED, AT_IP4,
	  { V4, IP4(OTHER4, IPPROTO_TCP), PATCH(14, 0x4f) } },
	{ "foreign IPv4 fragment", SPOOFED, AT_IP4,
	  { V4, IP4_FRAGMENT(OTHER4, IPPROTO_UDP, 185), DATA(40) } },
	{ "IGMP of another", SPOOFED, AT_IP4, { V4, IP4(OTHER4, IPPROTO_IGMP), DATA(8) } },
	{ "DHCP of another", SPOOFED, AT_IP4, { V4, IP4(OTHER4, IPPROTO_UDP), UDP(68, 67) } },
	{ "loopback", SPOOFED, AT_IP4, { V4, IP4("127.0.0.1", IPPROTO_UDP), UDP(1, 2) } },
	{ "broadcast", SPOOFED, AT_IP4, { V4, IP4("255.255.255.255", IPPROTO_UDP), UDP(1, 2) } },
	{ "beside what is allowed", SPOOFED, AT_IP4, { V4, IP4("10.8.0.0", IPPROTO_TCP), TCP } },
	{ "nobody's TCP", SPOOFED, AT_IP4, { V4, IP4("0.0.0.0", IPPROTO_TCP), TCP } },
	{ "nobody's ICMP", SPOOFED, AT_IP4, { V4, IP4("0.0.0.0", IPPROTO_ICMP), DATA(40) } },
	{ "nobody's fragment", SPOOFED, AT_IP4,
	  { V4, IP4_FRAGMENT("0.0.0.0", IPPROTO_UDP, 185), UDP(68, 67) } },
	{ "nobody's DNS", SPOOFED, AT_IP4 + 4, { V4, IP4("0.0.0.0", IPPROTO_UDP), UDP(68, 53) } },
	{ "nobody's DHCP from another port", SPOOFED, AT_IP4 + 4,
	  { V4, IP4("0.0.0.0", IPPROTO_UDP), UDP(1068, 67) } },
	{ "nobody's DHCP server", SPOOFED, AT_IP4 + 4,
	  { V4, IP4("0.0.0.0", IPPROTO_UDP), UDP(67, 68) } },
	{ "DHCP ports where options are", SPOOFED, AT_IP4 + 8 + 4,
	  { V4, IP4_OPTIONS("0.0.0.0", IPPROTO_UDP, 2), PATCH(34, 0), PATCH(35, 68), PATCH(36, 0),
	    PATCH(37, 67), UDP(1, 2) } },
	{ "foreign IPv6", SPOOFED, AT_IP6, { V6, IP6(OTHER6, IPPROTO_TCP), TCP, DATA(40) } },
	{ "foreign IPv6 with options", SPOOFED, AT_IP6,
	  { V6, IP6(OTHER6, IPPROTO_DSTOPTS), EXTENSION(6, 0), TCP } },
	{ "foreign IPv6 fragment", SPOOFED, AT_IP6,
	  { V6, IP6(OTHER6, IPPROTO_FRAGMENT), FRAGMENT(6, 9), DATA(40) } },
	{ "foreign ICMPv6", SPOOFED, AT_IP6, { V6, IP6(OTHER6, IPPROTO_ICMPV6), ICMP6(ECHO) } },
	{ "NS of another", SPOOFED, AT_IP6, { V6, IP6(OTHER6, IPPROTO_ICMPV6), NDP(NS, MY6) } },
	{ "IPv6 loopback", SPOOFED, AT_IP6, { V6, IP6("::1", IPPROTO_TCP), TCP } },
	{ "multicast", SPOOFED, AT_IP6, { V6, IP6("ff02::1", IPPROTO_ICMPV6), ICMP6(ECHO) } },
	{ "site-local", SPOOFED, AT_IP6, { V6, IP6("fec0::2", IPPROTO_TCP), TCP } },
	{ "its IPv4 address in IPv6", SPOOFED, AT_IP6,
	  { V6, IP6("::ffff:10.1.0.2", IPPROTO_TCP), TCP } },
	{ "allowed IPv4 in IPv6", SPOOFED, AT_IP6,
	  { V6, IP6("::ffff:10.7.9.9", IPPROTO_TCP), TCP } },
	{ "beside what is allowed in IPv6", SPOOFED, AT_IP6,
	  { V6, IP6("2001:db8:8::", IPPROTO_TCP), TCP } },
	{ "nobody's UDP", SPOOFED, AT_IP6, { V6, IP6("::", IPPROTO_UDP), UDP(546, 547), DATA(8) } },
	{ "nobody's TCP with options", SPOOFED, AT_IP6 + 2,
	  { V6, IP6("::", IPPROTO_HOPOPTS), EXTENSION(6, 0), TCP } },
	{ "nobody's IPv6 fragment", SPOOFED, AT_IP6 + 8,
	  { V6, IP6("::", IPPROTO_FRAGMENT), FRAGMENT(IPPROTO_ICMPV6, 9), ICMP6(NS) } },
	{ "ARP for another", SPOOFED, AT_ARP, { ETH(OWN, ETH_P_ARP), ARP(2, OTHER4) } },
	{ "ARP request of another", SPOOFED, AT_ARP, { ETH(OWN, ETH_P_ARP), ARP(1, OTHER4) } },
	{ "ARP for another with IEEE 802 for hardware", SPOOFED, AT_ARP,
	  { ETH(OWN, ETH_P_ARP), ARP(2, OTHER4), PATCH(15, 6) } },
	{ "NA for another", SPOOFED, AT_TARGET,
	  { V6, IP6(MY6, IPPROTO_ICMPV6), NDP(NA, OTHER6), DATA(8) } },
	{ "NA for another from link-local", SPOOFED, AT_TARGET,
	  { V6, IP6(LOCAL6, IPPROTO_ICMPV6), NDP(NA, OTHER6) } },
	{ "NA for another from nobody", SPOOFED, AT_TARGET,
	  { V6, IP6("::", IPPROTO_ICMPV6), NDP(NA, OTHER6) } },
	{ "NA for a mapped address", SPOOFED, AT_TARGET,
	  { V6, IP6(MY6, IPPROTO_ICMPV6), NDP(NA, "::ffff:10.1.0.2") } },
	{ "NA for another behind options", SPOOFED, AT_TARGET + 24,
	  { V6, IP6(MY6, IPPROTO_HOPOPTS), EXTENSION(60, 0), EXTENSION(IPPROTO_ICMPV6, 1),
	    NDP(NA, OTHER6) } },
	{ "NA for another in the only fragment", SPOOFED, AT_TARGET + 8,
	  { V6, IP6(MY6, IPPROTO_FRAGMENT), FRAGMENT(IPPROTO_ICMPV6, 0), NDP(NA, OTHER6) } },
	{ "NA for another in the first of more fragments", SPOOFED, AT_TARGET + 8,
	  { V6, IP6(MY6, IPPROTO_FRAGMENT), FRAGMENT(IPPROTO_ICMPV6, 0), PATCH(AT_IP6 + 3, 1),
	    NDP(NA, OTHER6) } },
	{ "foreign IPv4 with a priority", SPOOFED, AT_IP4 + 4,
	  { ETH(OWN, ETH_P_8021Q), TAG(5 << 13, ETH_P_IP), IP4(OTHER4, IPPROTO_TCP), TCP } },
	{ "foreign IPv6 with a priority", SPOOFED, AT_IP6 + 4,
	  { ETH(OWN, ETH_P_8021AD), TAG(0, ETH_P_IPV6), IP6(OTHER6, IPPROTO_TCP), TCP } },
	{ "ARP for another with a priority", SPOOFED, AT_ARP + 4,
	  { ETH(OWN, ETH_P_8021Q), TAG(0, ETH_P_ARP), ARP(2, OTHER4) } },
	{ "a priority upon a priority", SPOOFED, 14 + 4,
	  { ETH(OWN, ETH_P_8021Q), TAG(0, ETH_P_8021Q), TAG(0, ETH_P_IP),
	    IP4(OTHER4, IPPROTO_TCP) } },
	{ "IPv4 of a foreign MAC", SPOOFED, 14,
	  { ETH(OTHER, ETH_P_IP), IP4(MY4, IPPROTO_TCP), TCP } },
	{ "IPv6 of a foreign MAC", SPOOFED, 14,
	  { ETH(OTHER, ETH_P_IPV6), IP6(MY6, IPPROTO_TCP), TCP } },
	{ "allowed IPv4 of a foreign MAC", SPOOFED, 14,
	  { ETH(OTHER, ETH_P_IP), IP4(ALLOWED4, IPPROTO_TCP), TCP } },
	{ "RS of a foreign MAC", SPOOFED, 14,
	  { ETH(OTHER, ETH_P_IPV6), IP6("::", IPPROTO_ICMPV6), ICMP6(RS) } },
	{ "DHCP of a foreign MAC", SPOOFED, 14,
	  { ETH(OTHER, ETH_P_IP), IP4("0.0.0.0", IPPROTO_UDP), UDP(68, 67) } },
	{ "LLDP of a foreign MAC", SPOOFED, 14, { ETH(OTHER, 0x88cc), DATA(40) } },
	{ "a VLAN of a foreign MAC", SPOOFED, 14,
	  { ETH(OTHER, ETH_P_8021Q), TAG(5, ETH_P_IP), IP4(MY4, IPPROTO_TCP) } },
	{ "foreign ARP of a foreign MAC", SPOOFED, 14, { ETH(OTHER, ETH_P_ARP), ARP(2, OTHER4) } },
	{ "foreign NS of a foreign MAC", SPOOFED, 14,
	  { ETH(OTHER, ETH_P_IPV6), IP6(OTHER6, IPPROTO_ICMPV6), NDP(NS, MY6) } },
};
/* clang-format on */

const size_t n_packet_cases = sizeof(packet_cases) / sizeof(packet_cases[0]);

enum verdict case_verdict(const struct packet_case *c, size_t len)
{
	if (len >= c->needs)
		return c->verdict;
	return c->layers[0].a == OWN ? UNPARSED : SPOOFED;
}
