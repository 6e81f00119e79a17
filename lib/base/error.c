/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The error value
 *
 * A message is one line of UTF-8 for an operator and for JSON: what came in with somebody's input
 * (a config value, a path, another plugin's message) and is neither text nor a character is
 * replaced, and what does not fit is cut.
 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* What came in may be anything, and "%.40s" may have cut a character in two. */
static void one_line(char *s)
{
	size_t n;

	for (; *s; s += n ? n : 1) {
		n = utf8_character(s);
		if (n == 0)
			*s = '?';
		else if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = ' ';
	}
}

/* Cutting a message may cut its last character in two: drop the rest of that. */
static void whole_characters(char *s, size_t size)
{
	size_t len = strlen(s), i = len;

	if (len + 1 < size)
		return;
	while (i > 0 && ((unsigned char)s[i - 1] & 0xc0) == 0x80)
		i--;
	if (i > 0 && (unsigned char)s[i - 1] >= 0xc0)
		s[i - 1] = '\0';
}

int pw_fail(struct pw_error *err, int errnum, enum pw_code code, const char *fmt, ...)
{
	va_list ap;

	if (errnum <= 0)
		errnum = EIO;
	if (err) {
		err->errnum = errnum;
		err->code = code;
		err->details[0] = '\0';

		errno = errnum; /* for %m */
		va_start(ap, fmt);
		vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
		va_end(ap);
		whole_characters(err->msg, sizeof(err->msg));
		one_line(err->msg);
	}
	return -errnum;
}

int pw_oom(struct pw_error *err)
{
	return pw_fail(err, ENOMEM, PW_E_INTERNAL, "out of memory");
}

int pw_context(struct pw_error *err, const char *fmt, ...)
{
	char context[sizeof(err->msg)], rest[sizeof(err->msg)];
	va_list ap;

	if (!err)
		return -EIO;

	va_start(ap, fmt);
	vsnprintf(context, sizeof(context), fmt, ap);
	va_end(ap);

	memcpy(rest, err->msg, sizeof(rest));
	/* NOLINTNEXTLINE: cutting is what is wanted */
	if (snprintf(err->msg, sizeof(err->msg), "%s: %s", context, rest) < 0)
		err->msg[0] = '\0';
	whole_characters(err->msg, sizeof(err->msg));
	one_line(err->msg);
	return -err->errnum;
}

void pw_details(struct pw_error *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	vsnprintf(err->details, sizeof(err->details), fmt, ap);
	va_end(ap);
	whole_characters(err->details, sizeof(err->details));
	one_line(err->details);
}

int pw_gather(struct pw_error *first, const struct pw_error *from)
{
	if (!first)
		return -from->errnum;
	if (!first->errnum)
		*first = *from;
	return -first->errnum;
}
