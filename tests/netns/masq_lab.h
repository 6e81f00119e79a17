/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A node with two pods and a world, for tests of masquerading and conntrack
 *
 * The node is the test process's own namespace. The world answers to 192.0.2.1 and 2001:db8::1 and
 * has routes to the pods, so that a packet's source is seen as the node sent it; the node is .10
 * and ::10 there. 198.51.100.1 and 2001:db8:1::1 are in the world too, for exclusions.
 */
#include "base/error.h"
#include "netlink/sock.h"
#include "nft/masq.h"
#include "ns.h"

#define WORLD4 "192.0.2.1"
#define WORLD6 "2001:db8::1"
#define EXCLUDED4 "198.51.100.1"
#define EXCLUDED6 "2001:db8:1::1"
#define NODE4 "192.0.2.10"
#define NODE6 "2001:db8::10"
#define POD4 "10.1.1.2"
#define POD6 "fd00:0:0:1::2"
#define OTHER_POD4 "10.1.2.2"
#define OTHER_POD6 "fd00:0:0:2::2"

#define POD_LINK "vethpod1"
#define OTHER_POD_LINK "vethpod2"

struct lab {
	int pod, other_pod, world; /* namespaces */
	struct nlsock *sock;       /* NETLINK_NETFILTER of the node */
	struct pw_error err;       /* of the calls below */
};

/* cmocka's group setup and teardown; *state is a struct lab. The process is isolated already. */
int lab_setup(void **state);
int lab_setup_without_wires(void **state); /* only the node */
int lab_teardown(void **state);
/* A test's teardown: no ruleset and no conntrack entries. */
int lab_clean(void **state);

/* Lists from text, separated by blanks. Static storage for as many as LAB_LISTS. */
#define LAB_LISTS 8
struct lab_list {
	struct masq_list list;
	struct cidr exclusions[8], sources[8];
	uint32_t group;
};
const struct lab_list *lab_list(const char *exclusions);
const struct lab_list *lab_list_from(const char *exclusions, const char *sources);

/* The pod's link is in the list's group from now on; NULL: in none. */
void lab_join(const char *link, const struct lab_list *list);

/* Add, sweep and check must succeed; _sweep says that links are in the groups of @used (NULL: of
 * none) and returns what came. */
void lab_add(struct lab *lab, const struct lab_list *list);
int lab_sweep(struct lab *lab, const struct lab_list *used);
void lab_check(struct lab *lab, const struct lab_list *list);
/* CHECK must fail with a message that has @text. */
void lab_check_fails(struct lab *lab, const struct lab_list *list, const char *text);

/* What the world sees as the source of a datagram from namespace @from to @address. */
const char *lab_source(struct lab *lab, int from, const char *own, const char *address);

/* `nft list ruleset`, and whether it holds or lacks a text. */
char *lab_ruleset(void);
void lab_assert_ruleset(const char *expected);
void lab_assert_has(const char *text);
void lab_assert_lacks(const char *text);
/* How often the ruleset has the text. */
size_t lab_count(const char *text);
