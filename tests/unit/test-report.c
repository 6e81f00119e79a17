/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "json/jenc.h"
#include "report.h"

static struct json_object *json(const char *text)
{
	struct json_object *v = NULL;

	assert_int_equal(jdec_parse(text, strlen(text), "test", &v, NULL), 0);
	return v;
}

static void read_result(const char *text, struct result *ret)
{
	struct json_object *v = json(text);
	struct pw_error err = {};

	if (result_decode(v, SPEC_1_1_0, "test", PW_E_IPAM, ret, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	json_object_put(v);
}

/* The report of a pod that was wired by this config, with what IPAM gave, after @prev. */
static int report(const char *config, const char *given, const char *prev, char *text, size_t size,
		  struct pw_error *err)
{
	struct wiring w = WIRING_NONE;
	struct netconf conf = {};
	struct request req = { .netns = "/run/netns/x", .ifname = "eth0" };
	struct facts facts = { .mtu = 1400 };
	struct result before = {};
	struct json_object *v = NULL;
	int r;

	if (netconf_parse(config, strlen(config), &conf, err) < 0)
		fail_msg("%s", err->msg);
	read_result(given, &w.given);
	read_result(prev, &before);
	w.req = &req;
	w.conf = &conf;
	w.plan.mtu = facts.mtu;
	assert_int_equal(plan_network(&conf, &facts, &w.given, &w.plan, err), 0);
	w.host_link = (struct link_info){ .name = "vethpw1",
					  .mtu = 1400,
					  .mac = { { 2, 0, 0, 0, 0, 1 } } };
	w.pod_link =
		(struct link_info){ .name = "eth0", .mtu = 1400, .mac = { { 2, 0, 0, 0, 0, 2 } } };

	r = report_add(&w, &before, &v, err);
	if (r == 0)
		snprintf(text, size, "%s", jenc_text(v));
	json_object_put(v);
	plan_done(&w.plan);
	result_done(&w.given);
	result_done(&before);
	netconf_done(&conf);
	return r;
}

#define CONFIG(members) "{\"cniVersion\":\"1.1.0\",\"name\":\"n\"" members "}"
#define LINKS                                                                \
	"{\"name\":\"vethpw1\",\"mac\":\"02:00:00:00:00:01\",\"mtu\":1400}," \
	"{\"name\":\"eth0\",\"mac\":\"02:00:00:00:00:02\",\"mtu\":1400,"     \
	"\"sandbox\":\"/run/netns/x\"}"
#define IP4 "{\"ips\":[{\"address\":\"10.1.0.2/24\",\"gateway\":\"10.1.0.1\"}]}"

static const struct {
	const char *config, *given, *prev, *want;
} rows[] = {
	/* a link alone */
	{ CONFIG(""), "{}", "{}",
	  "{\"cniVersion\":\"1.1.0\",\"interfaces\":[" LINKS "],\"ips\":[],\"dns\":{}}" },
	/* gateways are those that the pod's routes go through */
	{ CONFIG(""), IP4, "{}",
	  "{\"cniVersion\":\"1.1.0\",\"interfaces\":[" LINKS "],\"ips\":[{\"interface\":1,"
	  "\"address\":\"10.1.0.2/24\",\"gateway\":\"169.254.1.1\"}],\"dns\":{}}" },
	{ CONFIG(",\"gateway\":\"ipam\""), IP4, "{}",
	  "{\"cniVersion\":\"1.1.0\",\"interfaces\":[" LINKS "],\"ips\":[{\"interface\":1,"
	  "\"address\":\"10.1.0.2/24\",\"gateway\":\"10.1.0.1\"}],\"dns\":{}}" },
	{ CONFIG(""),
	  "{\"ips\":[{\"address\":\"fd00::2/64\"}],\"routes\":[{\"dst\":\"::/0\","
	  "\"gw\":\"fd00::9\",\"priority\":5},{\"dst\":\"0.0.0.0/0\"}]}",
	  "{}",
	  "{\"cniVersion\":\"1.1.0\",\"interfaces\":[" LINKS "],\"ips\":[{\"interface\":1,"
	  "\"address\":\"fd00::2/64\",\"gateway\":\"fe80::1\"}],\"routes\":[{\"dst\":\"::/0\","
	  "\"gw\":\"fe80::1\",\"priority\":5}],\"dns\":{}}" },
	/* of several to one place, each with its own */
	{ CONFIG(",\"gateway\":\"ipam\""),
	  "{\"ips\":[{\"address\":\"10.1.0.2/32\",\"gateway\":\"10.1.0.1\"}],\"routes\":["
	  "{\"dst\":\"0.0.0.0/0\",\"gw\":\"10.1.0.7\",\"table\":7},{\"dst\":\"0.0.0.0/0\"},"
	  "{\"dst\":\"0.0.0.0/0\",\"gw\":\"10.1.0.8\",\"priority\":8},"
	  "{\"dst\":\"10.1.0.1/32\"}]}",
	  "{}",
	  "{\"cniVersion\":\"1.1.0\",\"interfaces\":[" LINKS "],\"ips\":[{\"interface\":1,"
	  "\"address\":\"10.1.0.2/32\",\"gateway\":\"10.1.0.1\"}],\"routes\":["
	  "{\"dst\":\"0.0.0.0/0\",\"gw\":\"10.1.0.7\",\"table\":7},{\"dst\":\"0.0.0.0/0\","
	  "\"gw\":\"10.1.0.1\"},{\"dst\":\"0.0.0.0/0\",\"gw\":\"10.1.0.8\",\"priority\":8}],"
	  "\"dns\":{}}" },
	/* what came before us in the chain stays in front, and its indices right */
	{ CONFIG(""), IP4,
	  "{\"interfaces\":[{\"name\":\"lo\"}],\"ips\":[{\"interface\":0,"
	  "\"address\":\"127.0.0.1/8\"}],\"routes\":[{\"dst\":\"10.9.0.0/16\"}],"
	  "\"dns\":{\"domain\":\"before\"}}",
	  "{\"cniVersion\":\"1.1.0\",\"interfaces\":[{\"name\":\"lo\"}," LINKS "],\"ips\":["
	  "{\"interface\":0,\"address\":\"127.0.0.1/8\"},{\"interface\":2,"
	  "\"address\":\"10.1.0.2/24\",\"gateway\":\"169.254.1.1\"}],"
	  "\"routes\":[{\"dst\":\"10.9.0.0/16\"}],\"dns\":{\"domain\":\"before\"}}" },
	/* DNS: the config's, or else IPAM's, or else what was there */
	{ CONFIG(",\"dns\":{\"domain\":\"config\"}"), "{\"dns\":{\"domain\":\"ipam\"}}",
	  "{\"dns\":{\"domain\":\"before\"}}",
	  "{\"cniVersion\":\"1.1.0\",\"interfaces\":[" LINKS "],\"ips\":[],"
	  "\"dns\":{\"domain\":\"config\"}}" },
	{ CONFIG(",\"dns\":{}"), "{\"dns\":{\"domain\":\"ipam\"}}",
	  "{\"dns\":{\"domain\":\"before\"}}",
	  "{\"cniVersion\":\"1.1.0\",\"interfaces\":[" LINKS "],\"ips\":[],"
	  "\"dns\":{\"domain\":\"ipam\"}}" },
	{ CONFIG(""), "{\"dns\":{}}", "{\"dns\":{\"domain\":\"before\"}}",
	  "{\"cniVersion\":\"1.1.0\",\"interfaces\":[" LINKS "],\"ips\":[],"
	  "\"dns\":{\"domain\":\"before\"}}" },
};

static void a_result_tells_what_was_made(void **state)
{
	char text[2000];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct pw_error err = {};

		assert_int_equal(report(rows[i].config, rows[i].given, rows[i].prev, text,
					sizeof(text), &err),
				 0);
		assert_string_equal(text, rows[i].want);
	}
}

static void an_old_form_needs_an_address(void **state)
{
	struct pw_error err = {};
	char text[2000];

	(void)state;
	assert_int_equal(report("{\"cniVersion\":\"0.2.0\",\"name\":\"n\"}", "{}", "{}", text,
				sizeof(text), &err),
			 -EINVAL);
	assert_int_equal(err.code, PW_E_VERSION);
	assert_int_equal(report("{\"cniVersion\":\"0.2.0\",\"name\":\"n\"}", IP4, "{}", text,
				sizeof(text), &err),
			 0);
	assert_string_equal(text, "{\"cniVersion\":\"0.2.0\",\"ip4\":{\"ip\":\"10.1.0.2/24\","
				  "\"gateway\":\"169.254.1.1\"},\"dns\":{}}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_result_tells_what_was_made),
		cmocka_unit_test(an_old_form_needs_an_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
