/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <string.h>

#include "netconf.h"

static void digest(const char *text, char ret[17])
{
	struct netconf conf = {};
	struct pw_error err = {};

	if (netconf_parse(text, strlen(text), &conf, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	assert_int_equal(netconf_digest(&conf, ret, &err), 0);
	assert_int_equal(strlen(ret), 16);
	assert_int_equal(strspn(ret, "0123456789abcdef"), 16);
	netconf_done(&conf);
}

#define IPAM "\"ipam\":{\"type\":\"host-local\",\"ranges\":[[{\"subnet\":\"10.0.0.0/24\"}]]}"
#define BASE "{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400," IPAM "}"

/* GC goes by this: what a runtime puts in or rewrites makes no other network of it. */
static void what_a_runtime_does_to_a_config_is_nothing(void **state)
{
	static const char *const same[] = {
		BASE,
		" { \"name\" : \"n\" ,\n\"type\":\"podwire\",\t\"mtu\":1400, " IPAM " } ",
		"{\"cniVersion\":\"1.1.0\",\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400," IPAM
		"}",
		"{\"cniVersion\":\"0.4.0\",\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400," IPAM
		"}",
		"{" IPAM ",\"mtu\":1400,\"type\":\"podwire\",\"name\":\"n\"}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"ipam\":{\"ranges\":[[{"
		"\"subnet\":\"10.0.0.0/24\"}]],\"type\":\"host-local\"}}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"prevResult\":{\"ips\":[]}," IPAM
		"}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,"
		"\"runtimeConfig\":{\"mac\":\"02:00:00:00:00:01\"}," IPAM "}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"args\":{\"cni\":{}}," IPAM "}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,"
		"\"cni.dev/valid-attachments\":[],\"cni.dev/later\":7," IPAM "}",
		"{\"name\":\"\\u006e\",\"type\":\"podwire\",\"mtu\":1400," IPAM "}",
	};
	char want[17], got[17];

	(void)state;
	digest(same[0], want);
	for (size_t i = 1; i < TEST_COUNT(same); i++) {
		digest(same[i], got);
		if (strcmp(got, want) != 0)
			fail_msg("%s has another digest", same[i]);
	}
}

static void what_an_operator_changes_is_another_config(void **state)
{
	static const char *const other[] = {
		BASE,
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1401," IPAM "}",
		"{\"name\":\"m\",\"type\":\"podwire\",\"mtu\":1400," IPAM "}",
		"{\"name\":\"n\",\"type\":\"podwire\"," IPAM "}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"x\":null," IPAM "}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"x\":{}," IPAM "}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"x\":[]," IPAM "}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"x\":\"\"," IPAM "}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"x\":\"1\"," IPAM "}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"x\":1," IPAM "}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"x\":true," IPAM "}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"x\":[1,2]," IPAM "}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"x\":[2,1]," IPAM "}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"x\":[[1],2]," IPAM "}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"x\":[[1,2]]," IPAM "}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"x\":{\"a\":1,\"b\":2}," IPAM
		"}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"x\":{\"a\":2,\"b\":1}," IPAM
		"}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"x\":{\"a\":{\"b\":1}}," IPAM
		"}",
		/* what a runtime injects counts only where it injects it */
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"x\":{\"args\":1}," IPAM "}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"x\":{\"args\":2}," IPAM "}",
		"{\"name\":\"n\",\"type\":\"podwire\",\"mtu\":1400,\"ipam\":{\"type\":\"host-local\","
		"\"ranges\":[[{\"subnet\":\"10.0.1.0/24\"}]]}}",
	};
	char seen[TEST_COUNT(other)][17];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(other); i++) {
		digest(other[i], seen[i]);
		for (size_t j = 0; j < i; j++) {
			if (strcmp(seen[i], seen[j]) == 0)
				fail_msg("%s and %s have one digest", other[j], other[i]);
		}
	}
}

/* Records of before an upgrade are compared with what is computed after it. */
static void the_digest_never_changes(void **state)
{
	char got[17];

	(void)state;
	digest(BASE, got);
	assert_string_equal(got, "408a5183ac54f562");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_runtime_does_to_a_config_is_nothing),
		cmocka_unit_test(what_an_operator_changes_is_another_config),
		cmocka_unit_test(the_digest_never_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
