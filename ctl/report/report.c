/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "json/jdec.h"
#include "json/jenc.h"

void report_omit(struct report *r, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)jenc_append(r->omitted, json_object_new_string(text));
}

const char *report_name(struct report *r, enum redact_kind kind, const char *text)
{
	const char *name = r->redact ? redact_name(r->redact, kind, text) : text;

	return name ? name : "";
}

/* Takes @v. What says nothing of anybody, as versions do, goes in as it is. */
static int add(struct report *r, struct json_object *to, const char *key, struct json_object *v,
	       bool plain)
{
	struct json_object *out = v;

	if (v && r->redact && !plain) {
		out = redact_value(r->redact, v);
		json_object_put(v);
	}
	return jenc_add(to, key, out);
}

static void know_node(struct report *r)
{
	struct utsname u;

	if (r->redact && uname(&u) == 0)
		(void)redact_name(r->redact, REDACT_NODE, u.nodename);
}

int report_make(struct report *r, const struct ctl *ctl, struct json_object **ret,
		struct pw_error *err)
{
	_cleanup_(json_object_putp) struct json_object *v = json_object_new_object();
	int result = 0;

	r->omitted = json_object_new_array();
	know_node(r);
	result |= jenc_int(v, "report", 1);
	result |= jenc_string(v, "podwirectl", PW_VERSION);
	result |= jenc_bool(v, "redacted", r->redact);
	result |= add(r, v, "host", report_host(r), true);
	/* these two bring the pods' names, which the others may mention */
	result |= add(r, v, "agent", report_agent(r, ctl), false);
	result |= add(r, v, "records", report_records(r), false);
	result |= add(r, v, "links", report_links(r), false);
	result |= add(r, v, "sysctls", report_sysctls(r), false);
	result |= add(r, v, "files", report_files(r), false);
	report_omit(r, "logs, packets, filters of links, and what podwirectl doctor finds");
	result |= add(r, v, "omitted", r->omitted, false);
	r->omitted = NULL;
	if (result < 0)
		return pw_oom(err);
	*ret = v;
	v = NULL;
	return 0;
}
