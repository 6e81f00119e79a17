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

#define POD_A "vethpw00000000a"
#define POD_B "vethpw00000000b"
#define EXCLUDED "10.0.0.0/8 fd00::/8"
#define HASH "0f9a3dd51bc17870"

static const struct {
	const char *command;   /* to nft */
	const char *complaint; /* of the check */
} damages[] = {
	{ "flush ruleset", "table inet podwire is missing" },
	{ "delete table inet podwire", "table inet podwire is missing" },
	{ "add table inet podwire { flags dormant; }", "is dormant" },
	{ "flush table inet podwire", "chain postrouting of nftables table inet "
				      "podwire lacks the rule for set pods4_" HASH },
	{ "flush chain inet podwire postrouting", "lacks the rule for set pods4_" HASH },
	{ "delete chain inet podwire postrouting",
	  "chain postrouting of nftables table inet podwire is missing" },
	{ "flush chain inet podwire postrouting; add rule inet podwire postrouting "
	  "ip saddr @pods4_" HASH " ip daddr != @not4_" HASH " masquerade",
	  "lacks the rule for set pods6_" HASH },
	{ "flush chain inet podwire postrouting; add rule inet podwire postrouting "
	  "ip6 saddr @pods6_" HASH " ip6 daddr != @not6_" HASH " masquerade",
	  "lacks the rule for set pods4_" HASH },
	{ "delete chain inet podwire postrouting; add chain inet podwire "
	  "postrouting "
	  "{ type nat hook postrouting priority 90; }",
	  "is not hooked" },
	{ "delete chain inet podwire postrouting; add chain inet podwire "
	  "postrouting",
	  "is not hooked" },
	{ "flush set inet podwire not4_" HASH, "set not4_" HASH " of nftables table inet podwire" },
	{ "add element inet podwire not6_" HASH " { 2001:db8::/32 }", "set not6_" HASH },
	{ "flush set inet podwire pods4_" HASH, "10.1.1.2 is not in set pods4_" HASH },
	{ "delete element inet podwire pods6_" HASH " { " POD6 " }", "is not in set pods6_" HASH },
	{ "flush set inet podwire pods4_" HASH "; add element inet podwire pods4_" HASH " { " POD4
	  " }",
	  "is of \"\", not of " POD_A },
	{ "flush set inet podwire pods4_" HASH "; add element inet podwire pods4_" HASH " { " POD4
	  " comment \"a comment that is much longer than any owner\" }",
	  "is of \"\", not of " POD_A },
	{ "delete chain inet podwire postrouting; delete set inet podwire "
	  "pods4_" HASH,
	  "is missing" },
	{ "delete chain inet podwire postrouting; delete set inet podwire not4_" HASH
	  "; delete set inet podwire not6_" HASH,
	  "is missing" },
};

static void damage(const char *commands)
{
	ns_run(-1, "nft '%s'", commands);
}

static void every_damage_is_seen_and_mended(void **state)
{
	struct lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(damages); i++) {
		const struct lab_pod *pod = lab_pod(POD_A, POD4 " " POD6, EXCLUDED);
		char *before, *after;

		print_message("%s\n", damages[i].command);
		lab_add(lab, pod);
		lab_check(lab, pod);
		damage(damages[i].command);
		lab_check_fails(lab, pod, damages[i].complaint);
		lab_add(lab, pod);
		lab_check(lab, pod);
		after = ns_output(-1, "nft list ruleset | sort");
		ns_run(-1, "nft flush ruleset");
		lab_add(lab, pod);
		before = ns_output(-1, "nft list ruleset | sort");
		assert_string_equal(after, before);
		free(before);
		free(after);
		assert_int_equal(lab_remove(lab, POD_A, NULL), 1);
		lab_assert_ruleset("");
	}
}

static void a_rule_that_says_the_opposite_is_none(void **state)
{
	struct lab *lab = *state;
	const struct lab_pod *pod = lab_pod(POD_A, POD4, EXCLUDED);

	lab_add(lab, pod);
	damage("flush chain inet podwire postrouting; add rule inet podwire postrouting "
	       "ip saddr @pods4_" HASH " ip daddr @not4_" HASH " masquerade");
	lab_check_fails(lab, pod, "lacks the rule for set pods4_" HASH);
	lab_add(lab, pod);
	lab_check(lab, pod);
}

static void lists_of_pods_that_nobody_knows_get_their_rules_back(void **state)
{
	struct lab *lab = *state;
	const struct lab_pod *a = lab_pod(POD_A, POD4, EXCLUDED);

	lab_add(lab, a);
	damage("flush table inet podwire");
	lab_add(lab, lab_pod(POD_B, OTHER_POD4, ""));
	lab_check(lab, a);
	damage("delete chain inet podwire postrouting");
	lab_add(lab, lab_pod(POD_B, OTHER_POD4, ""));
	lab_check(lab, a);
	damage("delete chain inet podwire postrouting; add chain inet podwire "
	       "postrouting");
	lab_add(lab, lab_pod(POD_B, OTHER_POD4, ""));
	lab_check(lab, a);
}

