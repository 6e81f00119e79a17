/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A look around: everything that the model is to know, asked for and not waited for. At start,
 * after lost events, and in part when an event says that something of a device has changed.
 */
#include "config/config.h"
#include "model/model.h"
#include "netlink/sock.h"

/*
 * Links, uplinks, neighbours, records: all. What can't be read of one record is the record's.
 * @nexthops: see look_for_uplinks().
 */
int look_around(struct nlsock *s, int records_fd, const struct config *config, struct model *m,
		struct array *nexthops, struct pw_error *err);
/*
 * Which devices are uplinks: by the config, or by the routes that are there now. @nexthops becomes
 * the nexthop objects (uint32_t: their ids) by which these routes go; when one of them changes,
 * another device may be an uplink.
 */
int look_for_uplinks(struct nlsock *s, const struct config *config, struct model *m,
		     struct array *nexthops, struct pw_error *err);
/* One record; one that isn't there is gone. */
int look_at_record(int records_fd, const char *host_ifname, struct model *m, struct pw_error *err);

/* Whether a route's coming or going can change what is an uplink. */
bool look_is_uplink_route(const struct config *config, const struct cidr *dst);
