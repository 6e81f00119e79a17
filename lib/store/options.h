/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a network asks of the fast path, as it stands in the network config and, for the agent, in
 * the attachment's record.
 */
#include "json/jdec.h"

enum fast_path {
	FAST_PATH_AUTO,
	FAST_PATH_XDP,
	FAST_PATH_TC,
	FAST_PATH_OFF,
};
extern const char *const fast_path_names[]; /* NULL-terminated */

enum netfilter_mode {
	NETFILTER_RESPECT,
	NETFILTER_BYPASS,
};
extern const char *const netfilter_names[]; /* NULL-terminated */

#define QUEUES_MAX 64

struct options {
	enum fast_path fast_path;
	enum netfilter_mode netfilter;
	bool source_check;
	struct array allowed_sources; /* struct cidr */
	uint32_t queues;              /* 0: the kernel's default */
	uint32_t mtu;                 /* bytes; in a config 0: the default route's device */
};

#define OPTIONS_DEFAULT ((struct options){ .source_check = true })

int jdec_fast_path(struct json_object *v, const struct jdec_path *at, void *out /* fast_path */,
		   struct jdec_sink *sink);
/* Members fastPath, netfilter, sourceCheck, allowedSources, queues, mtu of @v; others ignored. */
int options_decode(struct json_object *v, const struct jdec_path *at, struct options *out,
		   struct jdec_sink *sink);
/* A new object, or NULL when out of memory. */
struct json_object *options_encode(const struct options *o);
void options_done(struct options *o);
