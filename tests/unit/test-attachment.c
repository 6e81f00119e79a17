/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <string.h>

#include "base/hash.h"
#include "net/name.h"
#include "store/attachment.h"

#define CID64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct {
	struct attachment id;
	const char *name;
} known[] = {
	{ { "podwire", "cid", "eth0" }, "vethpw1737b53a8" },
	{ { "podwire", "cid", "eth1" }, "vethpwbbd058ea3" },
	{ { "podwire", "cid2", "eth0" }, "vethpwd08578d7c" },
	{ { "podwire", CID64, "eth0" }, "vethpw174211eee" },
	{ { "ab", "c", "eth0" }, "vethpw5af8b3c55" },
	{ { "a", "bc", "eth0" }, "vethpw47e3daa41" },
	{ { "", "", "" }, "vethpw6bc537b46" },
};

/*
 * Pods outlive an upgrade of the plugin: what was wired under one name is looked for under the same
 * by all that come after. A change here strands every pod that is there.
 */
static void names_never_change(void **state)
{
	char name[HOST_IFNAME_LEN];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(known); i++) {
		attachment_host_ifname(&known[i].id, name);
		assert_string_equal(name, known[i].name);
	}
}

static void names_are_links_of_ours(void **state)
{
	char name[HOST_IFNAME_LEN];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(known); i++) {
		memset(name, 'x', sizeof(name));
		attachment_host_ifname(&known[i].id, name);
		assert_int_equal(strlen(name), HOST_IFNAME_LEN - 1);
		assert_true(name_is_ifname(name));
		assert_int_equal(strncmp(name, HOST_IFNAME_PREFIX, 6), 0);
		assert_int_equal(strspn(name + 6, "0123456789abcdef"), 9);
	}
}

static void parts_do_not_run_into_each_other(void **state)
{
	static const struct attachment same_letters[] = {
		{ "ab", "cd", "ef" }, { "a", "bcd", "ef" }, { "abc", "d", "ef" },
		{ "ab", "cde", "f" }, { "abcd", "", "ef" }, { "", "abcd", "ef" },
		{ "cd", "ab", "ef" },
	};
	char name[TEST_COUNT(same_letters)][HOST_IFNAME_LEN];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(same_letters); i++) {
		attachment_host_ifname(&same_letters[i], name[i]);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(name[i], name[j]);
	}
}

static void equal_is_equal_in_all_three(void **state)
{
	static const struct attachment other[] = {
		{ "m", "c", "i" }, { "n", "d", "i" }, { "n", "c", "j" },
		{ "", "", "" },    { "nc", "", "i" },
	};
	const struct attachment a = { "n", "c", "i" };
	char n[] = "n", c[] = "c", i[] = "i";

	(void)state;
	assert_true(attachment_equal(&a, &(const struct attachment){ n, c, i }));
	for (size_t o = 0; o < TEST_COUNT(other); o++) {
		assert_false(attachment_equal(&a, &other[o]));
		assert_false(attachment_equal(&other[o], &a));
	}
}

/* The published vectors of FNV-1a, 64 bits. */
static void hash_is_fnv1a(void **state)
{
	(void)state;
	assert_true(hash_bytes(HASH_START, "", 0) == UINT64_C(0xcbf29ce484222325));
	assert_true(hash_bytes(HASH_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(hash_bytes(HASH_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
	assert_true(hash_end(HASH_START) == UINT64_C(0xefd01f60ba992926));
	assert_true(hash_end(0) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_never_change),
		cmocka_unit_test(names_are_links_of_ours),
		cmocka_unit_test(parts_do_not_run_into_each_other),
		cmocka_unit_test(equal_is_equal_in_all_three),
		cmocka_unit_test(hash_is_fnv1a),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
