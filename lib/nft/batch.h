/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * An nftables transaction that is being written
 *
 * Knows nfnetlink's envelope and how attributes are put, and nothing of what they mean. A failed
 * allocation is remembered and reported by batch_send(), so that a writer need not look at each
 * attribute. A zeroed struct is an empty batch.
 */
#include <linux/netfilter/nf_tables.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BATCH_WHATLEN 64

struct nlsock;
struct pw_error;

struct batch {
	struct nl_msg **msgs;
	char (*what)[BATCH_WHATLEN]; /* "add chain postrouting": what each message is for */
	size_t n, room;
	uint32_t set_id;
	bool failed;
};

void batch_done(struct batch *b);

/* Begins message @type (NFT_MSG_...) with room for @size bytes of attributes. */
void batch_begin(struct batch *b, uint8_t type, uint16_t flags, size_t size, const char *what, ...)
	__attribute__((format(printf, 5, 6)));

/* Put an attribute into the message that was begun last. Numbers in network order. */
void batch_put(struct batch *b, int attr, const void *data, size_t len);
void batch_put_string(struct batch *b, int attr, const char *s);
void batch_put_u32(struct batch *b, int attr, uint32_t value);
struct nlattr *batch_nest(struct batch *b, int attr);
void batch_end(struct batch *b, struct nlattr *nest);

/*
 * Sends what there is as one transaction, all or nothing, and empties the batch in any case. An
 * empty batch is not sent. Returns the kernel's negative errno; the message names the object.
 */
int batch_send(struct batch *b, struct nlsock *sock, struct pw_error *err);

/* A single request, outside of any transaction: @ret is the caller's. NULL: out of memory. */
struct nl_msg *batch_request(uint8_t type);
