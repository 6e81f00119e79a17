/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/client.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "client/connect.h"

#define HINT "see: systemctl status podwired"

struct client {
	sd_bus *bus;
	char *agent; /* its unique name; NULL: it is the other end */
	char *via;
};

struct client *client_free(struct client *client)
{
	if (client) {
		/* without a flush, which an agent that hangs would never end */
		sd_bus_close_unref(client->bus);
		free(client->agent);
		free(client->via);
		free(client);
	}
	return NULL;
}

const char *client_via(const struct client *client)
{
	return client->via;
}

/* Whether there is nobody, as opposed to somebody who can't be talked to. */
static bool is_nobody(const struct pw_error *why)
{
	return why->errnum == ENOTCONN || why->errnum == ENOENT || why->errnum == ECONNREFUSED;
}

static const char *what_is_wrong(bool nobody)
{
	return nobody ? "the agent isn't running" : "the agent can't be reached";
}

static int open_named(const char *address, struct client *client, struct pw_error *err)
{
	struct pw_error why = {};

	if (connect_bus(address, &client->bus, &client->agent, &why) < 0)
		return pw_fail(err, ENOTCONN, PW_E_IO, "%s: on %.200s: %s (%s)",
			       what_is_wrong(is_nobody(&why)), address, why.msg, HINT);
	client->via = strdup(address);
	return client->via ? 0 : pw_oom(err);
}

/* Both reasons are told: which of the two ways is the node's we don't know. */
static int open_default(const char *runtime_dir, struct client *client, struct pw_error *err)
{
	struct pw_error on_bus = {}, on_socket = {};
	char path[256];

	if (connect_bus(NULL, &client->bus, &client->agent, &on_bus) == 0) {
		client->via = strdup("the system bus");
		return client->via ? 0 : pw_oom(err);
	}
	/* too long for a socket before it is too long for this */
	(void)snprintf(path, sizeof(path), "%s/agent.sock", runtime_dir);
	if (connect_socket(path, &client->bus, &on_socket) == 0) {
		client->via = strdup(path);
		return client->via ? 0 : pw_oom(err);
	}
	return pw_fail(err, ENOTCONN, PW_E_IO, "%s: on the system bus: %s; %.120s: %s (%s)",
		       what_is_wrong(is_nobody(&on_bus) && is_nobody(&on_socket)), on_bus.msg, path,
		       on_socket.msg, HINT);
}

int client_open(const struct ctl *ctl, struct client **ret, struct pw_error *err)
{
	_cleanup_(client_freep) struct client *client = calloc(1, sizeof(*client));
	int r;

	if (!client)
		return pw_oom(err);
	r = ctl->bus ? open_named(ctl->bus, client, err)
		     : open_default(ctl->runtime_dir, client, err);
	if (r < 0)
		return r;
	*ret = take_ptr(client);
	return 0;
}

static const struct {
	const char *name;
	int errnum;
	enum pw_code code;
	const char *instead; /* of the error's own words */
} errors[] = {
	{ AGENT_NAME ".Error.NoSuchAttachment", ENOENT, PW_E_CONTAINER, NULL },
	{ AGENT_NAME ".Error.Ambiguous", ENOTUNIQ, PW_E_CONTAINER, NULL },
	{ AGENT_NAME ".Error.InvalidConfig", EINVAL, PW_E_CONFIG, NULL },
	{ SD_BUS_ERROR_ACCESS_DENIED, EACCES, PW_E_IO, NULL },
	{ SD_BUS_ERROR_UNKNOWN_METHOD, EOPNOTSUPP, PW_E_IO, NULL },
	{ SD_BUS_ERROR_UNKNOWN_INTERFACE, EOPNOTSUPP, PW_E_IO, NULL },
	{ SD_BUS_ERROR_UNKNOWN_PROPERTY, EOPNOTSUPP, PW_E_IO, NULL },
	{ SD_BUS_ERROR_UNKNOWN_OBJECT, ENOENT, PW_E_CONTAINER, NULL },
	{ SD_BUS_ERROR_TIMEOUT, ENOTCONN, PW_E_IO, "the agent doesn't answer" },
	{ SD_BUS_ERROR_SERVICE_UNKNOWN, ENOTCONN, PW_E_IO, "the agent has just ended" },
	{ SD_BUS_ERROR_NAME_HAS_NO_OWNER, ENOTCONN, PW_E_IO, "the agent has just ended" },
	{ SD_BUS_ERROR_NO_REPLY, ENOTCONN, PW_E_IO, "the agent has just ended" },
	{ SD_BUS_ERROR_DISCONNECTED, ENOTCONN, PW_E_IO, "the agent has just ended" },
};

