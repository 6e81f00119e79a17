/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A file of a runtime's directory of networks, as far as it says what is needed. Pure. */
#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/error.h"

#define NETWORK_PLUGINS_MAX 64

struct network_plugin {
	char name[256]; /* of a file in the directory of plugins */
	bool ipam;
};

struct network {
	bool ours;        /* podwire is a plugin of it, or what one delegates to */
	bool by_delegate; /* ... the latter alone */
	bool flannel, multus;
	bool requires_agent;
	struct array plugins; /* struct network_plugin: what it needs, each once */
};

/* -EINVAL with a message: it isn't a network. */
int network_parse(const char *text, size_t len, const char *what, struct network *ret,
		  struct pw_error *err);
void network_done(struct network *n);
