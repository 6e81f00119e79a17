/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Trying again what somebody else's change got in the way of
 *
 * A zeroed struct is a first try. Whoever tries again reads the kernel's state again first.
 */
#include <stdbool.h>
#include <stdint.h>

struct pw_error;

struct retry {
	unsigned int tries;
	int64_t deadline_ms;
};

/*
 * Whether @r (a negative errno) is worth another try. The table is busy with another writer: waits
 * a moment, in all at most two seconds. What was read is no longer so (-ENOENT, -EEXIST): a few
 * times at once.
 */
bool retry_again(struct retry *retry, int r);

/* Gives up: copies the last try's @why to @err, with PW_E_AGAIN if it is still busy. Returns @r. */
int retry_give_up(int r, const struct pw_error *why, struct pw_error *err);
