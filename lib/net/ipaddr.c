/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "net/ipaddr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

size_t ipaddr_size(const struct ipaddr *a)
{
	return a->family == AF_INET ? 4 : 16;
}

unsigned int ipaddr_bits(const struct ipaddr *a)
{
	return (unsigned int)ipaddr_size(a) * 8;
}

int ipaddr_parse(const char *text, struct ipaddr *ret)
{
	struct ipaddr a = {};

	if (inet_pton(AF_INET, text, a.b) == 1)
		a.family = AF_INET;
	else if (inet_pton(AF_INET6, text, a.b) == 1)
		a.family = AF_INET6;
	else
		return -EINVAL;
	*ret = a;
	return 0;
}

/* Decimal digits only: no sign, no blank, no leading zero, all of the text. */
static int parse_length(const char *text, unsigned int max)
{
	unsigned int n = 0;

	if (!*text || (text[0] == '0' && text[1]))
		return -EINVAL;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -EINVAL;
		n = n * 10 + (unsigned int)(*text - '0');
		if (n > max)
			return -EINVAL;
	}
	return (int)n;
}

int cidr_parse(const char *text, struct cidr *ret)
{
	const char *slash = strchr(text, '/');

	return slash ? cidr_parse_or_host(text, ret) : -EINVAL;
}

int cidr_parse_or_host(const char *text, struct cidr *ret)
{
	const char *slash = strchr(text, '/');
	size_t n = slash ? (size_t)(slash - text) : strlen(text);
	char addr[IPADDR_STRLEN];
	struct ipaddr ip;
	int len;

	if (n >= sizeof(addr))
		return -EINVAL;
	memcpy(addr, text, n);
	addr[n] = '\0';
	if (ipaddr_parse(addr, &ip) < 0)
		return -EINVAL;

	len = slash ? parse_length(slash + 1, ipaddr_bits(&ip)) : (int)ipaddr_bits(&ip);
	if (len < 0)
		return len;
	*ret = (struct cidr){ .ip = ip, .len = (uint8_t)len };
	return 0;
}

const char *ipaddr_format(const struct ipaddr *a, char buf[IPADDR_STRLEN])
{
	if (!inet_ntop(a->family, a->b, buf, IPADDR_STRLEN))
		buf[0] = '\0';
	return buf;
}

const char *cidr_format(const struct cidr *c, char buf[CIDR_STRLEN])
{
	size_t n;

	ipaddr_format(&c->ip, buf);
	n = strlen(buf);
	snprintf(buf + n, CIDR_STRLEN - n, "/%u", (unsigned int)c->len);
	return buf;
}

bool ipaddr_equal(const struct ipaddr *a, const struct ipaddr *b)
{
	return a->family == b->family && memcmp(a->b, b->b, ipaddr_size(a)) == 0;
}

bool ipaddr_is_zero(const struct ipaddr *a)
{
	static const uint8_t zero[16];

	return memcmp(a->b, zero, ipaddr_size(a)) == 0;
}

bool ipaddr_is_linklocal(const struct ipaddr *a)
{
	if (a->family == AF_INET)
		return a->b[0] == 169 && a->b[1] == 254;
	return a->b[0] == 0xfe && (a->b[1] & 0xc0) == 0x80;
}

bool ipaddr_is_multicast(const struct ipaddr *a)
{
	if (a->family == AF_INET)
		return (a->b[0] & 0xf0) == 0xe0;
	return a->b[0] == 0xff;
}

bool cidr_equal(const struct cidr *a, const struct cidr *b)
{
	return a->len == b->len && ipaddr_equal(&a->ip, &b->ip);
}

static struct ipaddr masked(const struct ipaddr *a, unsigned int len)
{
	struct ipaddr m = { .family = a->family };

	for (size_t i = 0; i < ipaddr_size(a); i++) {
		unsigned int left = len > i * 8 ? len - (unsigned int)i * 8 : 0;
		unsigned int mask = left >= 8 ? 0xff : 0xff00u >> left;

		m.b[i] = (uint8_t)(a->b[i] & mask);
	}
	return m;
}

bool cidr_contains(const struct cidr *net, const struct ipaddr *a)
{
	struct ipaddr x, y;

	if (net->ip.family != a->family)
		return false;
	x = masked(&net->ip, net->len);
	y = masked(a, net->len);
	return ipaddr_equal(&x, &y);
}

bool cidr_is_default(const struct cidr *c)
{
	return c->len == 0 && ipaddr_is_zero(&c->ip);
}

struct cidr cidr_host(const struct ipaddr *a)
{
	return (struct cidr){ .ip = *a, .len = (uint8_t)ipaddr_bits(a) };
}

struct cidr cidr_network(const struct cidr *c)
{
	return (struct cidr){ .ip = masked(&c->ip, c->len), .len = c->len };
}
