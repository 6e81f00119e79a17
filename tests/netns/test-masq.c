/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table that masquerading keeps: what is in it, when it comes and when it goes. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "masq_lab.h"

#define EXCLUDED "10.0.0.0/8 fd00::/8"
#define HASH "0f9a3dd51bc17870"    /* of EXCLUDED */
#define GROUP "1539405936"         /* likewise */
#define NO_HASH "efd01f60ba992926" /* of nothing */

static const char whole_table[] = "table inet podwire {\n"
				  "\tset to4_" HASH " {\n"
				  "\t\ttype ipv4_addr\n"
				  "\t\tflags interval\n"
				  "\t\telements = { 10.0.0.0/8 }\n"
				  "\t}\n"
				  "\n"
				  "\tset to6_" HASH " {\n"
				  "\t\ttype ipv6_addr\n"
				  "\t\tflags interval\n"
				  "\t\telements = { fd00::/8 }\n"
				  "\t}\n"
				  "\n"
				  "\tchain postrouting {\n"
				  "\t\ttype nat hook postrouting priority srcnat; policy accept;\n"
				  "\t\tiifgroup " GROUP " ip daddr != @to4_" HASH " masquerade\n"
				  "\t\tiifgroup " GROUP " ip6 daddr != @to6_" HASH " masquerade\n"
				  "\t}\n"
				  "}\n";

static void nft_prints_the_whole_table(void **state)
{
	lab_add(*state, lab_list(EXCLUDED));
	lab_assert_ruleset(whole_table);
}

/* Prints and loads it, and nothing has changed but who wrote it. */
static void what_nft_prints_loads_as_the_same_table(void **state)
{
	struct lab *lab = *state;
	const struct lab_list *lists[] = {
		lab_list(EXCLUDED),
		lab_list("0.0.0.0/8 10.0.0.0/25 10.0.0.128/25 224.0.0.0/4 240.0.0.0/4"),
		lab_list_from(EXCLUDED, "10.9.0.0/16 2001:db8:9::/48"),
	};
	char *before, *after;

	for (size_t i = 0; i < TEST_COUNT(lists); i++)
		lab_add(lab, lists[i]);
	before = lab_ruleset();
	ns_run(-1, "t=$(nft list ruleset); nft flush ruleset; echo \"$t\" | nft -f -");
	after = lab_ruleset();
	assert_string_equal(before, after);
	free(before);
	free(after);

	/* and is ours still: nothing to mend, and it ends as it would have */
	for (size_t i = 0; i < TEST_COUNT(lists); i++)
		lab_check(lab, lists[i]);
	assert_int_equal(lab_sweep(lab, lists[2]), 1);
	lab_check(lab, lists[2]);
	assert_int_equal(lab_count("masquerade"), 2);
	assert_int_equal(lab_sweep(lab, NULL), 1);
	lab_assert_ruleset("");
}

static void its_json_loads_as_the_same_table(void **state)
{
	lab_add(*state, lab_list(EXCLUDED));
	ns_run(-1, "t=$(nft -j list ruleset); nft flush ruleset; echo \"$t\" | nft -j -f -");
	lab_assert_ruleset(whole_table);
}

/* To the last flag and user data: what nft keeps there for itself is not in what it prints. */
static void the_kernel_has_what_nft_would_have_made(void **state)
{
	static const char list[] = "nft --debug=netlink list ruleset | sed 's/postrouting .*//'";
	char *ours, *nfts;

	lab_add(*state, lab_list_from("0.0.0.0/8 10.0.0.0/8 224.0.0.0/3 fe80::/10", "10.9.0.1"));
	ours = ns_output(-1, list);
	ns_run(-1, "t=$(nft list ruleset); nft flush ruleset; echo \"$t\" | nft -f -");
	nfts = ns_output(-1, list);
	assert_string_equal(ours, nfts);
	free(ours);
	free(nfts);
}

static void lists_that_mean_the_same_are_one(void **state)
{
	static const char *const same[] = { EXCLUDED, "fd00::/8 10.0.0.0/8 10.1.0.0/16",
					    "10.0.0.0/8 10.0.0.0/8 fd00::/9 fd00::/8" };
	struct lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(same); i++) {
		lab_add(lab, lab_list(same[i]));
		assert_int_equal(lab_list(same[i])->group, lab_list(EXCLUDED)->group);
	}
	lab_assert_ruleset(whole_table);
	lab_add(lab, lab_list(""));
	assert_int_equal(lab_count("masquerade"), 4);
	lab_add(lab, lab_list_from(EXCLUDED, "10.9.0.1"));
	assert_int_equal(lab_count("masquerade"), 6);
}

static void groups_are_far_from_zero_and_no_negative_number(void **state)
{
	char text[32];

	(void)state;
	for (int i = 0; i < 200; i++) {
		snprintf(text, sizeof(text), "10.%d.0.0/16", i);
		assert_in_range(lab_list(text)->group, 1u << 30, (1u << 31) - 1);
		assert_int_not_equal(lab_list(text)->group, lab_list("")->group);
		assert_int_not_equal(lab_list(text)->group, lab_list_from("", text)->group);
		assert_int_not_equal(lab_list_from("", text)->group, lab_list("")->group);
	}
}

