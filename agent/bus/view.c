/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus/view.h"

#include <errno.h>
#include <string.h>

#include "bus/paths.h"

void view_done(struct view *view)
{
	free(view->ifname);
	free(view->path_detail);
	free(view->namespace);
	free(view->name);
	free(view->uid);
	free(view->container_id);
	free(view->network);
	free(view->interface);
	for (char **one = view->addresses; one && *one; one++)
		free(*one);
	free(view->addresses);
	array_done(&view->ips);
	free(view->driver);
	free(view->kind);
	*view = (struct view){};
}

static char **copy_addresses(const struct array *addresses)
{
	const struct cidr *c = addresses->v;
	char **list = calloc(addresses->n + 1, sizeof(*list));

	for (size_t i = 0; list && i < addresses->n; i++) {
		list[i] = strdup(CIDR_STR(&c[i]));
		if (!list[i]) {
			while (i > 0)
				free(list[--i]);
			free(list);
			return NULL;
		}
	}
	return list;
}

static int copy_ips(const struct array *addresses, struct array *ips)
{
	const struct cidr *c = addresses->v;

	for (size_t i = 0; i < addresses->n; i++) {
		struct ipaddr *to = array_grow(ips, sizeof(*to), 1);

		if (!to)
			return -ENOMEM;
		*to = c[i].ip;
	}
	return 0;
}

static int fill_port(const struct port *port, struct view *view)
{
	view->ifindex = port->ifindex;
	view->state = port_state_name(port->state);
	view->path = port_path_name(port->path);
	view->path_reason = port_reason_name(port->reason);
	view->ifname = bus_text(port->ifname);
	view->path_detail = bus_text(port->detail);
	return view->ifname && view->path_detail ? 0 : -ENOMEM;
}

static int fill_attachment(const struct port *port, struct view *view)
{
	const struct record *rec = &port->record;

	view->source_check = source_check_name(port->source_check);
	view->namespace = bus_text(rec->pod_namespace);
	view->name = bus_text(rec->pod_name);
	view->uid = bus_text(rec->pod_uid);
	view->container_id = bus_text(rec->id.container_id);
	view->network = bus_text(rec->id.network);
	view->interface = bus_text(rec->id.ifname);
	view->addresses = copy_addresses(&rec->addresses);
	if (!view->namespace || !view->name || !view->uid || !view->container_id ||
	    !view->network || !view->interface || !view->addresses ||
	    copy_ips(&rec->addresses, &view->ips) < 0)
		return -ENOMEM;
	return fill_port(port, view);
}

static int fill_device(const struct port *port, struct view *view)
{
	view->driver = bus_text(port->driver);
	view->kind = bus_text(port->kind_name);
	view->can_take_frames = port->can_take_frames;
	if (!view->driver || !view->kind)
		return -ENOMEM;
	return fill_port(port, view);
}

static int look(const struct port *port, int (*fill)(const struct port *, struct view *),
		struct view *ret)
{
	struct view view = {};

	if (fill(port, &view) < 0) {
		view_done(&view);
		return -ENOMEM;
	}
	*ret = view;
	return 0;
}

int view_of_attachment(const struct port *port, struct view *ret)
{
	return look(port, fill_attachment, ret);
}

int view_of_device(const struct port *port, struct view *ret)
{
	return look(port, fill_device, ret);
}
