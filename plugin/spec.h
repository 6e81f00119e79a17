/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The versions of the CNI specification that we speak, in order. */
#include <stdbool.h>
#include <stddef.h>

enum spec {
	SPEC_0_1_0,
	SPEC_0_2_0,
	SPEC_0_3_0,
	SPEC_0_3_1,
	SPEC_0_4_0,
	SPEC_1_0_0,
	SPEC_1_1_0,
	_SPEC_MAX,
};

#define SPEC_NEWEST SPEC_1_1_0
#define SPEC_ABSENT SPEC_0_2_0 /* of a config that names none */

extern const char *const spec_names[_SPEC_MAX];

/* 0, or -EINVAL where it isn't one of ours. */
int spec_parse(const char *text, enum spec *ret);

/* All of them, "0.1.0, 0.2.0, ...". */
const char *spec_list(char *buf, size_t size);