static void every_damaged_table_can_be_removed(void **state)
{
	struct lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(damages); i++) {
		const struct lab_pod *pod = lab_pod(POD_A, POD4 " " POD6, EXCLUDED);

		print_message("%s\n", damages[i].command);
		lab_add(lab, pod);
		damage(damages[i].command);
		lab_remove(lab, POD_A, POD4 " " POD6);
		lab_assert_lacks("comment \"" POD_A "\"");
		ns_run(-1, "nft flush ruleset");
	}
}

/* The other pods of the node. */
struct others {
	const struct lab_pod *const *pods;
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
		r = masq_others_add(to, &o->pods[i]->pod, err);
	return o->fail ? pw_fail(err, o->fail, PW_E_IO, "no records") : r;
}

static void a_vanished_table_comes_back_with_all_pods(void **state)
{
	static const char *const ways[] = { "flush ruleset", "flush table inet podwire",
					    "delete chain inet podwire postrouting" };
	struct lab *lab = *state;
	const struct lab_pod *a = lab_pod(POD_A, POD4 " " POD6, EXCLUDED);
	const struct lab_pod *b = lab_pod(POD_B, OTHER_POD4, "");
	const struct lab_pod *c = lab_pod("vethpw00000000c", OTHER_POD6, EXCLUDED);
	const struct lab_pod *const pods[] = { a, b, c };

	for (size_t i = 0; i < TEST_COUNT(ways); i++) {
		struct others others = { .pods = pods, .n = 3 };

		lab_add(lab, a);
		lab_add(lab, b);
		lab_add(lab, c);
		damage(ways[i]);
		assert_int_equal(masq_add(lab->sock, &c->pod, give_others, &others, &lab->err), 0);
		assert_int_equal(others.asked, 1);
		lab_check(lab, a);
		lab_check(lab, b);
		lab_check(lab, c);
		/* the node is whole: nobody has to be asked */
		assert_int_equal(masq_add(lab->sock, &c->pod, give_others, &others, &lab->err), 0);
		assert_int_equal(others.asked, 1);
		ns_run(-1, "nft flush ruleset");
	}
}

static void a_first_pod_of_a_list_is_no_reason_to_ask(void **state)
{
	struct lab *lab = *state;
	struct others others = {};

	lab_add(lab, lab_pod(POD_A, POD4, EXCLUDED));
	assert_int_equal(masq_add(lab->sock, &lab_pod(POD_B, OTHER_POD4, "")->pod, give_others,
				  &others, &lab->err),
			 0);
	assert_int_equal(others.asked, 0);
}

static void the_added_pod_wins_over_the_others(void **state)
{
	struct lab *lab = *state;
	const struct lab_pod *old = lab_pod(POD_A, POD4 " " POD6, EXCLUDED);
	const struct lab_pod *older = lab_pod("vethpw00000000c", POD6 " 10.7.0.1", "");
	const struct lab_pod *new = lab_pod(POD_B, POD4, "");
	const struct lab_pod *const pods[] = { old, older, new };
	struct others others = { .pods = pods, .n = 3 };

	assert_int_equal(masq_add(lab->sock, &new->pod, give_others, &others, &lab->err), 0);
	lab_check(lab, new);
	lab_assert_has("10.1.1.2 comment \"" POD_B "\"");
	lab_assert_has("fd00:0:0:1::2 comment \"" POD_A "\"");
	lab_assert_has("10.7.0.1 comment \"vethpw00000000c\"");
	assert_int_equal(lab_count("comment"), 3);
}

static void elements_that_are_there_stay_as_they_are(void **state)
{
	struct lab *lab = *state;
	const struct lab_pod *a = lab_pod(POD_A, POD4, EXCLUDED);
	const struct lab_pod *late = lab_pod("vethpw00000000c", POD4, "");
	const struct lab_pod *const pods[] = { late };
	struct others others = { .pods = pods, .n = 1 };

	lab_add(lab, a);
	ns_run(-1, "nft flush table inet podwire");
	lab_add(lab, lab_pod(POD_B, OTHER_POD4, EXCLUDED));
	ns_run(-1, "nft flush chain inet podwire postrouting");
	assert_int_equal(masq_add(lab->sock, &lab_pod(POD_B, OTHER_POD4, EXCLUDED)->pod,
				  give_others, &others, &lab->err),
			 0);
	lab_check(lab, a);
}

