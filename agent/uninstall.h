/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What `podwired --uninstall` does. */
#include "log.h"
#include "options.h"

/*
 * Takes all programs off, unpins all maps, of every layout. The sysctls get their old values back
 * once no pod needs them any more: while there are pods, they stay, and that is said.
 */
int uninstall(const struct options_line *options, const struct log *log, struct pw_error *err);
