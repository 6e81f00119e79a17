/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/paint.h"

#include <string.h>

static const char *const paints[_PAINT_MAX] = {
	[PAINT_NONE] = "",         [PAINT_TITLE] = "\033[1m",
	[PAINT_GOOD] = "\033[32m", [PAINT_WARNING] = "\033[33m",
	[PAINT_BAD] = "\033[31m",
};

struct look look_of(const struct ctl *ctl)
{
	return (struct look){ .columns = ctl->columns, .color = ctl->color };
}

enum paint paint_of_state(const char *state)
{
	if (strcmp(state, "ready") == 0)
		return PAINT_GOOD;
	if (strcmp(state, "failed") == 0)
		return PAINT_BAD;
	return *state ? PAINT_WARNING : PAINT_NONE;
}

void paint_text(FILE *f, const struct look *look, enum paint paint, const char *text)
{
	bool color = look->color && paint != PAINT_NONE;

	(void)fprintf(f, "%s%s%s", color ? paints[paint] : "", text, color ? "\033[0m" : "");
}