/* What sd-bus itself says for a call that got no answer. */
static int failed_call(int r, const char *method, struct pw_error *err)
{
	switch (-r) {
	case ETIMEDOUT:
		return pw_fail(err, ENOTCONN, PW_E_IO,
			       "the agent doesn't answer: %s has taken %d seconds (%s)", method,
			       CONNECT_PATIENCE_SECONDS, HINT);
	case ENOTCONN:
	case ECONNRESET:
	case EPIPE:
		return pw_fail(err, ENOTCONN, PW_E_IO, "the agent has just ended (%s)", HINT);
	default:
		return pw_fail(err, -r, PW_E_IO, "%s: %m", method);
	}
}

static int answered_with(const sd_bus_error *error, int r, const char *method, struct pw_error *err)
{
	const char *words = error->message ? error->message : "";

	if (r == -ETIMEDOUT || !sd_bus_error_is_set(error))
		return failed_call(r, method, err);
	for (size_t i = 0; i < ARRAY_COUNT(errors); i++) {
		if (strcmp(error->name, errors[i].name) != 0)
			continue;
		if (errors[i].instead)
			return pw_fail(err, errors[i].errnum, errors[i].code, "%s (%s)",
				       errors[i].instead, HINT);
		return pw_fail(err, errors[i].errnum, errors[i].code, "%s", words);
	}
	return pw_fail(err, EIO, PW_E_IO, "%s: %s: %s", method, error->name, words);
}

int client_call(struct client *client, const char *path, const char *interface, const char *method,
		sd_bus_message **ret_answer, struct pw_error *err, const char *types, ...)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL;
	va_list ap;
	int r = sd_bus_message_new_method_call(client->bus, &m, client->agent, path, interface,
					       method);

	if (r >= 0)
		r = sd_bus_message_set_auto_start(m, 0);
	if (r >= 0 && types) {
		va_start(ap, types);
		r = sd_bus_message_appendv(m, types, ap);
		va_end(ap);
	}
	if (r >= 0)
		r = sd_bus_call(client->bus, m, 0, &error, ret_answer);
	return r < 0 ? answered_with(&error, r, method, err) : 0;
}

int client_manager(struct client *client, struct agent_manager *ret, struct pw_error *err)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *answer = NULL;
	int r = client_call(client, AGENT_ROOT, "org.freedesktop.DBus.Properties", "GetAll",
			    &answer, err, "s", AGENT_MANAGER);

	return r < 0 ? r : agent_manager_read(answer, ret, err);
}

int client_objects(struct client *client, struct agent_objects *ret, struct pw_error *err)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *answer = NULL;
	int r = client_call(client, AGENT_ROOT, "org.freedesktop.DBus.ObjectManager",
			    "GetManagedObjects", &answer, err, NULL);

	return r < 0 ? r : agent_objects_read(answer, AGENT_OBJECTS_MAX, ret, err);
}

int client_cpus(struct client *client, struct array *ret, struct pw_error *err)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *answer = NULL;
	int r = client_call(client, AGENT_ROOT, AGENT_MANAGER, "ListCpus", &answer, err, NULL);

	if (r == -EOPNOTSUPP)
		return pw_fail(err, -r, PW_E_IO,
			       "this agent doesn't tell of its CPUs: it is older");
	return r < 0 ? r : agent_cpus_read(answer, ret, err);
}

int client_find(struct client *client, const char *name, char **ret_path, struct pw_error *err)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *answer = NULL;
	const char *path;
	int r;

	/* which the bus won't take for a text */
	if (!utf8_is_valid(name))
		return pw_fail(err, ENOENT, PW_E_CONTAINER, "%.200s: there is no such attachment",
			       name);
	r = client_call(client, AGENT_ROOT, AGENT_MANAGER, "GetAttachment", &answer, err, "s",
			name);
	if (r < 0)
		return r;
	r = sd_bus_message_read_basic(answer, 'o', &path);
	if (r < 0)
		return pw_fail(err, EBADMSG, PW_E_DECODE,
			       "the agent's answer to GetAttachment isn't one: %m");
	*ret_path = strdup(path);
	return *ret_path ? 0 : pw_oom(err);
}

int client_attachment(struct client *client, const char *path, struct agent_objects *ret,
		      struct pw_error *err)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *answer = NULL;
	int r = client_call(client, path, "org.freedesktop.DBus.Properties", "GetAll", &answer, err,
			    "s", AGENT_ATTACHMENT);

	return r < 0 ? r : agent_attachment_read(answer, path, ret, err);
}

int client_statistics(struct client *client, const char *path, const char *interface,
		      struct agent_statistics *ret, struct pw_error *err)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *answer = NULL;
	int r = client_call(client, path, interface, "GetStatistics", &answer, err, NULL);

	return r < 0 ? r : agent_statistics_read(answer, ret, err);
}
