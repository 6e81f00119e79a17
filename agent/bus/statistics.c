/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GetStatistics: the counters of a port, read when asked for. */
#include <string.h>

#include "bus/errors.h"
#include "bus/server.h"

struct answer {
	sd_bus_message *message;
	int r; /* of what was appended so far */
};

static void append(const char *name, uint64_t value, void *arg)
{
	struct answer *answer = arg;

	if (answer->r >= 0)
		answer->r = sd_bus_message_append(answer->message, "{st}", name, value);
}

int object_get_statistics(sd_bus_message *m, void *userdata, sd_bus_error *ret_error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const struct object *object = userdata;
	const struct bus *bus = object->bus;
	const struct port *port = model_find(bus->model, object->ifname);
	struct pw_error err = {};
	struct answer answer;
	int r;

	/* between the port's end and bus_flush(): as after it */
	if (!port || port->gone)
		return sd_bus_error_setf(ret_error, SD_BUS_ERROR_UNKNOWN_OBJECT,
					 "Unknown object '%s'.", object->path);
	r = sd_bus_message_new_method_return(m, &reply);
	if (r < 0)
		return r;
	r = sd_bus_message_open_container(reply, 'a', "{st}");
	if (r < 0)
		return r;
	answer = (struct answer){ .message = reply };
	if (bus->ops.statistics(port, append, &answer, bus->userdata, &err) < 0)
		return bus_error_from(ret_error, &err);
	if (answer.r < 0)
		return answer.r;
	r = sd_bus_message_close_container(reply);
	if (r < 0)
		return r;
	return sd_bus_message_send(reply);
}
