# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash

# network_snapshot: what this network namespace holds, a line each, sorted; two of them differ by what
# was made in between.
network_snapshot() {
	{
		ip -o link show | sed 's/^[0-9]*: \([^:@]*\).*/link \1/'
		ip -4 route show table all | sed 's/^/route /'
		ip -6 route show table all | sed 's/^/route /'
		nft list ruleset | sed 's/^/nft /'
		sed 's/^/ip_forward /' /proc/sys/net/ipv4/ip_forward
		grep -H . /proc/sys/net/ipv6/conf/{all,default}/{forwarding,accept_ra} 2>/dev/null || :
	} | sort -u
}