static void a_failing_provider_leaves_the_table_to_be_mended(void **state)
{
	struct lab *lab = *state;
	const struct lab_pod *a = lab_pod(POD_A, POD4, EXCLUDED);
	struct others others = { .fail = EIO };

	assert_int_equal(masq_add(lab->sock, &a->pod, give_others, &others, &lab->err), -EIO);
	assert_string_equal(lab->err.msg, "no records");
	lab_assert_ruleset("");
	others.fail = 0;
	assert_int_equal(masq_add(lab->sock, &a->pod, give_others, &others, &lab->err), 0);
	lab_check(lab, a);
}

/* More than a socket's send buffer holds at first. */
#define MANY 2000

static int give_many(struct masq_others *to, void *arg, struct pw_error *err)
{
	const unsigned int *lists = arg;

	for (unsigned int i = 0; i < MANY; i++) {
		struct ipaddr addresses[2] = { { AF_INET, { 10, 64, i / 256, i % 256 } },
					       { AF_INET6,
						 { 0xfd, 0x64, [14] = i / 256, i % 256 } } };
		struct cidr exclusion = { { AF_INET, { 10, i % *lists } }, 16 };
		char owner[16];
		struct masq_pod pod = { .owner = owner,
					.addresses = addresses,
					.n_addresses = 2,
					.exclusions = &exclusion,
					.n_exclusions = 1 };
		int r;

		snprintf(owner, sizeof(owner), "vethpw%09x", i);
		r = masq_others_add(to, &pod, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static void many_pods_come_back_at_once(void **state)
{
	struct lab *lab = *state;
	unsigned int lists[] = { 1, 200 };

	for (size_t i = 0; i < TEST_COUNT(lists); i++) {
		const struct lab_pod *a = lab_pod(POD_A, POD4 " " POD6, EXCLUDED);

		if (masq_add(lab->sock, &a->pod, give_many, &lists[i], &lab->err) != 0)
			fail_msg("%s", lab->err.msg);
		lab_check(lab, a);
		assert_int_equal(lab_count("comment"), 2 * MANY + 2);
		assert_int_equal(lab_count("set not4_"), lists[i] + 1);
		assert_int_equal(lab_remove(lab, "vethpw000000064", NULL), 1);
		assert_int_equal(lab_count("comment"), 2 * MANY);
		ns_run(-1, "nft flush ruleset");
	}
}

/* As the plugin does it: one process at a time, by a lock. */
static int add_in_child(int i, const char *lock)
{
	_cleanup_(nlsock_freep) struct nlsock *sock = NULL;
	_cleanup_(closep) int fd = open(lock, O_RDWR | O_CLOEXEC);
	struct pw_error err = {};
	char owner[32], address[32];
	const struct lab_pod *pod;
	int r;

	snprintf(owner, sizeof(owner), "vethpw%09d", i);
	snprintf(address, sizeof(address), "10.1.3.%d", i);
	pod = lab_pod(owner, address, i % 3 ? EXCLUDED : "");
	r = nlsock_open(NETLINK_NETFILTER, &sock, &err);
	for (int round = 0; r == 0 && round < 5; round++) {
		flock(fd, LOCK_EX);
		r = masq_add(sock, &pod->pod, NULL, NULL, &err);
		flock(fd, LOCK_UN);
		flock(fd, LOCK_EX);
		if (r == 0 && round < 4)
			r = masq_remove(sock, owner, pod->addresses, 1, &err) == 1 ? 0 : -EBADMSG;
		flock(fd, LOCK_UN);
	}
	if (r < 0)
		print_message("process %d: %s\n", i, err.msg);
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

static void all_of_20_processes_keep_their_elements(void **state)
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
	assert_int_equal(lab_count("comment"), 20);
	assert_int_equal(lab_count("masquerade"), 4);
}

#define TEST(f) cmocka_unit_test_teardown(f, lab_clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_damage_is_seen_and_mended),
		TEST(a_rule_that_says_the_opposite_is_none),
		TEST(lists_of_pods_that_nobody_knows_get_their_rules_back),
		TEST(every_damaged_table_can_be_removed),
		TEST(a_vanished_table_comes_back_with_all_pods),
		TEST(a_first_pod_of_a_list_is_no_reason_to_ask),
		TEST(the_added_pod_wins_over_the_others),
		TEST(elements_that_are_there_stay_as_they_are),
		TEST(a_failing_provider_leaves_the_table_to_be_mended),
		TEST(many_pods_come_back_at_once),
		TEST(all_of_20_processes_keep_their_elements),
	};
	int r = ns_isolate();

	if (r == 0)
		r = ns_need("ip", "nft", NULL);
	if (r != 0)
		return r;
	return cmocka_run_group_tests(tests, lab_setup_without_wires, lab_teardown);
}
