/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the tests of the agent's configuration share. */
#include "test.h"

#include "config/config.h"

static inline void require_defaults(const struct config *c)
{
	assert_int_equal(c->uplinks.n, 0);
	assert_int_equal(c->uplink_routes.n, 0);
	assert_int_equal(c->uplink_xdp, UPLINK_XDP_AUTO);
	assert_int_equal(c->cpus.n, 0);
	assert_false(c->no_cpus);
	assert_int_equal(c->cpu_queue, 2048);
	assert_int_equal(c->netlink_buffer, 4 * 1024 * 1024);
}
