/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "net/mac.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "base/error.h"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -EINVAL;
}

int mac_parse(const char *text, struct mac *ret)
{
	struct mac m;

	if (strlen(text) != MAC_STRLEN - 1)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(m.b); i++) {
		int hi = hex_digit(text[i * 3]), lo = hex_digit(text[i * 3 + 1]);
		char after = text[i * 3 + 2];

		if (hi < 0 || lo < 0 || after != (i + 1 < sizeof(m.b) ? ':' : '\0'))
			return -EINVAL;
		m.b[i] = (uint8_t)(hi << 4 | lo);
	}
	*ret = m;
	return 0;
}

const char *mac_format(const struct mac *m, char buf[MAC_STRLEN])
{
	snprintf(buf, MAC_STRLEN, "%02x:%02x:%02x:%02x:%02x:%02x", m->b[0], m->b[1], m->b[2],
		 m->b[3], m->b[4], m->b[5]);
	return buf;
}

bool mac_is_unicast(const struct mac *m)
{
	static const struct mac zero;

	return !(m->b[0] & 1) && !mac_equal(m, &zero);
}

bool mac_equal(const struct mac *a, const struct mac *b)
{
	return memcmp(a->b, b->b, sizeof(a->b)) == 0;
}

int mac_random(struct mac *ret, struct pw_error *err)
{
	struct mac m;

	if (getrandom(m.b, sizeof(m.b), 0) != sizeof(m.b))
		return pw_fail(err, errno, PW_E_IO, "cannot get random bytes: %m");
	m.b[0] = (uint8_t)((m.b[0] & 0xfc) | 0x02);
	*ret = m;
	return 0;
}

struct ipaddr mac_linklocal(const struct mac *m)
{
	return (struct ipaddr){
		.family = AF_INET6,
		.b = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, m->b[0] ^ 0x02, m->b[1], m->b[2], 0xff, 0xfe,
		       m->b[3], m->b[4], m->b[5] },
	};
}
