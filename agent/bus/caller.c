/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus/caller.h"

#include "base/cleanup.h"
#include "bus/server.h"

/*
 * Nothing that the message says: of a peer what the kernel said when it connected, else what the
 * bus knows of the sender's connection.
 */
static int uid_of(const struct bus *bus, sd_bus_message *m, uid_t *ret)
{
	_cleanup_(sd_bus_creds_unrefp) sd_bus_creds *creds = NULL;
	sd_bus *connection = sd_bus_message_get_bus(m);
	int r;

	if (connection != bus->daemon)
		return peers_uid(bus->peers, connection, ret);
	r = sd_bus_query_sender_creds(m, SD_BUS_CREDS_EUID, &creds);
	if (r < 0)
		return r;
	return sd_bus_creds_get_euid(creds, ret);
}

/* The policy of the system bus says so, too: but there are other buses, and peers. */
int caller_is_root(struct bus *bus, sd_bus_message *m, const char *what, sd_bus_error *ret)
{
	uid_t uid;
	int r = uid_of(bus, m, &uid);

	if (r < 0)
		return r;
	if (uid == 0)
		return 0;
	return sd_bus_error_setf(ret, SD_BUS_ERROR_ACCESS_DENIED, "%s is for root only", what);
}
