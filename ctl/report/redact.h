/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Names and addresses made unknown
 *
 * Each becomes its kind and a number, "<pod-3>", the same one wherever it stands, so that who reads
 * the report still sees what belongs together. Names have to be made known first; addresses, MACs,
 * UUIDs and long hexadecimal numbers are found by what they look like. What every node has stays:
 * loopback, the pods' next hops, the namespaces of every cluster. Pure.
 */
#include <json-c/json_object.h>

#include "base/cleanup.h"

enum redact_kind {
	REDACT_POD,
	REDACT_NAMESPACE,
	REDACT_UID,
	REDACT_CONTAINER,
	REDACT_NODE,
	REDACT_TEXT,
	REDACT_IPV4,
	REDACT_IPV6,
	REDACT_MAC,
	REDACT_ID,
	_REDACT_KIND_MAX,
};

struct redact;

struct redact *redact_new(void); /* NULL: out of memory */
struct redact *redact_free(struct redact *r);
DEFINE_CLEANUP(struct redact *, redact_free);

/* What @text is called from now on: borrowed, as long as @r lives. NULL: out of memory. */
const char *redact_name(struct redact *r, enum redact_kind kind, const char *text);

/* Copies with all of that replaced, keys of objects included; NULL: out of memory. */
char *redact_text(struct redact *r, const char *text);
struct json_object *redact_value(struct redact *r, struct json_object *v);
