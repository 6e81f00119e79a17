/* SPDX-License-Identifier: GPL-2.0-or-later */
/* org.podwire1.Attachment: a pod's interface, by its host end. */
#include "bus/objects.h"
#include "bus/paths.h"

#define TELLS SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE

static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Namespace", "s", NULL, VIEW(namespace), TELLS),
	SD_BUS_PROPERTY("Name", "s", NULL, VIEW(name), TELLS),
	SD_BUS_PROPERTY("Uid", "s", NULL, VIEW(uid), TELLS),
	SD_BUS_PROPERTY("ContainerId", "s", NULL, VIEW(container_id), TELLS),
	SD_BUS_PROPERTY("Network", "s", NULL, VIEW(network), TELLS),
	SD_BUS_PROPERTY("Interface", "s", NULL, VIEW(interface), TELLS),
	SD_BUS_PROPERTY("HostInterface", "s", NULL, VIEW(ifname), TELLS),
	SD_BUS_PROPERTY("IfIndex", "i", NULL, VIEW(ifindex), TELLS),
	SD_BUS_PROPERTY("Addresses", "as", NULL, VIEW(addresses), TELLS),
	SD_BUS_PROPERTY("State", "s", NULL, VIEW(state), TELLS),
	SD_BUS_PROPERTY("Path", "s", NULL, VIEW(path), TELLS),
	SD_BUS_PROPERTY("PathReason", "s", NULL, VIEW(path_reason), TELLS),
	SD_BUS_PROPERTY("PathDetail", "s", NULL, VIEW(path_detail), TELLS),
	SD_BUS_PROPERTY("SourceCheck", "s", NULL, VIEW(source_check), TELLS),
	SD_BUS_METHOD_WITH_ARGS("GetStatistics", SD_BUS_NO_ARGS, SD_BUS_RESULT("a{st}", statistics),
				object_get_statistics, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};

const struct object_kind attachment_kind = {
	.prefix = BUS_ROOT "/attachment",
	.interface = BUS_NAME ".Attachment",
	.vtable = vtable,
	.path = path_of_attachment,
	.look = view_of_attachment,
};
