/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "net/name.h"

#include <limits.h>
#include <net/if.h>
#include <string.h>

/* The C library's own classes follow the locale and take EOF; these take a char. */
static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool name_is_cni(const char *s)
{
	if (!is_alnum(s[0]))
		return false;
	for (; *s; s++) {
		if (!is_alnum(*s) && *s != '_' && *s != '.' && *s != '-')
			return false;
	}
	return true;
}

bool name_is_ifname(const char *s)
{
	if (!*s || strlen(s) >= IFNAMSIZ || strcmp(s, ".") == 0 || strcmp(s, "..") == 0)
		return false;
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		/* 0xa0: the kernel's isspace() is of Latin-1 */
		if (c == '/' || c == ':' || c <= ' ' || c == 0x7f || c == 0xa0 || c == '%')
			return false;
	}
	return true;
}

bool name_is_plugin(const char *s)
{
	return *s && strlen(s) <= NAME_MAX && !strchr(s, '/') && strcmp(s, ".") != 0 &&
	       strcmp(s, "..") != 0;
}
