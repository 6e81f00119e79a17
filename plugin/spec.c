/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *const spec_names[_SPEC_MAX] = {
	[SPEC_0_1_0] = "0.1.0", [SPEC_0_2_0] = "0.2.0", [SPEC_0_3_0] = "0.3.0",
	[SPEC_0_3_1] = "0.3.1", [SPEC_0_4_0] = "0.4.0", [SPEC_1_0_0] = "1.0.0",
	[SPEC_1_1_0] = "1.1.0",
};

int spec_parse(const char *text, enum spec *ret)
{
	for (enum spec s = 0; s < _SPEC_MAX; s++) {
		if (strcmp(spec_names[s], text) == 0) {
			*ret = s;
			return 0;
		}
	}
	return -EINVAL;
}

const char *spec_list(char *buf, size_t size)
{
	size_t n = 0;

	for (enum spec s = 0; s < _SPEC_MAX && n < size; s++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", s ? ", " : "", spec_names[s]);
	return buf;
}
