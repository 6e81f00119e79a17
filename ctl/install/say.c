/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "install/say.h"

#include <stdarg.h>
#include <stdio.h>

#include "json/jenc.h"

void say_done(struct say *say)
{
	json_object_put(say->steps);
	say->steps = NULL;
}

static void add(struct say *say, const char *what, const char *path, const char *done,
		const char *detail)
{
	struct json_object *step = json_object_new_object();
	int r = 0;

	if (!say->steps)
		say->steps = json_object_new_array();
	r |= jenc_string(step, "what", what);
	r |= jenc_string(step, "path", path);
	r |= jenc_string(step, "done", done);
	r |= jenc_string_opt(step, "detail", detail);
	if (r < 0)
		json_object_put(step);
	else
		(void)jenc_append(say->steps, step);
}

void say(struct say *say, const char *what, const char *path, const char *done, const char *fmt,
	 ...)
{
	char detail[512] = "";
	va_list ap;

	if (fmt) {
		va_start(ap, fmt);
		(void)vsnprintf(detail, sizeof(detail), fmt, ap);
		va_end(ap);
	}
	if (say->json)
		add(say, what, path, done, detail);
	else
		(void)printf("%-9s %s: %s%s%s\n", what, path, done, *detail ? ", " : "", detail);
}

void say_end(struct say *say)
{
	struct json_object *v;
	const char *text;

	if (!say->json)
		return;
	v = json_object_new_object();
	(void)jenc_bool(v, "changed", say->changed);
	(void)jenc_add(v, "steps",
		       say->steps ? json_object_get(say->steps) : json_object_new_array());
	text = v ? jenc_text(v) : NULL;
	(void)puts(text ? text : "{}");
	json_object_put(v);
}
