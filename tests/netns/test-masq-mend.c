/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What others do to the table: seen by CHECK, mended by the next addition. */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "masq_lab.h"

#define EXCLUDED "10.0.0.0/8 fd00::/8"
#define SOURCES "10.9.0.0/16 2001:db8:9::/48"
#define HASH "6303a9ddbc3de01c" /* of both */
#define GROUP "2084429852"      /* likewise */
#define RULE4 "iifgroup " GROUP " ip saddr != @from4_" HASH " ip daddr != @to4_" HASH " masquerade"
#define RULE6 \
	"iifgroup " GROUP " ip6 saddr != @from6_" HASH " ip6 daddr != @to6_" HASH " masquerade"
#define CHAIN "inet podwire postrouting"
#define NO_RULE4 "lacks the rule for IPv4 of link group " GROUP
#define NO_RULE6 "lacks the rule for IPv6 of link group " GROUP

static const struct {
	const char *command;   /* to nft */
	const char *complaint; /* of the check */
} damages[] = {
	{ "flush ruleset", "table inet podwire is missing" },
	{ "delete table inet podwire", "table inet podwire is missing" },
	{ "add table inet podwire { flags dormant; }", "is dormant" },
	{ "flush table inet podwire",
	  "chain postrouting of nftables table inet podwire " NO_RULE4 },
	{ "flush chain " CHAIN, NO_RULE4 },
	{ "delete chain " CHAIN, "chain postrouting of nftables table inet podwire is missing" },
	{ "flush chain " CHAIN "; add rule " CHAIN " " RULE4, NO_RULE6 },
	{ "flush chain " CHAIN "; add rule " CHAIN " " RULE6, NO_RULE4 },
	{ "delete chain " CHAIN "; add chain " CHAIN " { type nat hook postrouting priority 90; }",
	  "is not hooked" },
	{ "delete chain " CHAIN "; add chain " CHAIN, "is not hooked" },
	{ "flush set inet podwire to4_" HASH,
	  "set to4_" HASH " of nftables table inet podwire does not hold the excluded "
	  "destinations" },
	{ "add element inet podwire to6_" HASH " { 2001:db8::/32 }", "set to6_" HASH },
	{ "flush set inet podwire from4_" HASH, "does not hold the sources that stay as they are" },
	{ "add element inet podwire from6_" HASH " { 2001:db8:a::/48 }", "set from6_" HASH },
	{ "delete chain " CHAIN "; delete set inet podwire to4_" HASH, "is missing" },
	{ "delete chain " CHAIN "; delete set inet podwire from4_" HASH
	  "; delete set inet podwire from6_" HASH,
	  "is missing" },
	{ "delete chain " CHAIN "; delete set inet podwire to4_" HASH
	  "; delete set inet podwire to6_" HASH,
	  "is missing" },
};

/* Rules that are nearly ours. */
static const char *const wrong_rules[] = {
	"iifgroup " GROUP " ip saddr != @from4_" HASH " ip daddr @to4_" HASH " masquerade",
	"iifgroup " GROUP " ip saddr @from4_" HASH " ip daddr != @to4_" HASH " masquerade",
	"iifgroup " GROUP " ip daddr != @to4_" HASH " masquerade",
	"iifgroup " GROUP " ip saddr != @from4_" HASH " masquerade",
	"iifgroup " GROUP " ip daddr != @from4_" HASH " ip saddr != @to4_" HASH " masquerade",
	"iifgroup 7 ip saddr != @from4_" HASH " ip daddr != @to4_" HASH " masquerade",
	"iifgroup != " GROUP " ip saddr != @from4_" HASH " ip daddr != @to4_" HASH " masquerade",
	"oifgroup " GROUP " ip saddr != @from4_" HASH " ip daddr != @to4_" HASH " masquerade",
	"ip saddr != @from4_" HASH " ip daddr != @to4_" HASH " masquerade",
	"iifgroup " GROUP " ip saddr != @from4_" HASH " ip daddr != @to4_" HASH " accept",
	"iifgroup " GROUP " ip saddr != @from4_" HASH " ip daddr != @to4_" HASH
	" counter masquerade",
};

static void damage(const char *commands)
{
	ns_run(-1, "nft '%s'", commands);
}

/* All that the tests of damage are about. */
static const struct lab_list *whole(void)
{
	return lab_list_from(EXCLUDED, SOURCES);
}

