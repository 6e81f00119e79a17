/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The older iptables' filter table, by the kernel's socket options. What it holds is told in the
 * words of nft/others.h; a chain comes before its rules.
 */
#include <stddef.h>

#include "nft/others.h"

struct xtables_calls {
	others_chain_t chain;
	others_rule_t rule;
	void *arg;
};

/* What the kernel says of a table, for IPv4 and IPv6 alike. */
struct xtables_info {
	unsigned int forward, policy; /* offsets of the chain FORWARD and of its policy */
	unsigned int input, output;   /* of the other chains that a filter table has */
	unsigned int size;
};

/*
 * Reads @family's table, which must be there: asking for one would make it. -EPERM: not to us.
 */
int xtables_read(int family, const struct xtables_calls *calls, struct pw_error *err);

/* The table's entries, as the kernel gives them. -EBADMSG: malformed. Pure. */
int xtables_parse(int family, const struct xtables_info *info, const void *entries,
		  const struct xtables_calls *calls);
