/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "install/conflist.h"
#include "json/jdec.h"

static struct cidr pods(const char *text)
{
	struct cidr c;

	assert_int_equal(conflist_parse_pods(text, &c, NULL), 0);
	return c;
}

static void what_we_render_is_ours(void **state)
{
	const struct cidr both[] = { pods("10.1.0.0/24"), pods("fd00:1::/64") };

	(void)state;
	for (size_t n = 1; n <= 2; n++) {
		char *text = conflist_render(both, n);

		assert_non_null(text);
		assert_int_equal(conflist_judge(text, strlen(text)), CONFLIST_OURS);
		*strstr(text, "true") = 'T';
		assert_int_equal(conflist_judge(text, strlen(text)), CONFLIST_FOREIGN);
		*strstr(text, "True") = 't';
		*strstr(text, "pods") = 'q';
		assert_int_equal(conflist_judge(text, strlen(text)), CONFLIST_CHANGED);
		free(text);
	}
}

static void lists_are_told_apart(void **state)
{
	static const struct {
		const char *text;
		enum conflist_kind kind;
	} cases[] = {
		{ "", CONFLIST_FOREIGN },
		{ "[]", CONFLIST_FOREIGN },
		{ "{\"plugins\":[]}", CONFLIST_FOREIGN },
		{ "{\"plugins\":[{\"type\":\"bridge\",\"name\":\"podwire\"}]}", CONFLIST_FOREIGN },
		{ "{\"plugins\":[{\"type\":[\"podwire\"]}]}", CONFLIST_FOREIGN },
		{ "{\"type\":\"podwire\"}", CONFLIST_CHANGED },
		{ "{\"plugins\":[{\"type\":\"podwire\"}]}", CONFLIST_CHANGED },
		{ "{\"plugins\":[{\"type\":\"podwire\",\"ipam\":{\"ranges\":[]}}]}",
		  CONFLIST_CHANGED },
		{ "{\"plugins\":[{\"type\":\"podwire\",\"ipam\":{\"ranges\":[[],[],[],[]]}}]}",
		  CONFLIST_CHANGED },
		{ "{\"plugins\":[{\"type\":\"podwire\",\"ipam\":{\"ranges\":[[{\"subnet\":7}]]}}]}",
		  CONFLIST_CHANGED },
		{ "{\"plugins\":[{\"type\":\"flannel\",\"delegate\":{\"type\":\"podwire\"}}]}",
		  CONFLIST_CHANGED },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++)
		assert_int_equal(conflist_judge(cases[i].text, strlen(cases[i].text)),
				 cases[i].kind);
}

static int note(const char *type, void *arg)
{
	char *all = arg;
	size_t len = strlen(all);

	snprintf(all + len, 128 - len, "%s;", type);
	return strcmp(type, "stop") == 0 ? -ECANCELED : 0;
}

static void types_are_those_that_a_runtime_looks_for(void **state)
{
	static const struct {
		const char *text, *types;
		int r;
	} cases[] = {
		{ "{\"plugins\":[{\"type\":\"a\",\"ipam\":{\"type\":\"b\"}},{\"type\":\"c\"}]}",
		  "a;b;c;", 0 },
		{ "{\"plugins\":[{\"type\":\"a\",\"x\":{\"type\":\"no\"},\"ipam\":{}},5,{}]}", "a;",
		  0 },
		{ "{\"plugins\":[{\"type\":\"../a\"},{\"type\":7},{\"type\":\"\"}]}", "", 0 },
		{ "{\"plugins\":[{\"type\":\"stop\"},{\"type\":\"a\"}]}", "stop;", -ECANCELED },
		{ "{\"plugins\":{}}", "", 0 },
		{ "[]", "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		_cleanup_(json_object_putp) struct json_object *v = NULL;
		char all[128] = "";

		assert_int_equal(jdec_parse(cases[i].text, strlen(cases[i].text), "t", &v, NULL),
				 0);
		assert_int_equal(conflist_types(v, note, all), cases[i].r);
		assert_string_equal(all, cases[i].types);
	}
}

static void names_that_a_runtime_reads(void **state)
{
	(void)state;
	assert_true(conflist_is_name("10-podwire.conflist"));
	assert_true(conflist_is_name(".x.conf"));
	assert_true(conflist_is_name(".json"));
	assert_false(conflist_is_name("conf"));
	assert_false(conflist_is_name("x.conf.disabled"));
	assert_false(conflist_is_name(".10-podwire.conflist.tmp"));
	assert_false(conflist_is_name("x.CONF"));
}

static void prefixes_of_pods(void **state)
{
	static const struct {
		const char *text, *msg;
	} cases[] = {
		{ "10.1.0.0/30", NULL },
		{ "fd00::/126", NULL },
		{ "10.1.0.0/31", "10.1.0.0/31 has no room for pods" },
		{ "fd00::/127", "fd00::/127 has no room for pods" },
		{ "10.1.2.3/16", "10.1.2.3/16 has host bits set: did you mean 10.1.0.0/16?" },
		{ "10.1.0.0", "10.1.0.0 is not ADDRESS/LENGTH" },
		{ "", " is not ADDRESS/LENGTH" },
		{ "::/0", "::/0 is no prefix that pods can have" },
		{ "fe80::/64", "fe80::/64 is no prefix that pods can have" },
		{ "ff00::/8", "ff00::/8 is no prefix that pods can have" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct pw_error err = {};
		struct cidr c = {};
		int r = conflist_parse_pods(cases[i].text, &c, &err);

		assert_int_equal(r, cases[i].msg ? -EINVAL : 0);
		assert_string_equal(err.msg, cases[i].msg ? cases[i].msg : "");
		if (r < 0)
			assert_int_equal(err.code, PW_E_ENV);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_we_render_is_ours),
		cmocka_unit_test(lists_are_told_apart),
		cmocka_unit_test(types_are_those_that_a_runtime_looks_for),
		cmocka_unit_test(names_that_a_runtime_reads),
		cmocka_unit_test(prefixes_of_pods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
