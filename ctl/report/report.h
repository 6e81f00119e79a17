/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The support bundle: one JSON object of what the node is like, made for somebody else to read
 *
 * Each part is there whatever becomes of the others; what could not be had, and what was left out
 * since there is too much of it, stands in "omitted". Functions that make an object return NULL
 * when out of memory.
 */
#include <json-c/json_object.h>
#include <stdbool.h>

#include "base/error.h"
#include "ctl.h"
#include "report/redact.h"

#define REPORT_LIST_MAX 500   /* attachments, records, links */
#define REPORT_FILE_MAX 65536 /* bytes of a configuration */

struct report {
	const char *config, *conf_dir, *state_dir;
	struct redact *redact; /* NULL: all is told as it is */
	struct json_object *omitted;
};

/* Says in the report that something isn't in it. */
void report_omit(struct report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* @text, or what it is called in this report. */
const char *report_name(struct report *r, enum redact_kind kind, const char *text);

/* The parts. */
struct json_object *report_host(struct report *r);
struct json_object *report_sysctls(struct report *r);
struct json_object *report_agent(struct report *r, const struct ctl *ctl);
struct json_object *report_records(struct report *r);
struct json_object *report_links(struct report *r);
struct json_object *report_files(struct report *r);

/* All of it. */
int report_make(struct report *r, const struct ctl *ctl, struct json_object **ret,
		struct pw_error *err);
