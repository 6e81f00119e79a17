/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "json/jenc.h"
#include "result.h"

static struct result decode(const char *text, enum spec spec)
{
	struct json_object *v = NULL;
	struct result res = {};
	struct pw_error err = {};

	assert_int_equal(jdec_parse(text, strlen(text), "test", &v, NULL), 0);
	if (result_decode(v, spec, "IPAM result", PW_E_IPAM, &res, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	json_object_put(v); /* what it borrowed is still there: it has a reference of its own */
	return res;
}

static void assert_encoded(const struct result *res, enum spec spec, const char *want)
{
	struct json_object *v = NULL;
	struct pw_error err = {};

	if (result_encode(res, spec, &v, &err) < 0)
		fail_msg("%s: %s", spec_names[spec], err.msg);
	assert_string_equal(jenc_text(v), want);
	json_object_put(v);
}

/* One result with everything in it that 1.1.0 knows, and its form in each version. */
#define LISTS_0_3(version)                                                                 \
	"{\"cniVersion\":\"" version "\",\"interfaces\":[{\"name\":\"vethpw1\","           \
	"\"mac\":\"02:00:00:00:00:01\"},{\"name\":\"eth0\",\"mac\":\"02:00:00:00:00:02\"," \
	"\"sandbox\":\"/run/netns/x\"}],\"ips\":[{\"version\":\"4\",\"interface\":1,"      \
	"\"address\":\"10.1.0.2/24\",\"gateway\":\"10.1.0.1\"},{\"version\":\"6\","        \
	"\"interface\":1,\"address\":\"fd00::2/64\"},{\"version\":\"4\",\"interface\":1,"  \
	"\"address\":\"10.1.0.3/24\",\"gateway\":\"10.1.0.1\"}],\"routes\":[{\"dst\":"     \
	"\"0.0.0.0/0\"},{\"dst\":\"10.2.0.0/16\",\"gw\":\"10.1.0.9\"},{\"dst\":\"::/0\","  \
	"\"gw\":\"fd00::1\"}],\"dns\":{\"nameservers\":[\"10.0.0.53\"]}}"

#define OLD(version)                                                                           \
	"{\"cniVersion\":\"" version "\",\"ip4\":{\"ip\":\"10.1.0.2/24\",\"gateway\":"         \
	"\"10.1.0.1\",\"routes\":[{\"dst\":\"0.0.0.0/0\"},{\"dst\":\"10.2.0.0/16\","           \
	"\"gw\":\"10.1.0.9\"}]},\"ip6\":{\"ip\":\"fd00::2/64\",\"routes\":[{\"dst\":\"::/0\"," \
	"\"gw\":\"fd00::1\"}]},\"dns\":{\"nameservers\":[\"10.0.0.53\"]}}"

static const char *const forms[_SPEC_MAX] = {
	[SPEC_0_1_0] = OLD("0.1.0"),
	[SPEC_0_2_0] = OLD("0.2.0"),
	[SPEC_0_3_0] = LISTS_0_3("0.3.0"),
	[SPEC_0_3_1] = LISTS_0_3("0.3.1"),
	[SPEC_0_4_0] = LISTS_0_3("0.4.0"),
	[SPEC_1_0_0] =
		"{\"cniVersion\":\"1.0.0\",\"interfaces\":[{\"name\":\"vethpw1\","
		"\"mac\":\"02:00:00:00:00:01\"},{\"name\":\"eth0\",\"mac\":\"02:00:00:00:00:02\","
		"\"sandbox\":\"/run/netns/x\"}],\"ips\":[{\"interface\":1,"
		"\"address\":\"10.1.0.2/24\",\"gateway\":\"10.1.0.1\"},{\"interface\":1,"
		"\"address\":\"fd00::2/64\"},{\"interface\":1,\"address\":\"10.1.0.3/24\","
		"\"gateway\":\"10.1.0.1\"}],\"routes\":[{\"dst\":\"0.0.0.0/0\"},"
		"{\"dst\":\"10.2.0.0/16\",\"gw\":\"10.1.0.9\"},{\"dst\":\"::/0\","
		"\"gw\":\"fd00::1\"}],\"dns\":{\"nameservers\":[\"10.0.0.53\"]}}",
	[SPEC_1_1_0] =
		"{\"cniVersion\":\"1.1.0\",\"interfaces\":[{\"name\":\"vethpw1\","
		"\"mac\":\"02:00:00:00:00:01\",\"mtu\":1400},{\"name\":\"eth0\","
		"\"mac\":\"02:00:00:00:00:02\",\"mtu\":1400,\"sandbox\":\"/run/netns/x\","
		"\"socketPath\":\"/run/s\",\"pciID\":\"0000:01:00.0\"}],\"ips\":[{\"interface\":1,"
		"\"address\":\"10.1.0.2/24\",\"gateway\":\"10.1.0.1\"},{\"interface\":1,"
		"\"address\":\"fd00::2/64\"},{\"interface\":1,\"address\":\"10.1.0.3/24\","
		"\"gateway\":\"10.1.0.1\"}],\"routes\":[{\"dst\":\"0.0.0.0/0\",\"mtu\":1300,"
		"\"advmss\":0,\"priority\":7,\"table\":100,\"scope\":0},{\"dst\":\"10.2.0.0/16\","
		"\"gw\":\"10.1.0.9\"},{\"dst\":\"::/0\",\"gw\":\"fd00::1\"}],"
		"\"dns\":{\"nameservers\":[\"10.0.0.53\"]}}",
};

static void a_result_has_its_form_in_each_version(void **state)
{
	struct result res = decode(forms[SPEC_1_1_0], SPEC_0_2_0);

	(void)state;
	for (enum spec s = 0; s < _SPEC_MAX; s++)
		assert_encoded(&res, s, forms[s]);
	result_done(&res);
	result_done(&res); /* once more is nothing */
}

static void each_form_comes_back_as_it_went(void **state)
{
	(void)state;
	for (enum spec s = 0; s < _SPEC_MAX; s++) {
		struct result res = decode(forms[s], s);

		assert_encoded(&res, s, forms[s]);
		result_done(&res);
	}
}

static void an_older_form_becomes_a_newer_one(void **state)
{
	struct result res = decode(forms[SPEC_0_2_0], SPEC_0_2_0);

	(void)state;
	assert_encoded(&res, SPEC_1_1_0,
		       "{\"cniVersion\":\"1.1.0\",\"interfaces\":[],\"ips\":["
		       "{\"address\":\"10.1.0.2/24\",\"gateway\":\"10.1.0.1\"},"
		       "{\"address\":\"fd00::2/64\"}],\"routes\":[{\"dst\":\"0.0.0.0/0\"},"
		       "{\"dst\":\"10.2.0.0/16\",\"gw\":\"10.1.0.9\"},{\"dst\":\"::/0\","
		       "\"gw\":\"fd00::1\"}],\"dns\":{\"nameservers\":[\"10.0.0.53\"]}}");
	result_done(&res);
}

/* Plugins of before 0.3 leave cniVersion out, and some newer ones as well. */
static void without_a_version_the_calls_one_counts(void **state)
{
	static const char lists[] = "{\"ips\":[{\"address\":\"10.1.0.2/24\"}]}";
	static const char old[] = "{\"ip4\":{\"ip\":\"10.1.0.2/24\"}}";
	static const char empty_version[] =
		"{\"cniVersion\":\"\",\"ips\":[{\"address\":\"10.1.0.2/24\"}]}";
	struct result res;

	(void)state;
	res = decode(lists, SPEC_1_0_0);
	assert_int_equal(res.ips.n, 1);
	result_done(&res);
	res = decode(old, SPEC_0_2_0);
	assert_int_equal(res.ips.n, 1);
	result_done(&res);
	res = decode(empty_version, SPEC_0_3_1);
	assert_int_equal(res.ips.n, 1);
	result_done(&res);
	/* keys of the other form are unknown keys */
	res = decode(lists, SPEC_0_2_0);
	assert_int_equal(res.ips.n, 0);
	result_done(&res);
	res = decode(old, SPEC_1_0_0);
	assert_int_equal(res.ips.n, 0);
	result_done(&res);
}

static void what_go_writes_for_nothing_is_nothing(void **state)
{
	static const char text[] =
		"{\"cniVersion\":\"1.0.0\",\"interfaces\":null,\"ips\":[{\"interface\":null,"
		"\"address\":\"10.1.0.2/24\",\"gateway\":\"\"}],\"routes\":[{\"dst\":\"10.0.0.0/8\","
		"\"gw\":\"\"}],\"dns\":{},\"unknown\":[1]}";
	struct result res = decode(text, SPEC_1_0_0);
	const struct result_ip *ip = res.ips.v;
	const struct result_route *route = res.routes.v;

	(void)state;
	assert_int_equal(res.interfaces.n, 0);
	assert_int_equal(ip->interface, -1);
	assert_int_equal(ip->gateway.family, 0);
	assert_int_equal(route->gw.family, 0);
	assert_int_equal(route->has, 0);
	assert_non_null(res.dns);
	result_done(&res);
}

static void a_sandbox_that_is_empty_is_the_host(void **state)
{
	struct result res =
		decode("{\"interfaces\":[{\"name\":\"a\",\"sandbox\":\"\",\"mac\":\"\"},"
		       "{\"name\":\"b\",\"sandbox\":\"/x\"}]}",
		       SPEC_1_0_0);
	const struct result_interface *itf = res.interfaces.v;

	(void)state;
	assert_null(itf[0].sandbox);
	assert_string_equal(itf[1].sandbox, "/x");
	assert_encoded(&res, SPEC_1_0_0,
		       "{\"cniVersion\":\"1.0.0\",\"interfaces\":[{\"name\":\"a\"},"
		       "{\"name\":\"b\",\"sandbox\":\"/x\"}],\"ips\":[],\"dns\":{}}");
	result_done(&res);
}

static void a_routes_host_bits_are_cleared_as_go_does(void **state)
{
	struct result res = decode(
		"{\"routes\":[{\"dst\":\"10.1.2.3/16\"},{\"dst\":\"1.2.3.4/0\"}]}", SPEC_1_0_0);
	const struct result_route *route = res.routes.v;

	(void)state;
	assert_string_equal(CIDR_STR(&route[0].dst), "10.1.0.0/16");
	assert_true(cidr_is_default(&route[1].dst));
	result_done(&res);
}

static void no_address_has_no_old_form(void **state)
{
	struct result res = decode("{}", SPEC_1_1_0);

	(void)state;
	for (enum spec s = 0; s < _SPEC_MAX; s++) {
		struct json_object *v = NULL;
		struct pw_error err = {};
		int r = result_encode(&res, s, &v, &err);

		assert_int_equal(r, s < SPEC_0_3_0 ? -EINVAL : 0);
		if (r < 0)
			assert_int_equal(err.code, PW_E_VERSION);
		json_object_put(v);
	}
	result_done(&res);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_result_has_its_form_in_each_version),
		cmocka_unit_test(each_form_comes_back_as_it_went),
		cmocka_unit_test(an_older_form_becomes_a_newer_one),
		cmocka_unit_test(without_a_version_the_calls_one_counts),
		cmocka_unit_test(what_go_writes_for_nothing_is_nothing),
		cmocka_unit_test(a_sandbox_that_is_empty_is_the_host),
		cmocka_unit_test(a_routes_host_bits_are_cleared_as_go_does),
		cmocka_unit_test(no_address_has_no_old_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
