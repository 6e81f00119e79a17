/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus/errors.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "bus/paths.h"

static const char *const names[_BUS_FAULT_MAX] = {
	[BUS_NO_SUCH_ATTACHMENT] = "org.podwire1.Error.NoSuchAttachment",
	[BUS_AMBIGUOUS] = "org.podwire1.Error.Ambiguous",
	[BUS_INVALID_ARGUMENT] = "org.podwire1.Error.InvalidArgument",
	[BUS_CONFIG] = "org.podwire1.Error.InvalidConfig",
	[BUS_FAILED] = "org.podwire1.Error.Failed",
};

const char *bus_fault_name(enum bus_fault fault)
{
	return names[fault];
}

int bus_error(sd_bus_error *ret, enum bus_fault fault, const struct pw_error *err)
{
	_cleanup_(freep) char *text = bus_text(err->msg);

	if (!text)
		return -ENOMEM;
	return sd_bus_error_set(ret, names[fault], text);
}

int bus_error_from(sd_bus_error *ret, const struct pw_error *err)
{
	bool config = err->code == PW_E_CONFIG || err->code == PW_E_DECODE;

	if (err->errnum == ENOMEM)
		return -ENOMEM;    /* which sd-bus has a name for */
	if (err->code == PW_E_ENV) /* what was asked for is malformed */
		return bus_error(ret, BUS_INVALID_ARGUMENT, err);
	return bus_error(ret, config ? BUS_CONFIG : BUS_FAILED, err);
}
