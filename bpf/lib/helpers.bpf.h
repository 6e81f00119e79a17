/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * libbpf's headers for programs want the kernel's types before them: in this order, in one place.
 */
/* clang-format off */
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>
/* clang-format on */
