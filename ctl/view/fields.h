/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * "Label: value" lines, the labels flush right as systemctl has them
 *
 * Where there's a width, values go on in further lines, broken at blanks; nothing is cut.
 */
#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"
#include "view/paint.h"

struct fields {
	struct array lines;
	bool failed; /* out of memory on the way */
};

/* An empty value is "-", and NULL one that there was no memory for. */
void fields_add(struct fields *fields, const char *label, enum paint paint, const char *value);
void fields_addf(struct fields *fields, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* 0 or -ENOMEM. */
int fields_print(const struct fields *fields, const struct look *look, FILE *f);
void fields_done(struct fields *fields);
