/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table that masquerading keeps: what is in it, when it comes and when it goes. */
#include <stdlib.h>
#include <string.h>

#include "masq_lab.h"
#include "test.h"

#define POD_A "vethpw00000000a"
#define POD_B "vethpw00000000b"
#define BOTH POD4 " " POD6
#define EXCLUDED "10.0.0.0/8 fd00::/8"

static const char whole_table[] =
	"table inet podwire {\n"
	"\tmap pods4 {\n"
	"\t\ttype ipv4_addr : verdict\n"
	"\t\telements = { 10.1.1.2 comment \"vethpw00000000a\" : jump to_0f9a3dd51bc17870 }\n"
	"\t}\n"
	"\n"
	"\tmap pods6 {\n"
	"\t\ttype ipv6_addr : verdict\n"
	"\t\telements = { fd00:0:0:1::2 comment \"vethpw00000000a\" : jump "
	"to_0f9a3dd51bc17870 }\n"
	"\t}\n"
	"\n"
	"\tset not4_0f9a3dd51bc17870 {\n"
	"\t\ttype ipv4_addr\n"
	"\t\tflags interval\n"
	"\t\telements = { 10.0.0.0/8 }\n"
	"\t}\n"
	"\n"
	"\tset not6_0f9a3dd51bc17870 {\n"
	"\t\ttype ipv6_addr\n"
	"\t\tflags interval\n"
	"\t\telements = { fd00::/8 }\n"
	"\t}\n"
	"\n"
	"\tchain to_0f9a3dd51bc17870 {\n"
	"\t\tip daddr @not4_0f9a3dd51bc17870 return\n"
	"\t\tip6 daddr @not6_0f9a3dd51bc17870 return\n"
	"\t\tmasquerade\n"
	"\t}\n"
	"\n"
	"\tchain postrouting {\n"
	"\t\ttype nat hook postrouting priority srcnat; policy accept;\n"
	"\t\tip saddr vmap @pods4\n"
	"\t\tip6 saddr vmap @pods6\n"
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

/*
 * nft 1.0.6 cannot load its own JSON of a map that jumps (it lists maps before the chains that they
 * name, and reads in that order), so the chains are put first here.
 */
static void nft_json_loads_as_the_same_table(void **state)
{
	char *before, *after;

	if (ns_try(-1, "command -v python3 >/dev/null") != 0)
		skip();
	lab_add(*state, lab_pod(POD_A, BOTH, EXCLUDED));
	before = ns_output(-1, "nft list ruleset | sort");
	ns_run(-1, "t=$(nft -j list ruleset); nft flush ruleset; echo \"$t\" | python3 -c '"
		   "import json, sys; o = json.load(sys.stdin)[\"nftables\"];"
		   "order = [\"metainfo\", \"table\", \"chain\", \"set\", \"map\", \"rule\"];"
		   "o.sort(key=lambda x: order.index(next(iter(x))));"
		   "print(json.dumps({\"nftables\": o}))' | nft -j -f -");
	after = ns_output(-1, "nft list ruleset | sort");
	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void pods_with_the_same_exclusions_share_a_chain(void **state)
{
	struct lab *lab = *state;
	char owner[32], address[32];

	for (unsigned int i = 1; i <= 20; i++) {
		snprintf(owner, sizeof(owner), "vethpw%09u", i);
		snprintf(address, sizeof(address), "10.1.0.%u", i);
		lab_add(lab, lab_pod(owner, address,
				     i % 2 ? EXCLUDED : "fd00::/8 10.0.0.0/8 10.1.0.0/16"));
	}
	assert_int_equal(lab_count("chain to_"), 1);
	assert_int_equal(lab_count(": jump to_"), 20);
	lab_add(lab, lab_pod(POD_A, "10.2.0.1", ""));
	assert_int_equal(lab_count("chain to_"), 2);
	assert_int_equal(lab_count("ip saddr vmap"), 1);
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

static void a_moved_address_takes_its_old_chain_away(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_pod(POD_A, BOTH, EXCLUDED));
	lab_add(lab, lab_pod(POD_B, POD4, ""));
	assert_int_equal(lab_count("chain to_"), 2);
	lab_add(lab, lab_pod(POD_B, POD6, ""));
	assert_int_equal(lab_count("chain to_"), 1);
	lab_assert_lacks("0f9a3dd51bc17870");

	/* the same pod with other exclusions, all at once */
	lab_add(lab, lab_pod(POD_B, BOTH, EXCLUDED));
	assert_int_equal(lab_count("chain to_"), 1);
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
	assert_int_equal(lab_count("chain to_"), 1);
	assert_int_equal(lab_remove(lab, POD_B, OTHER_POD4), 1);
	assert_int_equal(lab_remove(lab, POD_B, OTHER_POD4), 0);
	lab_assert_ruleset("");
}

static void a_table_without_pods_goes(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_pod(POD_A, POD4, EXCLUDED));
	ns_run(-1, "nft flush map inet podwire pods4");
	assert_int_equal(lab_remove(lab, POD_A, POD4), 0);
	lab_assert_ruleset("");
}

