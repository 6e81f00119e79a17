/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Names that come from outside and end up in paths, links and messages. Pure. */
#include <stdbool.h>

/* A container id or network name: [a-zA-Z0-9][a-zA-Z0-9_.-]* (CNI specification). */
bool name_is_cni(const char *s);

/* What the kernel takes for a link: 1 to 15 bytes, no '/', ':' or white space, not "." or "..". */
bool name_is_ifname(const char *s);

/* A file name to be looked for in the plugin path: no '/', not "." or "..", not empty. */
bool name_is_plugin(const char *s);
