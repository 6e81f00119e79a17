/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The network list that podwirectl install writes, and how it is told from others. Pure. */
#include <json-c/json_object.h>
#include <stdbool.h>
#include <stddef.h>

#include "net/ipaddr.h"

struct pw_error;

#define CONFLIST_NAME "10-podwire.conflist"
#define CONFLIST_MAX (1u << 20) /* bytes */
#define CONFLIST_PODS_MAX 2     /* prefixes, one a family */

/* The text of such a list for a node whose pods have these prefixes; to be freed. NULL: no memory.
 */
char *conflist_render(const struct cidr *pods, size_t n);

/* Takes an operator's word for such a prefix: no host bits, and room for pods in it. */
int conflist_parse_pods(const char *text, struct cidr *ret, struct pw_error *err);

enum conflist_kind {
	CONFLIST_FOREIGN, /* no plugin in it is ours, or it is no JSON */
	CONFLIST_CHANGED, /* ours, and not as we would have written it */
	CONFLIST_OURS,    /* as we write them, for whatever prefixes */
};
enum conflist_kind conflist_judge(const char *text, size_t len);

/* Whether an object in @v, however deep, has @type for its "type". */
bool conflist_names(struct json_object *v, const char *type);

/*
 * Calls @each for every plugin that @v, a list, has its runtime look for: plugins[].type, and each
 * ipam.type. A negative return ends it and is passed on.
 */
typedef int (*conflist_type_t)(const char *type, void *arg);
int conflist_types(struct json_object *v, conflist_type_t each, void *arg);

/* Whether a runtime takes a file of that name for a network's configuration. */
bool conflist_is_name(const char *name);