static void other_tables_are_not_touched(void **state)
{
	struct lab *lab = *state;
	char *before;

	ns_run(-1, "nft -f - <<'.'\n"
		   "table ip podwire {\n"
		   "chain to_0 {\n counter\n }\n"
		   "map pods4 {\n type ipv4_addr : verdict\n"
		   "elements = { 10.1.1.2 comment \"" POD_A "\" : jump to_0 }\n }\n }\n"
		   "table inet filter {\n chain forward {\n"
		   "type filter hook forward priority 0\n ct state established accept\n }\n }\n"
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

static void an_operators_rules_in_our_chains_stay(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_pod(POD_A, BOTH, EXCLUDED));
	ns_run(-1, "nft insert rule inet podwire postrouting oifname vpn0 accept;"
		   "nft insert rule inet podwire to_0f9a3dd51bc17870 ip daddr 203.0.113.9 return");
	lab_check(lab, lab_pod(POD_A, BOTH, EXCLUDED));
	lab_add(lab, lab_pod(POD_B, OTHER_POD4, EXCLUDED));
	lab_assert_has("oifname \"vpn0\" accept");
	lab_assert_has("203.0.113.9");
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
		   "nft add rule inet podwire mine ip saddr 10.9.0.0/16 jump to_0f9a3dd51bc17870;"
		   "nft add rule inet podwire mine ip daddr @not4_efd01f60ba992926 counter");
	assert_int_equal(lab_remove(lab, POD_A, BOTH), 1);
	lab_assert_has("chain to_0f9a3dd51bc17870");
	lab_add(lab, lab_pod(POD_A, BOTH, EXCLUDED));
	assert_int_equal(lab_remove(lab, POD_B, OTHER_POD4), 1);
	lab_assert_has("set not4_efd01f60ba992926");
	lab_assert_lacks(POD_B);
}

#define TEST(f) cmocka_unit_test_teardown(f, lab_clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nft_prints_the_whole_table),
		TEST(what_nft_prints_loads_as_the_same_table),
		TEST(nft_json_loads_as_the_same_table),
		TEST(pods_with_the_same_exclusions_share_a_chain),
		TEST(adding_again_changes_nothing),
		TEST(a_pod_without_addresses_needs_no_table),
		TEST(an_address_given_twice_is_one_element),
		TEST(bad_pods_are_refused),
		TEST(a_moved_address_is_its_new_owners),
		TEST(a_moved_address_takes_its_old_chain_away),
		TEST(the_wrong_owner_removes_nothing),
		TEST(without_addresses_the_owner_is_looked_for),
		TEST(removing_is_idempotent),
		TEST(a_table_without_pods_goes),
		TEST(other_tables_are_not_touched),
		TEST(an_operators_rules_in_our_chains_stay),
		TEST(what_an_operator_refers_to_stays),
	};
	int r = ns_isolate();

	if (r == 0)
		r = ns_need("ip", "nft", NULL);
	if (r != 0)
		return r;
	return cmocka_run_group_tests(tests, lab_setup_without_wires, lab_teardown);
}
