/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * For clang-tidy's eyes only: what the functions that report an error promise, and what it can't
 * see from their prototypes. They return a negative number, so who returns what they returned has
 * failed.
 */
#include "base/error.h"

static inline int analyzer_negative(int r)
{
	if (r >= 0)
		__builtin_unreachable();
	return r;
}

#ifndef ANALYZER_DEFINES_THEM
#define pw_fail(...) analyzer_negative((pw_fail)(__VA_ARGS__))
#define pw_oom(err) analyzer_negative((pw_oom)(err))
#define pw_context(...) analyzer_negative((pw_context)(__VA_ARGS__))
#endif
