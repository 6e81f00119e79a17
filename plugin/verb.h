/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A call of a runtime, read; and the verbs that answer it. */
#include <stdio.h>

#include "netconf.h"
#include "request.h"

struct call {
	struct request req;
	struct netconf conf;
	const char *text; /* the config as it came */
	size_t len;
	FILE *log;   /* debug lines; NULL: none */
	FILE *notes; /* what an operator should see of a call that succeeds */
};

/* @ret: what goes to stdout, the caller's; stays NULL where a verb prints nothing. */
typedef int (*verb_fn)(struct call *call, struct json_object **ret, struct pw_error *err);

int verb_add(struct call *call, struct json_object **ret, struct pw_error *err);
int verb_del(struct call *call, struct json_object **ret, struct pw_error *err);
int verb_check(struct call *call, struct json_object **ret, struct pw_error *err);
int verb_gc(struct call *call, struct json_object **ret, struct pw_error *err);
int verb_status(struct call *call, struct json_object **ret, struct pw_error *err);
