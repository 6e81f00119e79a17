/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Who may change something: root alone. */
#include <systemd/sd-bus.h>

struct bus;

/*
 * 0 where @m is from root, else fills @ret and returns what a method or a property's setter returns
 * then. @what is refused: "Reload".
 */
int caller_is_root(struct bus *bus, sd_bus_message *m, const char *what, sd_bus_error *ret);
