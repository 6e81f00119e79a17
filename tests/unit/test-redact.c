/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "json/jdec.h"
#include "report/redact.h"

static int setup(void **state)
{
	struct redact *r = redact_new();

	assert_non_null(r);
	assert_string_equal(redact_name(r, REDACT_POD, "web"), "<pod-1>");
	assert_string_equal(redact_name(r, REDACT_POD, "web-0.a"), "<pod-2>");
	assert_string_equal(redact_name(r, REDACT_NAMESPACE, "shop"), "<namespace-1>");
	assert_string_equal(redact_name(r, REDACT_POD, "what \"ever\""), "<pod-3>");
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	*state = redact_free(*state);
	return 0;
}

static void assert_text(struct redact *r, const char *text, const char *wanted)
{
	char *out = redact_text(r, text);

	assert_non_null(out);
	assert_string_equal(out, wanted);
	free(out);
}

static void known_names_are_found_where_a_word_may_begin(void **state)
{
	static const struct {
		const char *text, *out;
	} cases[] = {
		{ "", "" },
		{ "web", "<pod-1>" },
		{ "webs web1 aweb", "webs web1 aweb" },
		{ "shop/web, web.shop and web-0.a",
		  "<namespace-1>/<pod-1>, <pod-1>.<namespace-1> and <pod-2>" },
		{ "web-0.a-b web-0.ab", "<pod-2>-b <pod-1>-0.ab" },
		{ "podwire shop/web-0.a", "podwire <namespace-1>/<pod-2>" },
		{ "/run/netns/web", "/run/netns/<pod-1>" },
		{ "(web)[web]\"web\"", "(<pod-1>)[<pod-1>]\"<pod-1>\"" },
		{ "<web> <pod-1> <pod-x> <pod-99>", "<<pod-1>> <pod-1> <pod-x> <pod-99>" },
		{ "-web-:web:._web_", "-<pod-1>-:<pod-1>:._<pod-1>_" },
		{ "w\xc3\xa4web \xff", "w\xc3\xa4web \xff" },
	};

	for (size_t i = 0; i < TEST_COUNT(cases); i++)
		assert_text(*state, cases[i].text, cases[i].out);
}

static void what_looks_like_an_address_is_one(void **state)
{
	static const struct {
		const char *text, *out;
	} cases[] = {
		{ "10.1.0.2", "<ipv4-1>" },
		{ "10.1.0.2/24 10.1.0.3", "<ipv4-1>/24 <ipv4-2>" },
		{ "fd00::1, FD00:0:0::1", "<ipv6-1>, <ipv6-1>" },
		{ "10.1.0.2:80 [fd00::1]:80", "<ipv4-1>:80 [<ipv6-1>]:80" },
		{ "dev:10.1.0.2 to=10.1.0.3.", "dev:<ipv4-1> to=<ipv4-2>." },
		{ "ip-10.1.0.2-x 10.1.0.2_y", "ip-<ipv4-1>-x <ipv4-1>_y" },
		{ "::ffff:10.1.0.2", "<ipv6-2>" },
		{ "02:00:00:aa:bb:cc 02:00:00:AA:BB:CC", "<mac-1> <mac-1>" },
		{ "127.0.0.1 ::1 :: 0.0.0.0/0 169.254.1.1 fe80::1 ff02::1", NULL },
		{ "00:00:00:00:00:00 default localhost kube-system/x", NULL },
		{ "6.1.0-18-amd64 12:30:45 v1.2.3", NULL },
		{ "01234567-89ab-cdef-0123-456789abcdef", "<id-1>" },
		{ "cni-01234567-89ab-cdef-0123-456789abcdef", "cni-<id-1>" },
		{ "0123456789abcdef0123456789abcdef01234567", "<id-2>" },
		{ "vethpw0123abcde 0123456789abcdef", NULL },
	};

	for (size_t i = 0; i < TEST_COUNT(cases); i++)
		assert_text(*state, cases[i].text, cases[i].out ? cases[i].out : cases[i].text);
}

static void a_name_has_one_alias(void **state)
{
	struct redact *r = *state;

	assert_string_equal(redact_name(r, REDACT_POD, "web"), "<pod-1>");
	assert_string_equal(redact_name(r, REDACT_NAMESPACE, "web"), "<pod-1>");
	assert_string_equal(redact_name(r, REDACT_POD, "db"), "<pod-4>");
	assert_string_equal(redact_name(r, REDACT_NAMESPACE, "default"), "default");
	assert_string_equal(redact_name(r, REDACT_UID, ""), "");
}

static void keys_and_values_of_a_tree(void **state)
{
	static const char text[] = "{\"web\":[\"web\",{\"10.1.0.2\":1}],\"n\":[7,true,1.5,\"x\"]}";
	static const char wanted[] =
		"{\"<pod-1>\":[\"<pod-1>\",{\"<ipv4-1>\":1}],\"n\":[7,true,1.5,\"x\"]}";
	_cleanup_(json_object_putp) struct json_object *v = NULL, *out = NULL;

	assert_int_equal(jdec_parse(text, sizeof(text) - 1, "t", &v, NULL), 0);
	out = redact_value(*state, v);
	assert_non_null(out);
	assert_string_equal(json_object_to_json_string_ext(out, JSON_C_TO_STRING_PLAIN), wanted);
	assert_string_equal(json_object_to_json_string_ext(v, JSON_C_TO_STRING_PLAIN), text);
}

static void long_texts_are_no_trouble(void **state)
{
	size_t size = 3000;
	char *text = malloc(size + 1);

	assert_non_null(text);
	for (const char *c = ".:-aweb1"; *c; c++) {
		memset(text, *c, size);
		text[size] = '\0';
		if (*c == 'a' || *c == '1') { /* a number of that many digits, of nobody's */
			assert_text(*state, text, text);
			continue;
		}
		free(redact_text(*state, text));
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(known_names_are_found_where_a_word_may_begin, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_looks_like_an_address_is_one, setup, teardown),
		cmocka_unit_test_setup_teardown(a_name_has_one_alias, setup, teardown),
		cmocka_unit_test_setup_teardown(keys_and_values_of_a_tree, setup, teardown),
		cmocka_unit_test_setup_teardown(long_texts_are_no_trouble, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
