/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Questions about podwire's table
 *
 * Every question names the table, so that its cost does not grow with others' rulesets. "Not there"
 * is an answer, never an error; that holds for a kernel without nf_tables as well.
 */
#include <linux/netfilter/nf_tables.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stddef.h>
#include <stdint.h>

#include "netlink/sock.h"

struct pw_error;

/* NFT_MSG_GET... about the table, and what in it attribute @attr names (@name may be NULL). */
struct nl_msg *query_new(uint8_t type, int attr, const char *name);

/* Both take @msg, which may be NULL for out of memory. 1: answered, 0: there is no such thing. */
int query_one(struct nlsock *sock, struct nl_msg *msg, nlsock_reply_t reply, void *arg,
	      struct pw_error *err);
int query_dump(struct nlsock *sock, struct nl_msg *msg, nlsock_reply_t reply, void *arg,
	       struct pw_error *err);

/* Of a reply. -EBADMSG when it is malformed; a NULL attribute is zero, or empty. */
int query_parse(const struct nlmsghdr *nlh, struct nlattr **tb, int max);
int query_nested(struct nlattr *nest, struct nlattr **tb, int max);
uint32_t query_u32(const struct nlattr *attr);
uint64_t query_u64(const struct nlattr *attr);
/* Cuts what does not fit. */
void query_string(const struct nlattr *attr, char *ret, size_t size);
