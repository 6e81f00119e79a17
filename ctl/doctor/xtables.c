/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table is one block of entries of different length. A chain of the kernel's begins at an offset
 * that it tells and ends with its policy; any other begins with an entry whose target is ERROR and
 * holds its name, and the last of these is the table's end.
 */
#include "doctor/xtables.h"

#include <arpa/inet.h> /* before the kernel's */
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/error.h"

#define TABLE "filter"
#define TABLE_MAX (64u << 20)
#define TRIES 3

/* What both families' entries have, wherever they have it. */
struct entry {
	const unsigned char *in, *in_mask, *out, *out_mask; /* of IFNAMSIZ bytes */
	unsigned int target, next;                          /* offsets from the entry's begin */
	size_t head;                                        /* bytes before its matches */
	bool addresses, other;                              /* it asks for these */
	bool not_in, not_out;
};

static bool any_bit(const void *data, size_t len)
{
	const unsigned char *p = data;
	unsigned char bits = 0;

	while (len--)
		bits |= *p++;
	return bits;
}

static bool read_entry4(const unsigned char *at, size_t left, struct entry *ret)
{
	const struct ipt_entry *e = (const void *)at;

	if (left < sizeof(*e))
		return false;
	*ret = (struct entry){
		.in = (const unsigned char *)e->ip.iniface,
		.in_mask = e->ip.iniface_mask,
		.out = (const unsigned char *)e->ip.outiface,
		.out_mask = e->ip.outiface_mask,
		.target = e->target_offset,
		.next = e->next_offset,
		.head = sizeof(*e),
		.addresses = any_bit(&e->ip.smsk, 4) || any_bit(&e->ip.dmsk, 4),
		.other = e->ip.proto || (e->ip.flags & IPT_F_FRAG) || e->ip.invflags,
		.not_in = e->ip.invflags & IPT_INV_VIA_IN,
		.not_out = e->ip.invflags & IPT_INV_VIA_OUT,
	};
	return true;
}

static bool read_entry6(const unsigned char *at, size_t left, struct entry *ret)
{
	const struct ip6t_entry *e = (const void *)at;

	if (left < sizeof(*e))
		return false;
	*ret = (struct entry){
		.in = (const unsigned char *)e->ipv6.iniface,
		.in_mask = e->ipv6.iniface_mask,
		.out = (const unsigned char *)e->ipv6.outiface,
		.out_mask = e->ipv6.outiface_mask,
		.target = e->target_offset,
		.next = e->next_offset,
		.head = sizeof(*e),
		.addresses = any_bit(&e->ipv6.smsk, 16) || any_bit(&e->ipv6.dmsk, 16),
		.other = e->ipv6.proto || (e->ipv6.flags & (IP6T_F_PROTO | IP6T_F_TOS)) ||
			 e->ipv6.invflags,
		.not_in = e->ipv6.invflags & IP6T_INV_VIA_IN,
		.not_out = e->ipv6.invflags & IP6T_INV_VIA_OUT,
	};
	return true;
}

/* An entry that lies in the block and is as long as it says. */
static bool read_entry(int family, const unsigned char *at, size_t left, struct entry *ret)
{
	bool is = family == AF_INET ? read_entry4(at, left, ret) : read_entry6(at, left, ret);

	return is && ret->next <= left && ret->target >= ret->head &&
	       ret->next >= ret->target + sizeof(struct xt_entry_target) &&
	       ret->next % _Alignof(struct ipt_entry) == 0 &&
	       ret->target % _Alignof(struct xt_entry_target) == 0;
}

/* The mask covers the name, and for a whole name its NUL as well. */
static bool take_name(const unsigned char *name, const unsigned char *mask, char ret[16])
{
	size_t len = 0;

	while (len < 15 && mask[len] == 0xff && name[len])
		len++;
	memcpy(ret, name, len);
	ret[len] = '\0';
	return mask[len] == 0;
}

static void take_verdict(const unsigned char *at, const struct entry *e, size_t offset,
			 struct others_rule *rule)
{
	const struct xt_standard_target *target = (const void *)(at + e->target);
	const char *name = target->target.u.user.name;

	if (strncmp(name, "REJECT", XT_EXTENSION_MAXNAMELEN) == 0)
		rule->verdict = OTHERS_DROP;
	if (*name || e->next < e->target + sizeof(*target))
		return;
	if (target->verdict == -NF_ACCEPT - 1)
		rule->verdict = OTHERS_ACCEPT;
	else if (target->verdict == -NF_DROP - 1)
		rule->verdict = OTHERS_DROP;
	else if (target->verdict >= 0 && (size_t)target->verdict != offset + e->next)
		rule->verdict = OTHERS_JUMP; /* and else: to the next rule */
}

