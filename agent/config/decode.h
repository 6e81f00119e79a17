/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* One text of the configuration. Knows no files. */
#include <stddef.h>

#include "base/error.h"
#include "config/config.h"

#define CONFIG_DEFAULT ((struct config){ .cpu_queue = 2048, .netlink_buffer = 4u << 20 })

/* Takes findings, and keeps the first of them. */
struct findings {
	config_finding_t each; /* may be NULL */
	void *arg;
	struct pw_error first;
};

/* Adds one, with errno EINVAL, and returns -EINVAL. */
int findings_add(struct findings *f, enum pw_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Decodes @text over what @c holds: what it has a value for is replaced. @len bytes, and a NUL
 * behind them; @file names it in findings. Returns -EINVAL after at least one finding, with @c
 * partly replaced, or -ENOMEM, which is in findings.first then.
 */
int config_decode(const char *text, size_t len, const char *file, struct config *c,
		  struct findings *f);
