/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Clients without a bus: those who have connected to the agent's own socket
 *
 * Anybody may, so none is trusted with more than its share of the agent: there are bounds to how
 * many there are, of one user as well, to what they send (see frame.h), and to what waits for them
 * to read it. Who they are is what the kernel says of the one who connected.
 */
#include <systemd/sd-bus.h>

#include "base/error.h"

struct bus;
struct peers;

#define PEERS_MAX 32
#define PEERS_OTHERS_MAX 16 /* all who aren't root together */
#define PEERS_USER_MAX 8    /* one user who isn't root */

/* Listens at @name in @dirfd in place of whatever is there. */
int peers_listen(struct bus *bus, int dirfd, const char *name, struct peers **ret,
		 struct pw_error *err);
struct peers *peers_free(struct peers *peers);

/* Connections, some of which aren't ready yet. @peers may be NULL. */
size_t peers_count(const struct peers *peers);
sd_bus *peers_at(const struct peers *peers, size_t i);
void peers_cut(struct peers *peers, size_t i);

/* After messages to them: who has too much of it unread is cut off, at once or some time later. */
void peers_check(struct peers *peers);

/* The user on the other side of @connection; -ENOENT: it isn't one of these. */
int peers_uid(const struct peers *peers, const sd_bus *connection, uid_t *ret);
