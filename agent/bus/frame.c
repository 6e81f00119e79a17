/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus/frame.h"

#include <errno.h>
#include <string.h>

/*
 * The line that ends it, with the end of the line before: a text that has none is none to sd-bus
 * either, which takes whatever is between two ends of lines for a line.
 */
static const char begin[] = "\r\nBEGIN\r\n";
#define BEGIN_LEN (sizeof(begin) - 1)

static ssize_t take_authentication(struct frame *f, const uint8_t *data, size_t n, bool *ret_whole)
{
	for (size_t i = 0; i < n; i++) {
		if (f->n == FRAME_AUTH_MAX)
			return -EMSGSIZE;
		memmove(f->last, f->last + 1, BEGIN_LEN - 1);
		f->last[BEGIN_LEN - 1] = data[i];
		f->n++;
		if (memcmp(f->last, begin, BEGIN_LEN) == 0) {
			*f = (struct frame){ .begun = true };
			*ret_whole = true;
			return (ssize_t)i + 1;
		}
	}
	return (ssize_t)n;
}

static uint32_t number_at(const uint8_t *p, bool big)
{
	if (big)
		return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/* How long the message is behind the header's fixed part, by that. */
static int measure(struct frame *f)
{
	bool big = f->last[0] == 'B';
	uint64_t body = number_at(f->last + 4, big), fields = number_at(f->last + 12, big);
	uint64_t all = FRAME_HEADER + ((fields + 7) & ~UINT64_C(7)) + body;

	if (!big && f->last[0] != 'l')
		return -EBADMSG;
	if (all > FRAME_MESSAGE_MAX)
		return -EMSGSIZE;
	f->left = (uint32_t)all - FRAME_HEADER;
	return 0;
}

static ssize_t take_message(struct frame *f, const uint8_t *data, size_t n, bool *ret_whole)
{
	size_t taken = 0, rest;
	int r;

	while (f->n < FRAME_HEADER && taken < n) {
		f->last[f->n++] = data[taken++];
		if (f->n < FRAME_HEADER)
			continue;
		r = measure(f);
		if (r < 0)
			return r;
	}
	if (f->n < FRAME_HEADER)
		return (ssize_t)taken;
	rest = n - taken < f->left ? n - taken : f->left;
	f->left -= (uint32_t)rest;
	if (f->left == 0) {
		f->n = 0;
		*ret_whole = true;
	}
	return (ssize_t)(taken + rest);
}

ssize_t frame_take(struct frame *f, const uint8_t *data, size_t n, bool *ret_whole)
{
	*ret_whole = false;
	if (!f->begun)
		return take_authentication(f, data, n, ret_whole);
	return take_message(f, data, n, ret_whole);
}
