/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What doctor found: for people, the worst first; for programs, in one document. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "doctor/doctor.h"
#include "json/jdec.h"
#include "view/json.h"
#include "view/paint.h"
#include "view/text.h"

static const char *result_name(enum severity worst)
{
	switch (worst) {
	case SEVERITY_OK:
		return "fine";
	case SEVERITY_UNKNOWN:
	case SEVERITY_WARNING:
		return "warnings";
	case SEVERITY_BROKEN:
	case _SEVERITY_MAX:
		break;
	}
	return "broken";
}

static struct json_object *encode(const struct finding *f)
{
	_cleanup_(json_object_putp) struct json_object *out = json_object_new_object();
	int r;

	r = jenc_string(out, "id", f->id);
	r |= jenc_string(out, "severity", severity_names[f->severity]);
	r |= jenc_string(out, "message", f->message);
	r |= jenc_string(out, "remedy", f->remedy);
	return r < 0 ? NULL : take_ptr(out);
}

static int print_json(const struct doctor *d, struct pw_error *err)
{
	_cleanup_(json_object_putp) struct json_object *out = json_object_new_object();
	_cleanup_(json_object_putp) struct json_object *list = json_object_new_array();
	const struct finding *f = d->findings.v;
	int r = 0;

	for (size_t i = 0; i < d->findings.n; i++) {
		if (f[i].severity != SEVERITY_OK || d->options.verbose)
			r |= jenc_append(list, encode(&f[i]));
	}
	r |= jenc_add(out, "findings", take_ptr(list));
	r |= jenc_string(out, "result", result_name(doctor_result(d)));
	return r < 0 ? pw_oom(err) : json_print(take_ptr(out), stdout, err);
}

#define INDENT 8
#define NARROWEST 40

/* At words' ends, where the terminal has an end; what is longer than a line stays whole. */
static void print_wrapped(const char *text, unsigned int columns, const char *first)
{
	size_t width = columns > NARROWEST ? columns - INDENT - strlen(first) : SIZE_MAX / 2;
	const char *lead = first;

	while (*text) {
		size_t used, fits = text_fit(text, width, &used);
		size_t len = strlen(text);

		if (fits < len) {
			len = fits;
			while (len > 0 && text[len] != ' ')
				len--;
			if (len == 0)
				len = fits + strcspn(text + fits, " ");
		}
		(void)printf("%*s%s%.*s\n", INDENT, "", lead, (int)len, text);
		lead = *first ? "   " : "";
		text += len;
		text += strspn(text, " ");
	}
}

static void print_finding(const struct finding *f, const struct look *look)
{
	static const enum paint paints[] = {
		[SEVERITY_OK] = PAINT_GOOD,
		[SEVERITY_UNKNOWN] = PAINT_WARNING,
		[SEVERITY_WARNING] = PAINT_WARNING,
		[SEVERITY_BROKEN] = PAINT_BAD,
	};
	char name[INDENT + 1];

	(void)snprintf(name, sizeof(name), "%-*s", INDENT, severity_names[f->severity]);
	paint_text(stdout, look, paints[f->severity], name);
	paint_text(stdout, look, PAINT_TITLE, f->id);
	(void)printf("\n");
	print_wrapped(f->message, look->columns, "");
	print_wrapped(f->remedy, look->columns, "-> ");
}

static void print_text(const struct doctor *d)
{
	const struct finding *f = d->findings.v;
	const struct look look = look_of(d->options.ctl);
	size_t n[_SEVERITY_MAX] = {};

	for (int s = SEVERITY_BROKEN; s >= SEVERITY_OK; s--) {
		for (size_t i = 0; i < d->findings.n; i++) {
			if (f[i].severity != (enum severity)s)
				continue;
			n[s]++;
			if (s != SEVERITY_OK || d->options.verbose)
				print_finding(&f[i], &look);
		}
	}
	(void)printf("%s: %zu broken, %zu warnings, %zu unknown, %zu ok\n",
		     result_name(doctor_result(d)), n[SEVERITY_BROKEN], n[SEVERITY_WARNING],
		     n[SEVERITY_UNKNOWN], n[SEVERITY_OK]);
}

int doctor_print(const struct doctor *d, struct pw_error *err)
{
	if (d->options.ctl->json)
		return print_json(d, err);
	print_text(d);
	return 0;
}
