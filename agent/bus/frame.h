/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Where in what a peer sends a message ends
 *
 * sd-bus sets aside up to 128 MiB for a message as soon as its header says so, and takes in the
 * next one whether or not the answer to the last was read. So it is given a peer's bytes message by
 * message, and none that is too long. Pure.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define FRAME_HEADER 16
#define FRAME_AUTH_MAX 1024u     /* bytes, until the client has said who it is */
#define FRAME_MESSAGE_MAX 65536u /* far more than any of our methods takes */

/* Zeroed, it is at the beginning of a connection. */
struct frame {
	bool begun; /* authentication is over */
	uint8_t last[FRAME_HEADER];
	uint32_t n;    /* bytes of authentication; of a header, those that are in `last` */
	uint32_t left; /* of a message, behind its header's fixed part */
};

/*
 * Looks at the next @n bytes: how many of them still belong to the same part, which is the
 * authentication or one message; @ret_whole: and end it. -EMSGSIZE: it is too long; -EBADMSG: it
 * isn't D-Bus.
 */
ssize_t frame_take(struct frame *f, const uint8_t *data, size_t n, bool *ret_whole);
