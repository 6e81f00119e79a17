/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
#include <stdbool.h>

struct doctor;

/*
 * Whether the kernel has a module, loaded or built in, without asking for it. A built-in one is
 * known by a function or type of that name. check_kernel() comes first.
 */
bool kernel_has(const struct doctor *d, const char *module, const char *symbol);
