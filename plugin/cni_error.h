/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* An error as CNI's error object, one line on @f. */
#include <stdio.h>

#include "spec.h"

struct pw_error;

void cni_error_print(FILE *f, enum spec spec, const struct pw_error *err);
