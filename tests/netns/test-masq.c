/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table that masquerading keeps: what is in it, when it comes and when it goes. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "masq_lab.h"

#define POD_A "vethpw00000000a"
#define POD_B "vethpw00000000b"
#define BOTH POD4 " " POD6
#define EXCLUDED "10.0.0.0/8 fd00::/8"

#define HASH "0f9a3dd51bc17870"    /* of EXCLUDED */
#define NO_HASH "efd01f60ba992926" /* of nothing */

static const char whole_table[] =
	"table inet podwire {\n"
	"\tset pods4_" HASH " {\n"
	"\t\ttype ipv4_addr\n"
	"\t\telements = { 10.1.1.2 comment \"vethpw00000000a\" }\n"
	"\t}\n"
	"\n"
	"\tset not4_" HASH " {\n"
	"\t\ttype ipv4_addr\n"
	"\t\tflags interval\n"
	"\t\telements = { 10.0.0.0/8 }\n"
	"\t}\n"
	"\n"
	"\tset pods6_" HASH " {\n"
	"\t\ttype ipv6_addr\n"
	"\t\telements = { fd00:0:0:1::2 comment \"vethpw00000000a\" }\n"
	"\t}\n"
	"\n"
	"\tset not6_" HASH " {\n"
	"\t\ttype ipv6_addr\n"
	"\t\tflags interval\n"
	"\t\telements = { fd00::/8 }\n"
	"\t}\n"
	"\n"
	"\tchain postrouting {\n"
	"\t\ttype nat hook postrouting priority srcnat; policy accept;\n"
	"\t\tip saddr @pods4_" HASH " ip daddr != @not4_" HASH " masquerade\n"
	"\t\tip6 saddr @pods6_" HASH " ip6 daddr != @not6_" HASH " masquerade\n"
	"\t}\n"
	"}\n";

static void nft_prints_the_whole_table(void **state)
{
	lab_add(*state, lab_pod(POD_A, BOTH, EXCLUDED));
	lab_assert_ruleset(whole_table);
}

static void what_nft_prints_loads_as_the_same_table(void **state)
{
	struct lab *lab = *state;
	const struct lab_pod *a = lab_pod(POD_A, BOTH, EXCLUDED);
	const struct lab_pod *b = lab_pod(
		POD_B, "10.1.2.2", "0.0.0.0/8 10.0.0.0/25 10.0.0.128/25 224.0.0.0/4 240.0.0.0/4");
	char *before, *after;

	lab_add(lab, a);
	lab_add(lab, b);
	before = lab_ruleset();
	ns_run(-1, "t=$(nft list ruleset); nft flush ruleset; echo \"$t\" | nft -f -");
	after = lab_ruleset();
	assert_string_equal(before, after);
	free(before);
	free(after);

	/* and is ours still: nothing to mend, and it ends as it would have */
	lab_check(lab, a);
	lab_check(lab, b);
	assert_int_equal(lab_remove(lab, POD_A, BOTH), 1);
	assert_int_equal(lab_remove(lab, POD_B, NULL), 1);
	lab_assert_ruleset("");
}

static void its_json_loads_as_the_same_table(void **state)
{
	lab_add(*state, lab_pod(POD_A, BOTH, EXCLUDED));
	ns_run(-1, "t=$(nft -j list ruleset); nft flush ruleset; echo \"$t\" | nft -j -f -");
	lab_assert_ruleset(whole_table);
}

/* To the last flag and user data: what nft keeps there for itself is not in what it prints. */
static void the_kernel_has_what_nft_would_have_made(void **state)
{
	static const char list[] = "nft --debug=netlink list ruleset | sed 's/postrouting .*//'";
	char *ours, *nfts;

	lab_add(*state, lab_pod(POD_A, BOTH, "0.0.0.0/8 10.0.0.0/8 224.0.0.0/3 fe80::/10"));
	ours = ns_output(-1, list);
	ns_run(-1, "t=$(nft list ruleset); nft flush ruleset; echo \"$t\" | nft -f -");
	nfts = ns_output(-1, list);
	assert_string_equal(ours, nfts);
	free(ours);
	free(nfts);
}

static void pods_with_the_same_exclusions_share_rules(void **state)
{
	struct lab *lab = *state;
	char owner[32], address[32];

	for (unsigned int i = 1; i <= 20; i++) {
		snprintf(owner, sizeof(owner), "vethpw%09u", i);
		snprintf(address, sizeof(address), "10.1.0.%u", i);
		lab_add(lab, lab_pod(owner, address,
				     i % 2 ? EXCLUDED : "fd00::/8 10.0.0.0/8 10.1.0.0/16"));
	}
	assert_int_equal(lab_count("masquerade"), 2);
	assert_int_equal(lab_count("comment"), 20);
	lab_add(lab, lab_pod(POD_A, "10.2.0.1", ""));
	assert_int_equal(lab_count("masquerade"), 4);
}

