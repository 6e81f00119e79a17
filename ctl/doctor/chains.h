/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* All chains of the firewall, of nftables and of the older iptables, and what their rules accept.
 */
#include "base/array.h"
#include "nft/others.h"

struct doctor;

struct chains_entry {
	bool legacy; /* iptables-legacy's */
	uint8_t family;
	char table[OTHERS_NAMELEN], name[OTHERS_NAMELEN];
	bool forward, drops;
	bool ends_in_drop;            /* its last rule drops all */
	bool accepts_in, accepts_out; /* what comes from, goes to vethpw* */
	bool accepts_address;
};

struct chains {
	struct array v; /* struct chains_entry */
	size_t last;    /* where a rule was put last */
	bool legacy;    /* what is being read */
};

/* Loads no module: what isn't there has no chains. */
int chains_read(struct doctor *d, struct chains *ret, struct pw_error *err);
void chains_done(struct chains *chains);
/* One rule, to the chain that it is of. */
void chains_take_rule(struct chains *chains, const struct others_rule *rule);
