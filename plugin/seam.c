/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "seam.h"

int seam(const char *step, enum seam_when when, struct pw_error *err)
{
	(void)step;
	(void)when;
	(void)err;
	return 0;
}
