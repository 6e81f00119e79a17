/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Masquerading as packets see it. */
#include "test.h"

#include "masq_lab.h"

#define EXCLUDED "198.51.100.0/24 2001:db8:1::/64"

static void without_masquerading_the_pod_is_seen(void **state)
{
	struct lab *lab = *state;

	assert_string_equal(lab_source(lab, lab->pod, POD4, WORLD4), POD4);
	assert_string_equal(lab_source(lab, lab->pod, POD6, WORLD6), POD6);
}

static void a_masqueraded_pod_is_seen_as_the_node(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_pod("vethpw000000001", POD4 " " POD6, EXCLUDED));
	assert_string_equal(lab_source(lab, lab->pod, POD4, WORLD4), NODE4);
	assert_string_equal(lab_source(lab, lab->pod, POD6, WORLD6), NODE6);
}

static void excluded_destinations_see_the_pod(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_pod("vethpw000000001", POD4 " " POD6, EXCLUDED));
	assert_string_equal(lab_source(lab, lab->pod, POD4, EXCLUDED4), POD4);
	assert_string_equal(lab_source(lab, lab->pod, POD6, EXCLUDED6), POD6);
}

static void everything_can_be_excluded(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_pod("vethpw000000001", POD4 " " POD6, "0.0.0.0/0 ::/0"));
	assert_string_equal(lab_source(lab, lab->pod, POD4, WORLD4), POD4);
	assert_string_equal(lab_source(lab, lab->pod, POD6, WORLD6), POD6);
}

static void each_pod_has_its_own_exclusions(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_pod("vethpw000000001", POD4, EXCLUDED));
	lab_add(lab, lab_pod("vethpw000000002", OTHER_POD4, ""));
	assert_string_equal(lab_source(lab, lab->pod, POD4, EXCLUDED4), POD4);
	assert_string_equal(lab_source(lab, lab->other_pod, OTHER_POD4, EXCLUDED4), NODE4);
	assert_string_equal(lab_source(lab, lab->other_pod, OTHER_POD4, WORLD4), NODE4);
}

static void only_the_pods_own_family_is_masqueraded(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_pod("vethpw000000001", POD6, ""));
	assert_string_equal(lab_source(lab, lab->pod, POD4, WORLD4), POD4);
	assert_string_equal(lab_source(lab, lab->pod, POD6, WORLD6), NODE6);
}

static void a_removed_pod_is_seen_again_and_others_are_not(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_pod("vethpw000000001", POD4 " " POD6, EXCLUDED));
	lab_add(lab, lab_pod("vethpw000000002", OTHER_POD4 " " OTHER_POD6, EXCLUDED));
	assert_int_equal(lab_remove(lab, "vethpw000000001", POD4 " " POD6), 1);
	assert_string_equal(lab_source(lab, lab->pod, POD4, WORLD4), POD4);
	assert_string_equal(lab_source(lab, lab->pod, POD6, WORLD6), POD6);
	assert_string_equal(lab_source(lab, lab->other_pod, OTHER_POD4, WORLD4), NODE4);
	assert_string_equal(lab_source(lab, lab->other_pod, OTHER_POD6, WORLD6), NODE6);
}

static void a_pod_that_got_the_address_has_its_own_exclusions(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_pod("vethpw00000000a", POD4, ""));
	assert_string_equal(lab_source(lab, lab->pod, POD4, EXCLUDED4), NODE4);
	lab_add(lab, lab_pod("vethpw00000000b", POD4, EXCLUDED));
	assert_string_equal(lab_source(lab, lab->pod, POD4, EXCLUDED4), POD4);
	assert_string_equal(lab_source(lab, lab->pod, POD4, WORLD4), NODE4);
}

static void a_mended_table_masquerades_again(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_pod("vethpw000000001", POD4 " " POD6, EXCLUDED));
	ns_run(-1, "nft flush table inet podwire");
	assert_string_equal(lab_source(lab, lab->pod, POD4, WORLD4), POD4);
	lab_add(lab, lab_pod("vethpw000000001", POD4 " " POD6, EXCLUDED));
	assert_string_equal(lab_source(lab, lab->pod, POD4, WORLD4), NODE4);
	assert_string_equal(lab_source(lab, lab->pod, POD4, EXCLUDED4), POD4);
	assert_string_equal(lab_source(lab, lab->pod, POD6, WORLD6), NODE6);
	assert_string_equal(lab_source(lab, lab->pod, POD6, EXCLUDED6), POD6);
}

#define TEST(f) cmocka_unit_test_teardown(f, lab_clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_masquerading_the_pod_is_seen),
		TEST(a_masqueraded_pod_is_seen_as_the_node),
		TEST(excluded_destinations_see_the_pod),
		TEST(everything_can_be_excluded),
		TEST(each_pod_has_its_own_exclusions),
		TEST(only_the_pods_own_family_is_masqueraded),
		TEST(a_removed_pod_is_seen_again_and_others_are_not),
		TEST(a_pod_that_got_the_address_has_its_own_exclusions),
		TEST(a_mended_table_masquerades_again),
	};
	int r = ns_isolate();

	if (r == 0)
		r = ns_need("ip", "nft", NULL);
	if (r != 0)
		return r;
	return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