static int take_rule(const unsigned char *at, const struct entry *e, size_t offset,
		     struct others_rule *rule, const struct xtables_calls *calls)
{
	rule->verdict = OTHERS_NONE;
	rule->by_address = e->addresses;
	rule->in_begins = take_name(e->in, e->in_mask, rule->in);
	rule->out_begins = take_name(e->out, e->out_mask, rule->out);
	rule->conditional =
		e->addresses || e->other || e->target > e->head || *rule->in || *rule->out;
	if (e->not_in)
		*rule->in = '\0';
	if (e->not_out)
		*rule->out = '\0';
	take_verdict(at, e, offset, rule);
	return calls->rule(rule, calls->arg);
}

/* The name of a chain that begins here, or NULL. */
static const char *chain_name(const unsigned char *at, const struct entry *e, size_t offset,
			      const struct xtables_info *info)
{
	const struct xt_error_target *target = (const void *)(at + e->target);

	if (offset == info->forward)
		return "FORWARD";
	if (offset == info->input)
		return "INPUT";
	if (offset == info->output)
		return "OUTPUT";
	if (e->next < e->target + sizeof(*target) ||
	    strncmp(target->target.u.user.name, XT_ERROR_TARGET, XT_EXTENSION_MAXNAMELEN) != 0)
		return NULL;
	return target->errorname;
}

static int take_chain(const char *name, const unsigned char *entries, int family,
		      const struct xtables_info *info, struct others_rule *rule,
		      const struct xtables_calls *calls)
{
	struct others_chain chain = { .family = rule->family, .table = TABLE };
	struct entry policy;

	(void)snprintf(chain.name, sizeof(chain.name), "%.*s", XT_FUNCTION_MAXNAMELEN, name);
	memcpy(rule->chain, chain.name, sizeof(rule->chain));
	chain.forward = strcmp(name, "FORWARD") == 0;
	if (chain.forward) {
		struct others_rule last = *rule;

		if (info->policy >= info->size || info->policy % _Alignof(struct ipt_entry) != 0 ||
		    !read_entry(family, entries + info->policy, info->size - info->policy, &policy))
			return -EBADMSG;
		take_verdict(entries + info->policy, &policy, info->policy, &last);
		chain.drops = last.verdict == OTHERS_DROP;
	}
	return calls->chain(&chain, calls->arg);
}

int xtables_parse(int family, const struct xtables_info *info, const void *entries,
		  const struct xtables_calls *calls)
{
	const unsigned char *block = entries;
	struct others_rule rule = {
		.family = family == AF_INET ? NFPROTO_IPV4 : NFPROTO_IPV6,
		.table = TABLE,
	};

	for (size_t at = 0; at < info->size;) {
		const char *name;
		struct entry e;
		int r = 0;

		if (!read_entry(family, block + at, info->size - at, &e))
			return -EBADMSG;
		name = chain_name(block + at, &e, at, info);
		if (name)
			r = take_chain(name, block, family, info, &rule, calls);
		/* a chain of the kernel's begins with a rule, any other with its name */
		if (r == 0 && at != info->policy &&
		    (!name || at == info->forward || at == info->input || at == info->output))
			r = take_rule(block + at, &e, at, &rule, calls);
		if (r < 0)
			return r;
		at += e.next;
	}
	return 0;
}

/* (IPv6 has the same structures and numbers, by other names.) */
static int read_once(int fd, int family, const struct xtables_calls *calls)
{
	_cleanup_(freep) struct ipt_get_entries *got = NULL;
	struct ipt_getinfo info = { .name = TABLE };
	socklen_t len = sizeof(info);
	int level = family == AF_INET ? IPPROTO_IP : IPPROTO_IPV6;
	struct xtables_info told;

	_Static_assert(sizeof(struct ipt_getinfo) == sizeof(struct ip6t_getinfo),
		       "one for both families");
	if (getsockopt(fd, level, IPT_SO_GET_INFO, &info, &len) < 0)
		return -errno;
	if (info.size > TABLE_MAX)
		return -EFBIG;
	len = (socklen_t)(sizeof(*got) + info.size);
	got = calloc(1, len);
	if (!got)
		return -ENOMEM;
	memcpy(got->name, TABLE, sizeof(TABLE));
	got->size = info.size;
	if (getsockopt(fd, level, IPT_SO_GET_ENTRIES, got, &len) < 0)
		return -errno;
	told = (struct xtables_info){
		.forward = info.hook_entry[NF_INET_FORWARD],
		.policy = info.underflow[NF_INET_FORWARD],
		.input = info.hook_entry[NF_INET_LOCAL_IN],
		.output = info.hook_entry[NF_INET_LOCAL_OUT],
		.size = info.size,
	};
	return xtables_parse(family, &told, got->entrytable, calls);
}

int xtables_read(int family, const struct xtables_calls *calls, struct pw_error *err)
{
	_cleanup_(closep) int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int r = fd < 0 ? -errno : -EAGAIN;

	/* EAGAIN: the table was changed in between */
	for (int i = 0; i < TRIES && r == -EAGAIN; i++)
		r = read_once(fd, family, calls);
	if (r < 0)
		return pw_fail(err, -r, PW_E_NETLINK, "cannot read iptables' table " TABLE ": %m");
	return 0;
}
