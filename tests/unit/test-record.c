/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "store/record.h"

/* The record of ("podwire", "cid", "eth0"), with a hole for what a test puts in. */
#define HEAD "{\"version\":1,\"state\":\"ready\",\"bootId\":\"b\",\"configDigest\":\"d\","
#define IDENTITY "\"network\":\"podwire\",\"containerId\":\"cid\",\"ifname\":\"eth0\","
#define HOST "\"hostIfname\":\"vethpw1737b53a8\","
#define MACS "\"mac\":\"02:00:00:00:00:01\",\"hostMac\":\"02:00:00:00:00:02\""
#define GOOD HEAD IDENTITY HOST MACS

static int decode(const char *text, struct record *rec, struct pw_error *err)
{
	return record_decode(text, strlen(text), rec, err);
}

static void a_full_record_is_read(void **state)
{
	static const char text[] =
		"{\"version\":1,\"state\":\"adding\",\"bootId\":\"b-o-o-t\","
		"\"configDigest\":\"0123456789abcdef\"," IDENTITY "\"netns\":\"/run/netns/x\"," HOST
		"\"podNamespace\":\"default\",\"podName\":\"web-0\",\"podUid\":\"u\"," MACS
		",\"addresses\":[\"10.1.0.2/24\",\"fd00::2/64\"],\"ipMasq\":true,"
		"\"masqExclude\":[\"10.0.0.0/8\"],"
		"\"options\":{\"fastPath\":\"tc\",\"sourceCheck\":false,\"mtu\":1400}}";
	struct record rec = {};
	struct pw_error err = {};
	const struct cidr *a;

	(void)state;
	if (decode(text, &rec, &err) < 0)
		fail_msg("%s", err.msg);
	a = rec.addresses.v;
	assert_int_equal(rec.version, 1);
	assert_int_equal(rec.state, RECORD_ADDING);
	assert_string_equal(rec.boot_id, "b-o-o-t");
	assert_string_equal(rec.config_digest, "0123456789abcdef");
	assert_string_equal(rec.id.network, "podwire");
	assert_string_equal(rec.id.container_id, "cid");
	assert_string_equal(rec.id.ifname, "eth0");
	assert_string_equal(rec.netns, "/run/netns/x");
	assert_string_equal(rec.host_ifname, "vethpw1737b53a8");
	assert_string_equal(rec.pod_namespace, "default");
	assert_string_equal(rec.pod_name, "web-0");
	assert_string_equal(rec.pod_uid, "u");
	assert_string_equal(MAC_STR(&rec.pod_mac), "02:00:00:00:00:01");
	assert_string_equal(MAC_STR(&rec.host_mac), "02:00:00:00:00:02");
	assert_int_equal(rec.addresses.n, 2);
	assert_string_equal(CIDR_STR(&a[0]), "10.1.0.2/24");
	assert_string_equal(CIDR_STR(&a[1]), "fd00::2/64");
	assert_true(rec.ip_masq);
	assert_int_equal(rec.masq_exclude.n, 1);
	assert_int_equal(rec.options.fast_path, FAST_PATH_TC);
	assert_false(rec.options.source_check);
	assert_int_equal(rec.options.mtu, 1400);
	record_done(&rec);
	record_done(&rec); /* once more is nothing */
}

/* What a newer podwire of the same version may have added is none of our business. */
static void what_is_optional_or_unknown_may_be_there_or_not(void **state)
{
	static const char *const cases[] = {
		GOOD "}",
		GOOD ",\"later\":{\"deep\":[1]},\"slot\":7}",
		GOOD ",\"options\":{\"later\":true}}",
		GOOD ",\"netns\":null,\"podName\":null,\"addresses\":null,\"options\":null}",
		GOOD ",\"addresses\":[],\"ipMasq\":false}",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct record rec = {};
		struct pw_error err = {};

		if (decode(cases[i], &rec, &err) < 0)
			fail_msg("%s", err.msg);
		assert_int_equal(rec.state, RECORD_READY);
		assert_null(rec.netns);
		assert_null(rec.pod_name);
		assert_int_equal(rec.addresses.n, 0);
		assert_true(rec.options.source_check);
		assert_int_equal(rec.options.fast_path, FAST_PATH_AUTO);
		record_done(&rec);
	}
}

