/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus/paths.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>

#include "base/utf8.h"
#include "store/attachment.h"

static bool is_plain(const char *id)
{
	for (const char *c = id; *c; c++) {
		if (!isascii(*c) || !isalnum(*c))
			return false;
	}
	return *id != '\0';
}

char *path_of_device(const char *prefix, const char *ifname)
{
	char *path = NULL;

	return sd_bus_path_encode(prefix, ifname, &path) < 0 ? NULL : path;
}

/*
 * sd_bus_path_encode() escapes a digit in front, which nine hex digits mostly have. An ID that is
 * escaped has a '_', one that is taken as it is never has: they can't meet.
 */
char *path_of_attachment(const char *prefix, const char *host_ifname)
{
	const char *id = host_ifname;
	char *path = NULL;

	if (attachment_is_host_ifname(id))
		id += strlen(HOST_IFNAME_PREFIX);
	if (!is_plain(id))
		return path_of_device(prefix, id);
	return asprintf(&path, "%s/%s", prefix, id) < 0 ? NULL : path;
}

/* U+FDD0 to U+FDEF, and the last two of each plane; @s is a character of @n bytes. */
static bool is_noncharacter(const char *s, size_t n)
{
	const unsigned char *c = (const unsigned char *)s;
	uint32_t value;

	if (n < 3)
		return false;
	value = c[0] & (n == 3 ? 0x0f : 0x07);
	for (size_t i = 1; i < n; i++)
		value = value << 6 | (c[i] & 0x3f);
	return (value >= 0xfdd0 && value <= 0xfdef) || (value & 0xfffe) == 0xfffe;
}

char *bus_text(const char *s)
{
	char *text = strdup(s ? s : ""), *out = text;

	if (!text)
		return NULL;
	for (const char *in = text; *in;) {
		size_t n = utf8_character(in);

		if (n == 0 || is_noncharacter(in, n)) {
			in += n ? n : 1;
			*out++ = '?';
			continue;
		}
		memmove(out, in, n);
		out += n;
		in += n;
	}
	*out = '\0';
	return text;
}
