/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/xtables.h"

/* A table of IPv4 as the kernel gives it: chains INPUT, FORWARD, OUTPUT and one named X. */
struct rule {
	unsigned char entry[sizeof(struct ipt_entry)]; /* which may end in more, as C has it */
	struct xt_standard_target target;
} __attribute__((aligned(8)));

struct named {
	unsigned char entry[sizeof(struct ipt_entry)];
	struct xt_error_target target;
} __attribute__((aligned(8)));

struct table {
	struct rule input, forward, policy, output;
	struct named x;
	struct rule in_x, end_of_x;
	struct named end;
};

#define ENTRY(of) ((struct ipt_entry *)(void *)(of)->entry)
#define ACCEPT (-NF_ACCEPT - 1)
#define DROP (-NF_DROP - 1)

static void fill_rule(struct rule *r, int verdict)
{
	*r = (struct rule){ .target = { .verdict = verdict } };
	ENTRY(r)->target_offset = sizeof(r->entry);
	ENTRY(r)->next_offset = sizeof(*r);
	r->target.target.u.user.target_size = sizeof(r->target);
}

static void fill_named(struct named *n, const char *name)
{
	*n = (struct named){};
	ENTRY(n)->target_offset = sizeof(n->entry);
	ENTRY(n)->next_offset = sizeof(*n);
	memcpy(n->target.target.u.user.name, XT_ERROR_TARGET, sizeof(XT_ERROR_TARGET));
	snprintf(n->target.errorname, sizeof(n->target.errorname), "%s", name);
}

static struct table *table_new(struct xtables_info *info)
{
	struct table *t = calloc(1, sizeof(*t));

	fill_rule(&t->input, ACCEPT);
	fill_rule(&t->forward, ACCEPT);
	snprintf(ENTRY(&t->forward)->ip.iniface, IFNAMSIZ, "vethpw");
	memset(ENTRY(&t->forward)->ip.iniface_mask, 0xff, strlen("vethpw"));
	fill_rule(&t->policy, DROP);
	fill_rule(&t->output, ACCEPT);
	fill_named(&t->x, "X");
	fill_rule(&t->in_x, offsetof(struct table, x));
	ENTRY(&t->in_x)->ip.smsk.s_addr = htonl(0xff000000);
	fill_rule(&t->end_of_x, XT_RETURN);
	fill_named(&t->end, "ERROR");
	*info = (struct xtables_info){ .input = offsetof(struct table, input),
				       .forward = offsetof(struct table, forward),
				       .policy = offsetof(struct table, policy),
				       .output = offsetof(struct table, output),
				       .size = sizeof(*t) };
	return t;
}

struct heard {
	char text[1024];
	size_t n;
};

static int hear_chain(const struct others_chain *chain, void *arg)
{
	struct heard *h = arg;
	size_t len = strlen(h->text);

	h->n++;
	snprintf(h->text + len, sizeof(h->text) - len, "%s%s%s: ", chain->name,
		 chain->forward ? " forward" : "", chain->drops ? " drops" : "");
	return 0;
}

static int hear_rule(const struct others_rule *rule, void *arg)
{
	struct heard *h = arg;
	size_t len = strlen(h->text);

	h->n++;
	snprintf(h->text + len, sizeof(h->text) - len, "%d%s%s%s%s%s; ", (int)rule->verdict,
		 rule->conditional ? "c" : "", rule->by_address ? "a" : "", rule->in,
		 rule->in_begins ? "+" : "", rule->out);
	return 0;
}

static int parse(const struct table *t, const struct xtables_info *info, struct heard *h)
{
	const struct xtables_calls calls = { hear_chain, hear_rule, h };

	*h = (struct heard){};
	return xtables_parse(AF_INET, info, t, &calls);
}

static void a_table_is_told(void **state)
{
	struct xtables_info info;
	struct table *t = table_new(&info);
	struct heard h;

	(void)state;
	assert_int_equal(parse(t, &info, &h), 0);
	assert_string_equal(h.text, "INPUT: 1+; FORWARD forward drops: 1cvethpw+; OUTPUT: 1+; "
				    "X: 3ca+; 0+; ERROR: ");
	t->policy.target.verdict = ACCEPT;
	assert_int_equal(parse(t, &info, &h), 0);
	assert_null(strstr(h.text, "drops"));
	ENTRY(&t->forward)->ip.invflags = IPT_INV_VIA_IN;
	assert_int_equal(parse(t, &info, &h), 0);
	assert_null(strstr(h.text, "vethpw"));
	free(t);
}

#define OF(entry, member) (offsetof(struct table, entry) + offsetof(struct ipt_entry, member))

static void lengths_that_lie_are_refused(void **state)
{
	static const struct {
		size_t at;
		uint16_t value;
	} rows[] = {
		{ OF(forward, next_offset), 0 },
		{ OF(forward, next_offset), 8 },
		{ OF(forward, next_offset), sizeof(struct ipt_entry) },
		{ OF(forward, next_offset), sizeof(struct rule) - 1 },
		{ OF(forward, next_offset), 65528 },
		{ OF(forward, target_offset), 0 },
		{ OF(forward, target_offset), 65535 },
		{ OF(policy, target_offset), sizeof(struct rule) },
		{ OF(end, next_offset), sizeof(struct named) + 8 },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct xtables_info info;
		struct table *t = table_new(&info);
		struct heard h;

		memcpy((char *)t + rows[i].at, &rows[i].value, sizeof(rows[i].value));
		if (parse(t, &info, &h) != -EBADMSG)
			fail_msg("row %zu: %s", i, h.text);
		free(t);
	}
}

static void offsets_that_lie_are_refused(void **state)
{
	static const unsigned int policies[] = { sizeof(struct table), 0xfffffff8, 1,
						 sizeof(struct table) - 8 };
	struct xtables_info info;
	struct table *t = table_new(&info);
	struct heard h;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(policies); i++) {
		info.policy = policies[i];
		assert_int_equal(parse(t, &info, &h), -EBADMSG);
	}
	/* a chain that begins nowhere is one that isn't told */
	info.forward = info.policy = 3;
	assert_int_equal(parse(t, &info, &h), 0);
	assert_null(strstr(h.text, "FORWARD"));
	free(t);
}

/* Each length of the block, and each byte of it changed: whatever comes, it ends. */
static void any_bytes_are_read_within_their_bounds(void **state)
{
	struct xtables_info info;
	struct table *t = table_new(&info);
	struct heard h;

	(void)state;
	for (unsigned int size = 0; size < sizeof(*t); size++) {
		unsigned char *cut = malloc(size ? size : 1);

		memcpy(cut, t, size);
		info.size = size;
		(void)parse((void *)cut, &info, &h);
		free(cut);
	}
	info.size = sizeof(*t);
	for (size_t at = 0; at < sizeof(*t); at++) {
		static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff };
		unsigned char *byte = (unsigned char *)t + at, before = *byte;

		for (size_t i = 0; i < TEST_COUNT(values); i++) {
			*byte = values[i];
			(void)parse(t, &info, &h);
		}
		*byte = before;
	}
	assert_int_equal(parse(t, &info, &h), 0);
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_is_told),
		cmocka_unit_test(lengths_that_lie_are_refused),
		cmocka_unit_test(offsets_that_lie_are_refused),
		cmocka_unit_test(any_bytes_are_read_within_their_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