/* An IPAM that gives /32 and /128: each pod's own network, which is excluded, is the pod. */
static void host_prefixes_do_not_make_a_list_a_pod(void **state)
{
	struct lab *lab = *state;
	const struct lab_pod *a = lab_pod(POD_A, BOTH, "172.16.0.0/12 " POD4 "/32 " POD6 "/128");

	lab_add(lab, a);
	lab_add(lab, lab_pod(POD_B, OTHER_POD4 " " OTHER_POD6,
			     "172.16.0.0/12 " OTHER_POD4 " " OTHER_POD6));
	lab_check(lab, a);
	assert_int_equal(lab_count("masquerade"), 2);
	/* another pod's address is an exclusion like any other */
	lab_add(lab, lab_pod("vethpw00000000c", "10.9.0.1", "172.16.0.0/12 " POD4));
	assert_int_equal(lab_count("masquerade"), 4);
}

static void adding_again_changes_nothing(void **state)
{
	struct lab *lab = *state;
	const struct lab_pod *pod = lab_pod(POD_A, BOTH, EXCLUDED);
	char *before, *after;

	lab_add(lab, pod);
	before = ns_output(-1, "nft -a list ruleset");
	for (int i = 0; i < 3; i++)
		lab_add(lab, pod);
	after = ns_output(-1, "nft -a list ruleset");
	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void a_pod_without_addresses_needs_no_table(void **state)
{
	struct lab *lab = *state;
	const struct lab_pod *pod = lab_pod(POD_A, "", EXCLUDED);

	lab_add(lab, pod);
	lab_check(lab, pod);
	lab_assert_ruleset("");
}

static void an_address_given_twice_is_one_element(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_pod(POD_A, POD4 " " POD4 " " POD6, EXCLUDED));
	lab_assert_ruleset(whole_table);
	assert_int_equal(lab_remove(lab, POD_A, POD4 " " POD4 " " POD6 " " POD6), 1);
	lab_assert_ruleset("");
}

static void bad_pods_are_refused(void **state)
{
	struct lab *lab = *state;
	static const struct ipaddr none = {};
	const struct ipaddr some = lab_pod(POD_A, POD4, "")->addresses[0];
	const struct masq_pod pods[] = {
		{ .owner = "", .addresses = &some, .n_addresses = 1 },
		{ .owner = "0123456789abcdef", .addresses = &some, .n_addresses = 1 },
		{ .owner = POD_A, .addresses = &none, .n_addresses = 1 },
	};

	for (size_t i = 0; i < TEST_COUNT(pods); i++) {
		struct pw_error err = {};

		assert_int_equal(masq_add(lab->sock, &pods[i], NULL, NULL, &err), -EINVAL);
		assert_int_equal(err.code, PW_E_INTERNAL);
	}
	lab_assert_ruleset("");
}

static void a_moved_address_is_its_new_owners(void **state)
{
	struct lab *lab = *state;
	const struct lab_pod *b = lab_pod(POD_B, POD4, EXCLUDED);

	lab_add(lab, lab_pod(POD_A, BOTH, EXCLUDED));
	lab_add(lab, b);
	lab_check(lab, b);
	lab_assert_has("10.1.1.2 comment \"" POD_B "\"");
	lab_assert_has("fd00:0:0:1::2 comment \"" POD_A "\"");

	/* the old pod is late in leaving */
	assert_int_equal(lab_remove(lab, POD_A, BOTH), 1);
	lab_check(lab, b);
	assert_int_equal(lab_remove(lab, POD_A, BOTH), 0);
	assert_int_equal(lab_remove(lab, POD_A, NULL), 0);
	lab_check(lab, b);
	assert_int_equal(lab_remove(lab, POD_B, POD4), 1);
	lab_assert_ruleset("");
}

static void a_moved_address_takes_its_old_list_away(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_pod(POD_A, BOTH, EXCLUDED));
	lab_add(lab, lab_pod(POD_B, POD4, ""));
	assert_int_equal(lab_count("masquerade"), 4);
	lab_add(lab, lab_pod(POD_B, POD6, ""));
	assert_int_equal(lab_count("masquerade"), 2);
	lab_assert_lacks(HASH);

	/* the same pod with other exclusions, all at once */
	lab_add(lab, lab_pod(POD_B, BOTH, EXCLUDED));
	assert_int_equal(lab_count("masquerade"), 2);
	assert_int_equal(lab_remove(lab, POD_B, NULL), 1);
	lab_assert_ruleset("");
}

static void the_wrong_owner_removes_nothing(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_pod(POD_A, BOTH, EXCLUDED));
	assert_int_equal(lab_remove(lab, POD_B, BOTH), 0);
	assert_int_equal(lab_remove(lab, POD_B, NULL), 0);
	assert_int_equal(lab_remove(lab, "vethpw00000000", NULL), 0);
	lab_assert_ruleset(whole_table);
}

static void without_addresses_the_owner_is_looked_for(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_pod(POD_A, BOTH " 10.9.0.1", EXCLUDED));
	lab_add(lab, lab_pod(POD_B, OTHER_POD4, EXCLUDED));
	assert_int_equal(lab_remove(lab, POD_A, NULL), 1);
	lab_assert_lacks(POD_A);
	lab_assert_has(POD_B);
	assert_int_equal(lab_remove(lab, POD_B, NULL), 1);
	lab_assert_ruleset("");
}

