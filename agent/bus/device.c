/* SPDX-License-Identifier: GPL-2.0-or-later */
/* org.podwire1.Device: an uplink, by which the node reaches the others. */
#include "bus/objects.h"
#include "bus/paths.h"

#define TELLS SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE

static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Name", "s", NULL, VIEW(ifname), TELLS),
	SD_BUS_PROPERTY("IfIndex", "i", NULL, VIEW(ifindex), TELLS),
	SD_BUS_PROPERTY("Driver", "s", NULL, VIEW(driver), TELLS),
	SD_BUS_PROPERTY("Kind", "s", NULL, VIEW(kind), TELLS),
	SD_BUS_PROPERTY("State", "s", NULL, VIEW(state), TELLS),
	SD_BUS_PROPERTY("Path", "s", NULL, VIEW(path), TELLS),
	SD_BUS_PROPERTY("PathReason", "s", NULL, VIEW(path_reason), TELLS),
	SD_BUS_PROPERTY("PathDetail", "s", NULL, VIEW(path_detail), TELLS),
	SD_BUS_PROPERTY("CanTakeFrames", "b", NULL, VIEW(can_take_frames), TELLS),
	SD_BUS_METHOD_WITH_ARGS("GetStatistics", SD_BUS_NO_ARGS, SD_BUS_RESULT("a{st}", statistics),
				object_get_statistics, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};

const struct object_kind device_kind = {
	.prefix = BUS_ROOT "/device",
	.interface = BUS_NAME ".Device",
	.vtable = vtable,
	.path = path_of_device,
	.look = view_of_device,
};
