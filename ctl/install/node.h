/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A node's directories while something is changed in them: open, and locked against our own kind.
 */
#include "install/places.h"

struct pw_error;

struct node {
	int rootfd;
	int bin_fd, conf_fd; /* -EBADF: not there */
	struct places places;
};

#define NODE_NONE ((struct node){ .rootfd = -EBADF, .bin_fd = -EBADF, .conf_fd = -EBADF })

/* Finds and opens them below @root; see places_find(). Creates nothing. */
int node_open(const char *root, const char *bin_dir, const char *conf_dir, struct node *ret,
	      struct pw_error *err);
/* Makes the directory of networks where there's none. */
int node_create_conf_dir(struct node *n, struct pw_error *err);
void node_done(struct node *n);