static void removing_is_idempotent(void **state)
{
	struct lab *lab = *state;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(lab_remove(lab, POD_A, BOTH), 0);
		assert_int_equal(lab_remove(lab, POD_A, NULL), 0);
	}
	lab_add(lab, lab_pod(POD_A, BOTH, EXCLUDED));
	lab_add(lab, lab_pod(POD_B, OTHER_POD4, ""));
	assert_int_equal(lab_remove(lab, POD_A, BOTH), 1);
	assert_int_equal(lab_remove(lab, POD_A, BOTH), 0);
	assert_int_equal(lab_count("masquerade"), 2);
	assert_int_equal(lab_remove(lab, POD_B, OTHER_POD4), 1);
	assert_int_equal(lab_remove(lab, POD_B, OTHER_POD4), 0);
	lab_assert_ruleset("");
}

static void a_table_without_pods_goes(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_pod(POD_A, POD4, EXCLUDED));
	ns_run(-1, "nft flush set inet podwire pods4_" HASH);
	assert_int_equal(lab_remove(lab, POD_A, POD4), 0);
	lab_assert_ruleset("");
}

static void other_tables_are_not_touched(void **state)
{
	struct lab *lab = *state;
	char *before;

	ns_run(-1, "nft -f - <<'.'\n"
		   "table ip podwire {\n"
		   "set pods4_" HASH " {\n type ipv4_addr\n"
		   "elements = { 10.1.1.2 comment \"" POD_A "\" }\n }\n }\n"
		   "table inet filter {\n chain forward {\n"
		   "type filter hook forward priority 0\n ct state established "
		   "accept\n }\n }\n"
		   "table ip nat {\n chain postrouting {\n"
		   "type nat hook postrouting priority 100\n }\n }\n"
		   ".");
	before = lab_ruleset();
	lab_add(lab, lab_pod(POD_A, BOTH, EXCLUDED));
	lab_add(lab, lab_pod(POD_B, BOTH, EXCLUDED));
	assert_int_equal(lab_remove(lab, POD_A, NULL), 0);
	assert_int_equal(lab_remove(lab, POD_B, NULL), 1);
	lab_assert_ruleset(before);
	free(before);
}

static void an_operators_rules_in_our_chain_stay(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_pod(POD_A, BOTH, EXCLUDED));
	ns_run(-1, "nft insert rule inet podwire postrouting oifname vpn0 accept;"
		   "nft add rule inet podwire postrouting ip saddr 10.9.0.1 snat ip "
		   "to 192.0.2.7");
	lab_check(lab, lab_pod(POD_A, BOTH, EXCLUDED));
	lab_add(lab, lab_pod(POD_B, OTHER_POD4, EXCLUDED));
	lab_add(lab, lab_pod("vethpw00000000c", "10.9.0.9", ""));
	assert_int_equal(lab_remove(lab, "vethpw00000000c", NULL), 1);
	lab_assert_has("oifname \"vpn0\" accept");
	lab_assert_has("192.0.2.7");
	assert_int_equal(lab_remove(lab, POD_A, BOTH), 1);
	assert_int_equal(lab_remove(lab, POD_B, OTHER_POD4), 1);
	lab_assert_ruleset("");
}

static void what_an_operator_refers_to_stays(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_pod(POD_A, BOTH, EXCLUDED));
	lab_add(lab, lab_pod(POD_B, OTHER_POD4, ""));
	ns_run(-1, "nft add chain inet podwire mine;"
		   "nft add rule inet podwire mine ip saddr @pods4_" HASH " counter;"
		   "nft add rule inet podwire mine ip daddr @not4_" NO_HASH " counter");
	assert_int_equal(lab_remove(lab, POD_A, BOTH), 1);
	lab_assert_has("set pods4_" HASH);
	lab_assert_lacks(POD_A);
	lab_add(lab, lab_pod(POD_A, BOTH, EXCLUDED));
	assert_int_equal(lab_remove(lab, POD_B, OTHER_POD4), 1);
	lab_assert_has("set not4_" NO_HASH);
	lab_assert_lacks(POD_B);
}

#define TEST(f) cmocka_unit_test_teardown(f, lab_clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nft_prints_the_whole_table),
		TEST(what_nft_prints_loads_as_the_same_table),
		TEST(its_json_loads_as_the_same_table),
		TEST(the_kernel_has_what_nft_would_have_made),
		TEST(pods_with_the_same_exclusions_share_rules),
		TEST(host_prefixes_do_not_make_a_list_a_pod),
		TEST(adding_again_changes_nothing),
		TEST(a_pod_without_addresses_needs_no_table),
		TEST(an_address_given_twice_is_one_element),
		TEST(bad_pods_are_refused),
		TEST(a_moved_address_is_its_new_owners),
		TEST(a_moved_address_takes_its_old_list_away),
		TEST(the_wrong_owner_removes_nothing),
		TEST(without_addresses_the_owner_is_looked_for),
		TEST(removing_is_idempotent),
		TEST(a_table_without_pods_goes),
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