static void a_newer_version_is_told_from_a_broken_record(void **state)
{
	static const struct {
		const char *text, *msg;
		int r;
		enum pw_code code;
	} cases[] = {
		{ "{\"version\":2}", "record is of version 2, newer than 1", -EPROTONOSUPPORT,
		  PW_E_DECODE },
		{ "{\"version\":2,\"state\":{}}", "record is of version 2, newer than 1",
		  -EPROTONOSUPPORT, PW_E_DECODE },
		{ "{\"version\":2147483647}", "record is of version 2147483647, newer than 1",
		  -EPROTONOSUPPORT, PW_E_DECODE },
		{ "{\"version\":\"1\"}", "version: expected an integer, got a string", -EINVAL,
		  PW_E_CONFIG },
		{ "{\"version\":-1}", "version: -1 is not in 0..4294967295", -EINVAL, PW_E_CONFIG },
		{ "{}", "version: missing", -EINVAL, PW_E_CONFIG },
		{ "[]", "expected an object, got an array", -EINVAL, PW_E_CONFIG },
		{ "{", "record is not JSON: byte 1: unexpected end of data", -EINVAL, PW_E_DECODE },
		{ "", "record is not JSON: byte 0: unexpected end of data", -EINVAL, PW_E_DECODE },
		{ "null", "record is null", -EINVAL, PW_E_DECODE },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct record rec = { .version = 42 };
		struct pw_error err = {};

		assert_int_equal(decode(cases[i].text, &rec, &err), cases[i].r);
		assert_string_equal(err.msg, cases[i].msg);
		assert_int_equal(err.code, cases[i].code);
		assert_int_equal(rec.version, 42); /* untouched */
		assert_int_equal(decode(cases[i].text, &rec, NULL), cases[i].r);
	}
}

static void wrong_fields_are_named(void **state)
{
	static const struct {
		const char *text, *msg;
	} cases[] = {
		{ HEAD IDENTITY HOST "\"mac\":\"02:00:00:00:00:01\"}", "hostMac: missing" },
		{ HEAD IDENTITY MACS "}", "hostIfname: missing" },
		{ HEAD "\"network\":\"podwire\",\"ifname\":\"eth0\"," HOST MACS "}",
		  "containerId: missing" },
		{ HEAD "\"network\":\"../x\",\"containerId\":\"cid\",\"ifname\":\"eth0\"," HOST MACS
		       "}",
		  "network: \"../x\" is not a valid name" },
		{ HEAD "\"network\":\"podwire\",\"containerId\":\"\",\"ifname\":\"eth0\"," HOST MACS
		       "}",
		  "containerId: \"\" is not a valid name" },
		{ HEAD
		  "\"network\":\"podwire\",\"containerId\":\"cid\",\"ifname\":\"a/b\"," HOST MACS
		  "}",
		  "ifname: \"a/b\" is not an interface name" },
		{ HEAD IDENTITY "\"hostIfname\":\"../../etc/x\"," MACS "}",
		  "hostIfname: \"../../etc/x\" is not an interface name" },
		{ GOOD ",\"addresses\":[\"10.1.0.2\"]}",
		  "addresses[0]: \"10.1.0.2\" is not an address with prefix length" },
		{ GOOD ",\"ipMasq\":1}", "ipMasq: expected a boolean, got an integer" },
		{ GOOD ",\"masqExclude\":{}}", "masqExclude: expected an array, got an object" },
		{ GOOD ",\"options\":{\"mtu\":1}}", "options.mtu: 1 is not in 68..65535" },
		{ GOOD ",\"state\":\"gone\"}", "state: \"gone\" is none of \"adding\", \"ready\"" },
		{ GOOD ",\"mac\":\"ff:ff:ff:ff:ff:ff\"}",
		  "mac: \"ff:ff:ff:ff:ff:ff\" is not a unicast MAC address" },
		{ GOOD ",\"podUid\":7}", "podUid: expected a string, got an integer" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct record rec = {};
		struct pw_error err = {};

		assert_int_equal(decode(cases[i].text, &rec, &err), -EINVAL);
		assert_string_equal(err.msg, cases[i].msg);
		assert_int_equal(err.code, PW_E_CONFIG);
	}
}

/* DEL removes the link that a record names: it has to be the one of that attachment. */
static void a_record_of_another_host_end_is_refused(void **state)
{
	static const char *const cases[] = {
		HEAD IDENTITY "\"hostIfname\":\"eth0\"," MACS "}",
		HEAD IDENTITY "\"hostIfname\":\"vethpw000000000\"," MACS "}",
		HEAD
		"\"network\":\"podwire\",\"containerId\":\"cid\",\"ifname\":\"eth1\"," HOST MACS
		"}",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct record rec = {};
		struct pw_error err = {};

		assert_int_equal(decode(cases[i], &rec, &err), -EINVAL);
		assert_non_null(strstr(err.msg, "is not the name of this attachment, vethpw"));
		assert_int_equal(err.code, PW_E_CONFIG);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_record_is_read),
		cmocka_unit_test(what_is_optional_or_unknown_may_be_there_or_not),
		cmocka_unit_test(a_newer_version_is_told_from_a_broken_record),
		cmocka_unit_test(wrong_fields_are_named),
		cmocka_unit_test(a_record_of_another_host_end_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
