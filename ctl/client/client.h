/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The connection to the node's agent
 *
 * It is on the bus that was named; without one, on the system bus, or else on its own socket, where
 * it serves the same objects. Nothing here starts an agent. On the system bus and the socket it
 * must be root's, or our own user's, so that nobody passes for it.
 *
 * Every call ends within a few seconds. -ENOTCONN is an agent that isn't there, that can't be
 * reached or that doesn't answer: the message says which.
 */
#include "base/cleanup.h"
#include "base/error.h"
#include "client/agent.h"
#include "ctl.h"

struct client;

int client_open(const struct ctl *ctl, struct client **ret, struct pw_error *err);
struct client *client_free(struct client *client);
DEFINE_CLEANUP(struct client *, client_free);

/* Where it was found: "the system bus", an address, a socket's path. */
const char *client_via(const struct client *client);

int client_manager(struct client *client, struct agent_manager *ret, struct pw_error *err);
int client_objects(struct client *client, struct agent_objects *ret, struct pw_error *err);

/* Of struct agent_cpu; -EOPNOTSUPP: this agent doesn't tell. */
int client_cpus(struct client *client, struct array *ret, struct pw_error *err);

/*
 * The path of the attachment that @name is a name of, as org.podwire1.Manager.GetAttachment has it;
 * to be freed. With PW_E_CONTAINER: -ENOENT, there is none; -ENOTUNIQ, there are several.
 */
int client_find(struct client *client, const char *name, char **ret_path, struct pw_error *err);

/* The one at @path, which is borrowed. -ENOENT with PW_E_CONTAINER: it is gone. */
int client_attachment(struct client *client, const char *path, struct agent_objects *ret,
		      struct pw_error *err);

/* Of an attachment or a device: @interface is AGENT_ATTACHMENT or AGENT_DEVICE. */
int client_statistics(struct client *client, const char *path, const char *interface,
		      struct agent_statistics *ret, struct pw_error *err);

/*
 * Any other call; @types and what follows are as of sd_bus_message_append(), NULL: no arguments.
 * What the agent answers with an error: as of client_find(), -EACCES, -EOPNOTSUPP for a method that
 * this agent hasn't, -ENOENT for an object that is gone, else -EIO.
 */
int client_call(struct client *client, const char *path, const char *interface, const char *method,
		sd_bus_message **ret_answer, struct pw_error *err, const char *types, ...);
