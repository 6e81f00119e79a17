/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Names on the bus: where objects are, and the texts that may stand there. Pure. */

#define BUS_NAME "org.podwire1"
#define BUS_ROOT "/org/podwire1"

/*
 * PREFIX/ID, to be freed; NULL when out of memory. The ID is the host end's name without "vethpw",
 * or for another device its whole name; what a path may not hold is escaped as
 * sd_bus_path_encode() does it.
 */
char *path_of_attachment(const char *prefix, const char *host_ifname);
char *path_of_device(const char *prefix, const char *ifname);

/*
 * A copy of @s (NULL: "") that every bus and client takes for a string: what isn't UTF-8 is '?',
 * and so is each of Unicode's noncharacters, which sd-bus refuses. To be freed; NULL when out of
 * memory.
 */
char *bus_text(const char *s);
