/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A node that has pods forwards. Where it doesn't yet, forwarding is switched on, of a family
 * that pods use; the old values go into RUNTIME_DIR/sysctl.lock, the lock of this change, where
 * uninstalling finds them.
 */
#include <stdbool.h>

struct nlsock;
struct pw_error;

/* @runtime_fd: RUNTIME_DIR, open. */
int forwarding_ensure(struct nlsock *host, int runtime_fd, const bool family[2],
		      struct pw_error *err);
/* 1 if it is on for each of the families, 0 if not. */
int forwarding_is_on(struct nlsock *host, const bool family[2], struct pw_error *err);