static void every_damage_is_seen_and_mended(void **state)
{
	struct lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(damages); i++) {
		const struct lab_list *list = whole();
		char *before, *after;

		print_message("%s\n", damages[i].command);
		lab_add(lab, list);
		lab_check(lab, list);
		damage(damages[i].command);
		lab_check_fails(lab, list, damages[i].complaint);
		lab_add(lab, list);
		lab_check(lab, list);
		after = ns_output(-1, "nft list ruleset | sort");
		ns_run(-1, "nft flush ruleset");
		lab_add(lab, list);
		before = ns_output(-1, "nft list ruleset | sort");
		assert_string_equal(after, before);
		free(before);
		free(after);
		assert_int_equal(lab_sweep(lab, NULL), 1);
		lab_assert_ruleset("");
	}
}

static void a_rule_that_says_something_else_is_none(void **state)
{
	const struct lab_list *list = whole();
	struct lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(wrong_rules); i++) {
		print_message("%s\n", wrong_rules[i]);
		lab_add(lab, list);
		ns_run(-1,
		       "nft 'flush chain " CHAIN "; add rule " CHAIN " %s; add rule " CHAIN
		       " " RULE6 "'",
		       wrong_rules[i]);
		lab_check_fails(lab, list, NO_RULE4);
		lab_add(lab, list);
		lab_check(lab, list);
		lab_assert_has(RULE4);
		ns_run(-1, "nft flush ruleset");
	}
}

static void lists_that_nobody_knows_get_their_rules_back(void **state)
{
	static const char *const ways[] = { "flush table inet podwire", "delete chain " CHAIN,
					    "delete chain " CHAIN "; add chain " CHAIN };
	const struct lab_list *list = whole();
	struct lab *lab = *state;

	lab_add(lab, list);
	for (size_t i = 0; i < TEST_COUNT(ways); i++) {
		damage(ways[i]);
		lab_add(lab, lab_list(""));
		lab_check(lab, list);
	}
}

static void every_damaged_table_can_be_swept(void **state)
{
	struct lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(damages); i++) {
		print_message("%s\n", damages[i].command);
		lab_add(lab, whole());
		damage(damages[i].command);
		lab_sweep(lab, NULL);
		lab_assert_ruleset("");

		lab_add(lab, whole());
		lab_add(lab, lab_list(""));
		damage(damages[i].command);
		lab_sweep(lab, lab_list(""));
		lab_assert_lacks(HASH);
		ns_run(-1, "nft flush ruleset");
	}
}

/* The other pods of the node. */
struct others {
	const struct lab_list *const *lists;
	size_t n;
	int asked;
	int fail;
};

static int give_others(struct masq_others *to, void *arg, struct pw_error *err)
{
	struct others *o = arg;
	int r = 0;

	o->asked++;
	for (size_t i = 0; r == 0 && i < o->n; i++)
		r = masq_others_add(to, &o->lists[i]->list, err);
	return o->fail ? pw_fail(err, o->fail, PW_E_IO, "no records") : r;
}

static void a_vanished_table_comes_back_with_all_lists(void **state)
{
	static const char *const ways[] = { "flush ruleset", "flush table inet podwire",
					    "delete chain " CHAIN };
	struct lab *lab = *state;
	const struct lab_list *a = lab_list(EXCLUDED), *b = lab_list(""), *c = whole();
	const struct lab_list *const lists[] = { a, b, c, a };

	for (size_t i = 0; i < TEST_COUNT(ways); i++) {
		struct others others = { .lists = lists, .n = TEST_COUNT(lists) };

		lab_add(lab, a);
		lab_add(lab, b);
		lab_add(lab, c);
		damage(ways[i]);
		assert_int_equal(masq_add(lab->sock, &c->list, give_others, &others, &lab->err), 0);
		assert_int_equal(others.asked, 1);
		lab_check(lab, a);
		lab_check(lab, b);
		lab_check(lab, c);
		assert_int_equal(lab_count("masquerade"), 6);
		/* the node is whole: nobody has to be asked */
		assert_int_equal(masq_add(lab->sock, &c->list, give_others, &others, &lab->err), 0);
		assert_int_equal(others.asked, 1);
		ns_run(-1, "nft flush ruleset");
	}
}

static void a_first_pod_of_a_list_is_no_reason_to_ask(void **state)
{
	struct lab *lab = *state;
	struct others others = {};

	lab_add(lab, lab_list(EXCLUDED));
	assert_int_equal(masq_add(lab->sock, &lab_list("")->list, give_others, &others, &lab->err),
			 0);
	assert_int_equal(others.asked, 0);
}

static void a_failing_provider_leaves_the_table_to_be_mended(void **state)
{
	struct lab *lab = *state;
	const struct lab_list *a = lab_list(EXCLUDED);
	struct others others = { .fail = EIO };

	assert_int_equal(masq_add(lab->sock, &a->list, give_others, &others, &lab->err), -EIO);
	assert_string_equal(lab->err.msg, "no records");
	lab_assert_ruleset("");
	others.fail = 0;
	assert_int_equal(masq_add(lab->sock, &a->list, give_others, &others, &lab->err), 0);
	lab_check(lab, a);
}

