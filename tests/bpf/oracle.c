/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of the source check in the plainest words there are, to hold the program against: all
 * of a packet is at hand, every byte is read alone, and nothing is shared with the program.
 */
#include <arpa/inet.h>
#include <stdbool.h>
#include <string.h>

#include "cases.h"

enum {
	CUT = -1,
};

/* @n bytes (up to 7) as a number, or CUT. */
static long long number(const struct packet *p, size_t off, size_t n)
{
	long long value = 0;

	if (off + n > p->len)
		return CUT;
	for (size_t i = 0; i < n; i++)
		value = value << 8 | p->b[off + i];
	return value;
}

static bool begins_with(const uint8_t *address, const char *text, size_t bits)
{
	uint8_t prefix[16];

	assert_true(inet_pton(strchr(text, ':') ? AF_INET6 : AF_INET, text, prefix) == 1);
	for (size_t bit = 0; bit < bits; bit++) {
		if ((address[bit / 8] ^ prefix[bit / 8]) & 0x80 >> bit % 8)
			return false;
	}
	return true;
}

static bool is_mine4(const uint8_t *a)
{
	return begins_with(a, "10.1.0.2", 32) || begins_with(a, "10.7.0.0", 16);
}

static bool is_mine6(const uint8_t *a)
{
	return begins_with(a, "fd00::2", 128) || begins_with(a, "2001:db8:7::", 48) ||
	       begins_with(a, "fe80::", 10);
}

static enum verdict judge_arp(const struct packet *p, size_t off, bool *may_have_new_mac)
{
	long long hardware = number(p, off, 2);

	if (off + 28 > p->len || (hardware != 1 && hardware != 6) ||
	    number(p, off + 2, 2) != 0x0800 || number(p, off + 4, 1) != 6 ||
	    number(p, off + 5, 1) != 4)
		return UNPARSED;
	if (number(p, off + 14, 4) != 0 && !is_mine4(p->b + off + 14))
		return SPOOFED;
	*may_have_new_mac = true;
	return PASSED;
}

static enum verdict judge_ipv4(const struct packet *p, size_t off)
{
	long long protocol = number(p, off + 9, 1), header = (number(p, off, 1) & 15) * 4, ports;

	if (off + 20 > p->len || number(p, off, 1) >> 4 != 4 || header < 20)
		return UNPARSED;
	if (number(p, off + 12, 4) != 0)
		return is_mine4(p->b + off + 12) ? PASSED : SPOOFED;
	if (protocol == 2)
		return PASSED;
	if (protocol != 17 || (number(p, off + 6, 2) & 0x1fff) != 0)
		return SPOOFED;
	ports = number(p, off + (size_t)header, 4);
	if (ports == CUT)
		return UNPARSED;
	return ports == (68 << 16 | 67) ? PASSED : SPOOFED;
}

/* @next and @off go on to what is under the extension headers; false: it can't be found. */
static bool skip_extensions(const struct packet *p, long long *next, size_t *off, bool *later)
{
	for (int n = 0; *next == 0 || *next == 43 || *next == 44 || *next == 60; n++) {
		bool fragment = *next == 44;

		if (n == 8 || *off + (fragment ? 8 : 2) > p->len)
			return false;
		*later = fragment && number(p, *off + 2, 2) >> 3 != 0;
		if (*later)
			return true;
		*next = number(p, *off, 1);
		*off += fragment ? 8 : (size_t)(number(p, *off + 1, 1) + 1) * 8;
	}
	return true;
}

static enum verdict judge_ipv6(const struct packet *p, size_t off, bool *may_have_new_mac)
{
	long long next = number(p, off + 6, 1), type;
	bool nobody, later = false;
	const uint8_t *source = p->b + off + 8;

	if (off + 40 > p->len || number(p, off, 1) >> 4 != 6)
		return UNPARSED;
	nobody = begins_with(source, "::", 128);
	if (!nobody && !is_mine6(source))
		return SPOOFED;
	off += 40;
	if (!skip_extensions(p, &next, &off, &later))
		return UNPARSED;
	if (later || next != 58)
		return nobody ? SPOOFED : PASSED;
	type = number(p, off, 1);
	if (type == CUT || (type == 136 && off + 24 > p->len))
		return UNPARSED;
	if (type == 136 && !is_mine6(p->b + off + 8))
		return SPOOFED;
	*may_have_new_mac = type == 135 || type == 136;
	return PASSED;
}

static enum verdict judge(const struct packet *p, bool *may_have_new_mac)
{
	long long type = number(p, 12, 2);
	size_t off = 14;

	if (type == 0x8100 || type == 0x88a8) {
		if (off + 4 > p->len || (number(p, off, 2) & 0xfff) != 0)
			return UNPARSED;
		type = number(p, off + 2, 2);
		off += 4;
		if (type == 0x8100 || type == 0x88a8)
			return SPOOFED;
	}
	if (type == 0x0800)
		return judge_ipv4(p, off);
	if (type == 0x86dd)
		return judge_ipv6(p, off, may_have_new_mac);
	if (type == 0x0806)
		return judge_arp(p, off, may_have_new_mac);
	return UNPARSED;
}

enum verdict oracle_verdict(const struct packet *p)
{
	bool may_have_new_mac = false;
	enum verdict verdict = judge(p, &may_have_new_mac);

	if (number(p, 6, 6) != 0x020000000002 && !may_have_new_mac)
		return SPOOFED;
	return verdict;
}
