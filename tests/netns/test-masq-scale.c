/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Others' rulesets and many pods do not slow down what is read. */
#include "test.h"

#include <stdlib.h>
#include <time.h>

#include "masq_lab.h"

#define ROUNDS 31
#define CHAINS 5000
#define PIECE 200
#define PODS 1000

static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

/* The fastest of many rounds: what it costs when nobody else wants the CPU. */
static double fastest_check(struct lab *lab, const struct lab_pod *pod)
{
	double best = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double begin = now_us(), took;

		lab_check(lab, pod);
		took = now_us() - begin;
		if (took < best)
			best = took;
	}
	return best;
}

/* In pieces: without root, a transaction is as small as a socket's send buffer. */
static void add_chains(void)
{
	for (int first = 0; first < CHAINS; first += PIECE)
		ns_run(-1,
		       "{ echo 'table ip many {'; seq -f 'chain service-%%.0f {' %d %d | "
		       "sed 's/$/\\n ip daddr 10.96.0.1 tcp dport 80 return\\n}/'; echo '}'; } | "
		       "nft -f -",
		       first, first + PIECE - 1);
}

static void others_chains_are_not_read(void **state)
{
	struct lab *lab = *state;
	const struct lab_pod *pod =
		lab_pod("vethpw00000000a", POD4 " " POD6, "10.0.0.0/8 fd00::/8");
	double alone, among;

	lab_add(lab, pod);
	alone = fastest_check(lab, pod);
	add_chains();
	among = fastest_check(lab, pod);
	print_message("check: %.0f us alone, %.0f us beside %d chains\n", alone, among, CHAINS);
	/* reading 5,000 chains takes a hundred times as long */
	assert_true(among < 10 * alone);
	assert_int_equal(lab_remove(lab, "vethpw00000000a", NULL), 1);
	lab_assert_has("table ip many");
	lab_assert_lacks("podwire");
}

static int give_pods(struct masq_others *to, void *arg, struct pw_error *err)
{
	int r = 0;

	(void)arg;
	for (unsigned int i = 0; r == 0 && i < PODS; i++) {
		const struct ipaddr address = { AF_INET, { 10, 64, i / 256, i % 256 } };
		char owner[16];
		struct masq_pod pod = { .owner = owner, .addresses = &address, .n_addresses = 1 };

		snprintf(owner, sizeof(owner), "vethpw%09x", i);
		r = masq_others_add(to, &pod, err);
	}
	return r;
}

static void other_pods_are_not_read(void **state)
{
	struct lab *lab = *state;
	const struct lab_pod *pod = lab_pod("vethpw0000fffff", POD4, "");
	double alone, among;

	lab_add(lab, pod);
	alone = fastest_check(lab, pod);
	ns_run(-1, "nft flush ruleset");
	assert_int_equal(masq_add(lab->sock, &pod->pod, give_pods, NULL, &lab->err), 0);
	among = fastest_check(lab, pod);
	print_message("check: %.0f us alone, %.0f us beside %d pods\n", alone, among, PODS);
	assert_true(among < 5 * alone);
	assert_int_equal(lab_remove(lab, "vethpw0000fffff", POD4), 1);
	assert_int_equal(lab_count("comment"), PODS);
}

#define TEST(f) cmocka_unit_test_teardown(f, lab_clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(others_chains_are_not_read),
		TEST(other_pods_are_not_read),
	};
	int r = ns_isolate();

	if (r == 0)
		r = ns_need("ip", "nft", NULL);
	if (r != 0)
		return r;
	return cmocka_run_group_tests(tests, lab_setup_without_wires, lab_teardown);
}
