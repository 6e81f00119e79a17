/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trying again what somebody else's change got in the way of
 *
 * nfnetlink has no event for "the other writer is done", so this is a timer that doubles: the
 * first tries come quickly, since a commit takes a millisecond, and the bound keeps a runtime from
 * waiting for a firewall that is stuck.
 */
#include "nft/retry.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <time.h>

#include "base/error.h"

#define BOUND_MS 2000
#define LONGEST_WAIT_MS 128
#define STALE_TRIES 5

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* -EINTR is what is left of a dump that was interrupted again and again. */
static bool is_busy(int r)
{
	return r == -EAGAIN || r == -EBUSY || r == -ERESTART || r == -EINTR;
}

bool retry_again(struct retry *retry, int r)
{
	int64_t left, wait = 1;

	if (!is_busy(r))
		return (r == -ENOENT || r == -EEXIST) && ++retry->tries < STALE_TRIES;

	if (!retry->deadline_ms)
		retry->deadline_ms = now_ms() + BOUND_MS;
	left = retry->deadline_ms - now_ms();
	if (left <= 0)
		return false;
	for (unsigned int i = 0; i < retry->tries && wait < LONGEST_WAIT_MS; i++)
		wait *= 2;
	retry->tries++;
	(void)poll(NULL, 0, (int)(wait < left ? wait : left));
	return true;
}

int retry_give_up(int r, const struct pw_error *why, struct pw_error *err)
{
	if (!err)
		return r;
	*err = *why;
	if (is_busy(r))
		err->code = PW_E_AGAIN;
	return r;
}
