/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Colour, and how much room there is. What each colour means is the same in all commands. */
#include <stdbool.h>
#include <stdio.h>

#include "ctl.h"

enum paint {
	PAINT_NONE,
	PAINT_TITLE,
	PAINT_GOOD,
	PAINT_WARNING,
	PAINT_BAD,
	_PAINT_MAX,
};

/* How text is to look. */
struct look {
	unsigned int columns; /* 0: as wide as it gets */
	bool color;
};

struct look look_of(const struct ctl *ctl);

/* A state of an attachment or a device, by its name. */
enum paint paint_of_state(const char *state);

/* @text as it is: clean it before. */
void paint_text(FILE *f, const struct look *look, enum paint paint, const char *text);
