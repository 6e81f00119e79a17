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

/* A pod from text: lists separated by blanks. Static storage for as many as LAB_PODS. */
#define LAB_PODS 8
struct lab_pod {
	struct masq_pod pod;
	struct ipaddr addresses[8];
	struct cidr exclusions[8];
	char owner[32];
};
struct lab_pod *lab_pod(const char *owner, const char *addresses, const char *exclusions);

/* Add, remove (@addresses NULL: unknown) and check must succeed; _removes returns what came. */
void lab_add(struct lab *lab, const struct lab_pod *pod);
int lab_remove(struct lab *lab, const char *owner, const char *addresses);
void lab_check(struct lab *lab, const struct lab_pod *pod);
/* CHECK must fail with a message that has @text. */
void lab_check_fails(struct lab *lab, const struct lab_pod *pod, const char *text);

/* What the world sees as the source of a datagram from namespace @from to @address. */
const char *lab_source(struct lab *lab, int from, const char *own, const char *address);

/* `nft list ruleset`, and whether it holds or lacks a text. */
char *lab_ruleset(void);
void lab_assert_ruleset(const char *expected);
void lab_assert_has(const char *text);
void lab_assert_lacks(const char *text);
/* How often the ruleset has the text. */
size_t lab_count(const char *text);
