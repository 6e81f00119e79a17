/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Masquerading as packets see it. */
#include "test.h"

#include "masq_lab.h"

#define EXCLUDED "198.51.100.0/24 2001:db8:1::/64"
#define GUEST4 "10.1.1.77"
#define GUEST6 "fd00:0:0:1::77"

/* By all of the lab's ways, what the pod sends to the world is seen as from @v4 and @v6. */
static void assert_seen(struct lab *lab, const char *v4, const char *v6)
{
	assert_string_equal(lab_source(lab, lab->pod, POD4, WORLD4), v4);
	assert_string_equal(lab_source(lab, lab->pod, POD6, WORLD6), v6);
}

static void without_masquerading_the_pod_is_seen(void **state)
{
	assert_seen(*state, POD4, POD6);
}

static void a_masqueraded_pod_is_seen_as_the_node(void **state)
{
	struct lab *lab = *state;

	lab_join(POD_LINK, lab_list(EXCLUDED));
	lab_add(lab, lab_list(EXCLUDED));
	assert_seen(lab, NODE4, NODE6);
}

static void a_pod_of_no_group_is_seen(void **state)
{
	struct lab *lab = *state;

	lab_add(lab, lab_list(EXCLUDED));
	assert_seen(lab, POD4, POD6);
	lab_join(OTHER_POD_LINK, lab_list(EXCLUDED));
	assert_seen(lab, POD4, POD6);
}

static void excluded_destinations_see_the_pod(void **state)
{
	struct lab *lab = *state;

	lab_join(POD_LINK, lab_list(EXCLUDED));
	lab_add(lab, lab_list(EXCLUDED));
	assert_string_equal(lab_source(lab, lab->pod, POD4, EXCLUDED4), POD4);
	assert_string_equal(lab_source(lab, lab->pod, POD6, EXCLUDED6), POD6);
}

static void everything_can_be_excluded(void **state)
{
	struct lab *lab = *state;

	lab_join(POD_LINK, lab_list("0.0.0.0/0 ::/0"));
	lab_add(lab, lab_list("0.0.0.0/0 ::/0"));
	assert_seen(lab, POD4, POD6);
}

static void each_pod_has_its_own_exclusions(void **state)
{
	struct lab *lab = *state;

	lab_join(POD_LINK, lab_list(EXCLUDED));
	lab_join(OTHER_POD_LINK, lab_list(""));
	lab_add(lab, lab_list(EXCLUDED));
	lab_add(lab, lab_list(""));
	assert_string_equal(lab_source(lab, lab->pod, POD4, EXCLUDED4), POD4);
	assert_string_equal(lab_source(lab, lab->other_pod, OTHER_POD4, EXCLUDED4), NODE4);
	assert_string_equal(lab_source(lab, lab->other_pod, OTHER_POD4, WORLD4), NODE4);
}

/* A virtual machine in the pod, or a service address that the pod answers from. */
static void sources_that_stay_are_seen(void **state)
{
	const struct lab_list *list = lab_list_from(EXCLUDED, GUEST4 " " GUEST6);
	struct lab *lab = *state;

	ns_run(lab->pod,
	       "ip addr add " GUEST4 "/32 dev lo; ip addr add " GUEST6 "/128 dev eth0 nodad");
	lab_join(POD_LINK, list);
	lab_add(lab, list);
	assert_string_equal(lab_source(lab, lab->pod, GUEST4, WORLD4), GUEST4);
	assert_string_equal(lab_source(lab, lab->pod, GUEST6, WORLD6), GUEST6);
	assert_seen(lab, NODE4, NODE6);
	/* and are masqueraded with a list that doesn't name them */
	lab_join(POD_LINK, lab_list(EXCLUDED));
	lab_add(lab, lab_list(EXCLUDED));
	assert_string_equal(lab_source(lab, lab->pod, GUEST4, WORLD4), NODE4);
	assert_string_equal(lab_source(lab, lab->pod, GUEST6, WORLD6), NODE6);
	ns_run(lab->pod, "ip addr del " GUEST4 "/32 dev lo; ip addr del " GUEST6 "/128 dev eth0");
}

static void a_pod_whose_list_is_swept_is_seen_again_and_others_are_not(void **state)
{
	struct lab *lab = *state;

	lab_join(POD_LINK, lab_list(EXCLUDED));
	lab_join(OTHER_POD_LINK, lab_list(""));
	lab_add(lab, lab_list(EXCLUDED));
	lab_add(lab, lab_list(""));
	assert_int_equal(lab_sweep(lab, lab_list("")), 1);
	assert_seen(lab, POD4, POD6);
	assert_string_equal(lab_source(lab, lab->other_pod, OTHER_POD4, WORLD4), NODE4);
	assert_string_equal(lab_source(lab, lab->other_pod, OTHER_POD6, WORLD6), NODE6);
}

static void a_mended_table_masquerades_again(void **state)
{
	struct lab *lab = *state;

	lab_join(POD_LINK, lab_list(EXCLUDED));
	lab_add(lab, lab_list(EXCLUDED));
	ns_run(-1, "nft flush table inet podwire");
	assert_seen(lab, POD4, POD6);
	lab_add(lab, lab_list(EXCLUDED));
	assert_seen(lab, NODE4, NODE6);
	assert_string_equal(lab_source(lab, lab->pod, POD4, EXCLUDED4), POD4);
	assert_string_equal(lab_source(lab, lab->pod, POD6, EXCLUDED6), POD6);
}

static int clean(void **state)
{
	lab_join(POD_LINK, NULL);
	lab_join(OTHER_POD_LINK, NULL);
	return lab_clean(state);
}

#define TEST(f) cmocka_unit_test_teardown(f, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_masquerading_the_pod_is_seen),
		TEST(a_masqueraded_pod_is_seen_as_the_node),
		TEST(a_pod_of_no_group_is_seen),
		TEST(excluded_destinations_see_the_pod),
		TEST(everything_can_be_excluded),
		TEST(each_pod_has_its_own_exclusions),
		TEST(sources_that_stay_are_seen),
		TEST(a_pod_whose_list_is_swept_is_seen_again_and_others_are_not),
		TEST(a_mended_table_masquerades_again),
	};
	int r = ns_isolate();

	if (r == 0)
		r = ns_need("ip", "nft", NULL);
	if (r != 0)
		return r;
	return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
