/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Others' chains and rules, as far as it takes to say what becomes of a packet between a pod and
 * the world. Reads all tables of the families that see forwarded packets: ip, ip6, inet. Its cost
 * grows with what others have there.
 */
#include <stdbool.h>
#include <stdint.h>

struct nlsock;
struct pw_error;

#define OTHERS_NAMELEN 128 /* longer names are cut */

struct others_chain {
	uint8_t family; /* NFPROTO_ */
	char table[OTHERS_NAMELEN], name[OTHERS_NAMELEN];
	bool forward; /* a filter on forwarded packets begins here */
	bool drops;   /* what no rule has decided */
};

enum others_verdict {
	OTHERS_NONE, /* goes on, or what isn't known */
	OTHERS_ACCEPT,
	OTHERS_DROP, /* or reject */
	OTHERS_JUMP, /* to another chain, for good or not */
};

struct others_rule {
	uint8_t family;
	char table[OTHERS_NAMELEN], chain[OTHERS_NAMELEN];
	enum others_verdict verdict;
	bool conditional; /* not for every packet */
	bool by_address;  /* by one of the packet's */
	/* names that the devices must have, or begin with; empty: of any name */
	char in[16], out[16];
	bool in_begins, out_begins;
};

/* With NULL: what came is to be forgotten, it comes again. A negative return ends it. */
typedef int (*others_chain_t)(const struct others_chain *chain, void *arg);
typedef int (*others_rule_t)(const struct others_rule *rule, void *arg);

int others_chains(struct nlsock *sock, others_chain_t each, void *arg, struct pw_error *err);
/* A chain's rules come one after the other, in their order. */
int others_rules(struct nlsock *sock, others_rule_t each, void *arg, struct pw_error *err);
