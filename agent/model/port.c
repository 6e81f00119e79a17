/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/port.h"

const char *port_state_name(enum port_state state)
{
	static const char *const names[_PORT_STATE_MAX] = {
		[PORT_PENDING] = "pending",
		[PORT_READY] = "ready",
		[PORT_NO_RECORD] = "no-record",
		[PORT_FAILED] = "failed",
	};

	return names[state];
}

const char *port_path_name(enum port_path path)
{
	static const char *const names[_PORT_PATH_MAX] = {
		[PORT_PATH_KERNEL] = "kernel",
		[PORT_PATH_TC] = "tc",
		[PORT_PATH_XDP] = "xdp",
	};

	return names[path];
}

const char *port_reason_name(enum port_reason reason)
{
	static const char *const names[_PORT_REASON_MAX] = {
		[PORT_REASON_NONE] = "",           [PORT_REASON_RECORD] = "record",
		[PORT_REASON_SLOTS] = "slots",     [PORT_REASON_OFF] = "off",
		[PORT_REASON_FOREIGN] = "foreign", [PORT_REASON_DETACHED] = "detached",
		[PORT_REASON_KERNEL] = "kernel",   [PORT_REASON_LEARNING] = "learning",
	};

	return names[reason];
}

const char *source_check_name(enum source_check check)
{
	static const char *const names[_SOURCE_CHECK_MAX] = {
		[SOURCE_CHECK_NONE] = "none",
		[SOURCE_CHECK_KERNEL] = "kernel",
		[SOURCE_CHECK_BPF] = "bpf",
	};

	return names[check];
}

bool port_wants_source_check(const struct port *p)
{
	return p->kind == PW_PORT_POD && p->has_record && p->record.options.source_check &&
	       p->record.addresses.n > 0;
}
