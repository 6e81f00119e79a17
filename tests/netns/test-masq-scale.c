/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Others' rulesets and many pods do not slow down what is read. */
#include "test.h"

#include <stdlib.h>
#include <time.h>

#include "masq_lab.h"

#define ROUNDS 31
#define CHAINS 5000
#define PIECE 200
#define LISTS 100

static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

/* The fastest of many rounds: what it costs when nobody else wants the CPU. */
static double fastest_check(struct lab *lab, const struct lab_list *list)
{
	double best = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double begin = now_us(), took;

		lab_check(lab, list);
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
	const struct lab_list *list = lab_list("10.0.0.0/8 fd00::/8");
	struct lab *lab = *state;
	double alone, among;

	lab_add(lab, list);
	alone = fastest_check(lab, list);
	add_chains();
	among = fastest_check(lab, list);
	print_message("check: %.0f us alone, %.0f us beside %d chains\n", alone, among, CHAINS);
	/* reading 5,000 chains takes a hundred times as long */
	assert_true(among < 10 * alone);
	assert_int_equal(lab_sweep(lab, NULL), 1);
	lab_assert_has("table ip many");
	lab_assert_lacks("podwire");
}

/* A node has a handful of lists; what many pods have in common isn't there a pod. */
static void other_lists_elements_are_not_read(void **state)
{
	const struct lab_list *list = lab_list("");
	struct lab *lab = *state;
	double alone, among;
	char text[32];

	lab_add(lab, list);
	alone = fastest_check(lab, list);
	for (int i = 0; i < LISTS; i++) {
		snprintf(text, sizeof(text), "10.%d.0.0/16", i);
		lab_add(lab, lab_list(text));
	}
	among = fastest_check(lab, list);
	print_message("check: %.0f us alone, %.0f us beside %d lists\n", alone, among, LISTS);
	assert_true(among < 40 * alone);
	assert_int_equal(lab_count("masquerade"), 2 * LISTS + 2);
}

#define TEST(f) cmocka_unit_test_teardown(f, lab_clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(others_chains_are_not_read),
		TEST(other_lists_elements_are_not_read),
	};
	int r = ns_isolate();

	if (r == 0)
		r = ns_need("ip", "nft", NULL);
	if (r != 0)
		return r;
	return cmocka_run_group_tests(tests, lab_setup_without_wires, lab_teardown);
}
