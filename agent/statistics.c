/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics.h"

int statistics_each(struct datapath *dp, const struct port *port,
		    void (*each)(const char *name, uint64_t value, void *arg), void *arg,
		    struct pw_error *err)
{
	static const char *const names[PW_DIRECTIONS][4] = {
		[PW_IN] = { "in-packets", "in-bytes", "in-spoofed", "in-unparsed" },
		[PW_OUT] = { "out-packets", "out-bytes", "out-spoofed", "out-unparsed" },
	};
	struct pw_count count;
	int r;

	for (unsigned int d = 0; d < PW_DIRECTIONS && port->slot; d++) {
		r = datapath_count(dp, port->slot, d, &count, err);
		if (r < 0)
			return r;
		each(names[d][0], count.packets, arg);
		each(names[d][1], count.bytes, arg);
		each(names[d][2], count.spoofed, arg);
		each(names[d][3], count.unparsed, arg);
	}
	return 0;
}