/* More than a socket's send buffer holds at first: a list a pod. */
#define MANY 2000

static int give_many(struct masq_others *to, void *arg, struct pw_error *err)
{
	int r = 0;

	(void)arg;
	for (unsigned int i = 0; r == 0 && i < MANY; i++) {
		struct cidr exclusion = { { AF_INET, { 10, 64, i / 256, i % 256 } }, 32 };
		struct masq_list list = { .exclusions = &exclusion, .n_exclusions = 1 };

		r = masq_others_add(to, &list, err);
	}
	return r;
}

static void many_lists_come_back_at_once(void **state)
{
	const struct lab_list *a = lab_list(EXCLUDED);
	struct lab *lab = *state;

	if (masq_add(lab->sock, &a->list, give_many, NULL, &lab->err) != 0)
		fail_msg("%s", lab->err.msg);
	lab_check(lab, a);
	assert_int_equal(lab_count("masquerade"), 2 * MANY + 2);
	assert_int_equal(lab_sweep(lab, a), 1);
	assert_int_equal(lab_count("masquerade"), 2);
	lab_check(lab, a);
}

static void a_list_of_many_prefixes_is_whole(void **state)
{
	static struct cidr many[MANY];
	const struct masq_list list = { .exclusions = many, .n_exclusions = MANY };
	struct lab *lab = *state;

	for (unsigned int i = 0; i < MANY; i++)
		many[i] = (struct cidr){ { AF_INET, { 10, i / 256, i % 256 } }, 25 };
	if (masq_add(lab->sock, &list, NULL, NULL, &lab->err) != 0)
		fail_msg("%s", lab->err.msg);
	assert_int_equal(masq_check(lab->sock, &list, &lab->err), 0);
	assert_int_equal(lab_count(".0/25"), MANY);
}

/* As the plugin does it: one process at a time, by a lock. */
static int add_in_child(int i, const char *lock)
{
	const struct lab_list *list = i % 3 ? lab_list(EXCLUDED) : whole();
	_cleanup_(nlsock_freep) struct nlsock *sock = NULL;
	_cleanup_(closep) int fd = open(lock, O_RDWR | O_CLOEXEC);
	struct lab lab = {};
	int r;

	r = nlsock_open(NETLINK_NETFILTER, &sock, &lab.err);
	lab.sock = sock;
	for (int round = 0; r == 0 && round < 5; round++) {
		flock(fd, LOCK_EX);
		lab_add(&lab, list);
		lab_check(&lab, list);
		flock(fd, LOCK_UN);
		flock(fd, LOCK_EX);
		if (round < 4)
			lab_sweep(&lab, list); /* takes the others' */
		else
			lab_add(&lab, list);
		flock(fd, LOCK_UN);
	}
	return r == 0 ? 0 : 1;
}

/* Somebody else's transactions, hundreds a second and without a lock; a process group. */
static pid_t start_noise(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		setpgid(0, 0);
		execl("/bin/sh", "sh", "-c",
		      "while echo add table ip noise && echo delete table ip noise; do :; "
		      "done | "
		      "PATH=$PATH:/usr/sbin nft -i >/dev/null",
		      (char *)NULL);
		_exit(127);
	}
	setpgid(pid, pid);
	return pid;
}

static void all_of_20_processes_get_their_rules(void **state)
{
	char lock[] = "/tmp/masq-lock-XXXXXX";
	pid_t pids[20], noise;

	(void)state;
	close(mkstemp(lock));
	noise = start_noise();
	for (int i = 0; i < 20; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			_exit(add_in_child(i + 1, lock));
	}
	for (int i = 0; i < 20; i++) {
		int status = 0;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	kill(-noise, SIGKILL);
	waitpid(noise, NULL, 0);
	unlink(lock);
	assert_in_range(lab_count("masquerade"), 2, 4);
}

#define TEST(f) cmocka_unit_test_teardown(f, lab_clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_damage_is_seen_and_mended),
		TEST(a_rule_that_says_something_else_is_none),
		TEST(lists_that_nobody_knows_get_their_rules_back),
		TEST(every_damaged_table_can_be_swept),
		TEST(a_vanished_table_comes_back_with_all_lists),
		TEST(a_first_pod_of_a_list_is_no_reason_to_ask),
		TEST(a_failing_provider_leaves_the_table_to_be_mended),
		TEST(many_lists_come_back_at_once),
		TEST(a_list_of_many_prefixes_is_whole),
		TEST(all_of_20_processes_get_their_rules),
	};
	int r = ns_isolate();

	if (r == 0)
		r = ns_need("ip", "nft", NULL);
	if (r != 0)
		return r;
	return cmocka_run_group_tests(tests, lab_setup_without_wires, lab_teardown);
}