static void adding_again_changes_nothing(void **state)
{
	const struct lab_list *list = lab_list_from(EXCLUDED, "10.9.0.0/16");
	struct lab *lab = *state;
	char *before, *after;

	lab_add(lab, list);
	before = ns_output(-1, "nft -a list ruleset");
	for (int i = 0; i < 3; i++)
		lab_add(lab, list);
	after = ns_output(-1, "nft -a list ruleset");
	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void lists_go_when_no_link_has_their_group(void **state)
{
	const struct lab_list *lists[] = { lab_list(EXCLUDED), lab_list(""),
					   lab_list_from(EXCLUDED, "10.9.0.0/16") };
	struct lab *lab = *state;

	for (size_t i = 0; i < TEST_COUNT(lists); i++) {
		for (size_t j = 0; j < TEST_COUNT(lists); j++)
			lab_add(lab, lists[j]);
		assert_int_equal(lab_sweep(lab, lists[i]), 1);
		assert_int_equal(lab_count("masquerade"), 2);
		assert_int_equal(lab_count("\tset "), i == 2 ? 4 : 2);
		lab_check(lab, lists[i]);
		assert_int_equal(lab_sweep(lab, lists[i]), 0);
		lab_check(lab, lists[i]);
	}
	assert_int_equal(lab_sweep(lab, NULL), 1);
	lab_assert_ruleset("");
}

static void sweeping_is_idempotent(void **state)
{
	struct lab *lab = *state;

	for (int i = 0; i < 2; i++)
		assert_int_equal(lab_sweep(lab, NULL), 0);
	lab_add(lab, lab_list(EXCLUDED));
	assert_int_equal(lab_sweep(lab, NULL), 1);
	assert_int_equal(lab_sweep(lab, NULL), 0);
}

static void a_table_without_lists_goes(void **state)
{
	ns_run(-1, "nft add table inet podwire");
	assert_int_equal(lab_sweep(*state, NULL), 1);
	lab_assert_ruleset("");
}

static int cannot_tell(void *arg, const uint32_t *groups, bool *used, size_t n,
		       struct pw_error *err)
{
	(void)arg;
	(void)groups;
	(void)used;
	(void)n;
	return pw_fail(err, EIO, PW_E_IO, "no links");
}

static void nothing_goes_where_links_are_not_known(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_list(EXCLUDED));
	assert_int_equal(masq_sweep(lab->sock, cannot_tell, NULL, &lab->err), -EIO);
	assert_string_equal(lab->err.msg, "no links");
	lab_assert_ruleset(whole_table);
}

static void other_tables_are_not_touched(void **state)
{
	struct lab *lab = *state;
	char *before;

	ns_run(-1, "nft -f - <<'.'\n"
		   "table ip podwire {\n"
		   "set to4_" HASH " {\n type ipv4_addr\n flags interval\n"
		   "elements = { 10.1.1.2 }\n }\n }\n"
		   "table inet filter {\n chain forward {\n"
		   "type filter hook forward priority 0\n ct state established "
		   "accept\n }\n }\n"
		   "table ip nat {\n chain postrouting {\n"
		   "type nat hook postrouting priority 100\n }\n }\n"
		   ".");
	before = lab_ruleset();
	lab_add(lab, lab_list(EXCLUDED));
	lab_add(lab, lab_list(""));
	assert_int_equal(lab_sweep(lab, lab_list("")), 1);
	assert_int_equal(lab_sweep(lab, NULL), 1);
	lab_assert_ruleset(before);
	free(before);
}

static void an_operators_rules_in_our_chain_stay(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_list(EXCLUDED));
	ns_run(-1, "nft insert rule inet podwire postrouting oifname vpn0 accept;"
		   "nft add rule inet podwire postrouting ip saddr 10.9.0.1 snat ip "
		   "to 192.0.2.7");
	lab_check(lab, lab_list(EXCLUDED));
	lab_add(lab, lab_list(""));
	assert_int_equal(lab_sweep(lab, lab_list(EXCLUDED)), 1);
	lab_assert_has("oifname \"vpn0\" accept");
	lab_assert_has("192.0.2.7");
	assert_int_equal(lab_count("iifgroup"), 2);
	assert_int_equal(lab_sweep(lab, NULL), 1);
	lab_assert_ruleset("");
}

static void what_an_operator_refers_to_stays(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_list(EXCLUDED));
	lab_add(lab, lab_list(""));
	ns_run(-1, "nft add chain inet podwire mine;"
		   "nft add rule inet podwire mine ip saddr @to4_" HASH " counter;");
	assert_int_equal(lab_sweep(lab, lab_list("")), 1);
	lab_assert_has("set to4_" HASH);
	lab_assert_lacks("iifgroup " GROUP);
	lab_check(lab, lab_list(""));
	lab_add(lab, lab_list(EXCLUDED));
	lab_check(lab, lab_list(EXCLUDED));
	assert_int_equal(lab_sweep(lab, lab_list(EXCLUDED)), 1);
	lab_assert_lacks(NO_HASH);
}

#define TEST(f) cmocka_unit_test_teardown(f, lab_clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nft_prints_the_whole_table),
		TEST(what_nft_prints_loads_as_the_same_table),
		TEST(its_json_loads_as_the_same_table),
		TEST(the_kernel_has_what_nft_would_have_made),
		TEST(lists_that_mean_the_same_are_one),
		TEST(groups_are_far_from_zero_and_no_negative_number),
		TEST(adding_again_changes_nothing),
		TEST(lists_go_when_no_link_has_their_group),
		TEST(sweeping_is_idempotent),
		TEST(a_table_without_lists_goes),
		TEST(nothing_goes_where_links_are_not_known),
		TEST(other_tables_are_not_touched),
		TEST(an_operators_rules_in_our_chain_stay),
		TEST(what_an_operator_refers_to_stays),
	};
	int r = ns_isolate();

	if (r == 0)
		r = ns_need("ip", "nft", NULL);
	if (r != 0)
		return r;
	return cmocka_run_group_tests(tests, lab_setup_without_wires, lab_teardown);
}
