/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What every C test includes first: cmocka wants these four headers before its own, in this order.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */

#define TEST_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Exit status that ctest takes for "skipped"; say why on stdout before using it. */
#define TEST_SKIP 77
