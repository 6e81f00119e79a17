/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "request.h"

#define CID "0123456789ab"
#define FULL \
	"CNI_CONTAINERID=" CID, "CNI_NETNS=/run/netns/x", "CNI_IFNAME=eth0", "CNI_PATH=/opt/cni/bin"

/* "NAME=VALUE" strings up to NULL: the environment of a case. The last of a name counts. */
static const char *const *environment;

static const char *from_table(const char *name)
{
	const char *found = NULL;

	for (size_t i = 0; environment[i]; i++) {
		size_t n = strlen(name);

		if (strncmp(environment[i], name, n) == 0 && environment[i][n] == '=')
			found = environment[i] + n + 1;
	}
	return found;
}

static int read_request(const char *const *env, struct request *req, struct pw_error *err)
{
	environment = env;
	return request_read(from_table, req, err);
}

#define ENV(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void each_verb_is_read(void **state)
{
	static const char *const verbs[_VERB_MAX] = { "ADD", "DEL",    "CHECK",
						      "GC",  "STATUS", "VERSION" };
	char command[32];

	(void)state;
	for (enum verb v = 0; v < _VERB_MAX; v++) {
		struct request req = {};
		struct pw_error err = {};

		assert_string_equal(verb_names[v], verbs[v]);
		snprintf(command, sizeof(command), "CNI_COMMAND=%s", verbs[v]);
		assert_int_equal(
			read_request(ENV(command, FULL, "CNI_ARGS=K8S_POD_NAME=web-0"), &req, &err),
			0);
		assert_int_equal(req.verb, v);
		assert_string_equal(req.container_id, CID);
		assert_string_equal(req.netns, "/run/netns/x");
		assert_string_equal(req.ifname, "eth0");
		assert_string_equal(req.path, "/opt/cni/bin");
		assert_string_equal(req.raw_args, "K8S_POD_NAME=web-0");
		assert_false(req.own_netns_allowed);
		request_done(&req);
		request_done(&req); /* once more is nothing */
	}
}

static void an_unknown_verb_is_an_error(void **state)
{
	static const struct {
		const char *variable, *msg;
	} cases[] = {
		{ "X=", "unknown CNI_COMMAND: \"\"" },
		{ "CNI_COMMAND=", "unknown CNI_COMMAND: \"\"" },
		{ "CNI_COMMAND=add", "unknown CNI_COMMAND: \"add\"" },
		{ "CNI_COMMAND=ADD ", "unknown CNI_COMMAND: \"ADD \"" },
		{ "CNI_COMMAND=UPDATE", "unknown CNI_COMMAND: \"UPDATE\"" },
		{ "CNI_COMMAND=a\nb\xff", "unknown CNI_COMMAND: \"a b?\"" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct request req = { .verb = VERB_GC };
		struct pw_error err = {};

		assert_int_equal(read_request(ENV(cases[i].variable, FULL), &req, &err), -EINVAL);
		assert_int_equal(err.code, PW_E_ENV);
		assert_string_equal(err.msg, cases[i].msg);
		assert_int_equal(req.verb, VERB_GC);
	}
}

/* Of each verb: with each variable missing alone, and with all of them. */
static void missing_variables_are_named_all_at_once(void **state)
{
	static const char missing[] = "required env variables missing: ";
	static const struct {
		const char *verb;
		const char *netns, *container, *ifname, *path, *all;
	} cases[] = {
		{ "ADD", "CNI_NETNS", "CNI_CONTAINERID", "CNI_IFNAME", "CNI_PATH",
		  "CNI_CONTAINERID, CNI_NETNS, CNI_IFNAME, CNI_PATH" },
		{ "CHECK", "CNI_NETNS", "CNI_CONTAINERID", "CNI_IFNAME", "CNI_PATH",
		  "CNI_CONTAINERID, CNI_NETNS, CNI_IFNAME, CNI_PATH" },
		{ "DEL", NULL, "CNI_CONTAINERID", "CNI_IFNAME", "CNI_PATH",
		  "CNI_CONTAINERID, CNI_IFNAME, CNI_PATH" },
		{ "GC", NULL, NULL, NULL, "CNI_PATH", "CNI_PATH" },
		{ "STATUS", NULL, NULL, NULL, "CNI_PATH", "CNI_PATH" },
		{ "VERSION", NULL, NULL, NULL, NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		const char *const want[] = { cases[i].netns, cases[i].container, cases[i].ifname,
					     cases[i].path, cases[i].all };
		static const char *const empty[] = { "CNI_NETNS=", "CNI_CONTAINERID=",
						     "CNI_IFNAME=", "CNI_PATH=" };
		char command[32];

		snprintf(command, sizeof(command), "CNI_COMMAND=%s", cases[i].verb);
		for (size_t j = 0; j < TEST_COUNT(want); j++) {
			const char *const *env =
				j < 4 ? ENV(command, FULL, empty[j]) : ENV(command);
			struct request req = {};
			struct pw_error err = {};
			int r = read_request(env, &req, &err);

			assert_int_equal(r, want[j] ? -EINVAL : 0);
			request_done(&req);
			if (!want[j])
				continue;
			assert_int_equal(err.code, PW_E_ENV);
			assert_int_equal(strncmp(err.msg, missing, strlen(missing)), 0);
			assert_string_equal(err.msg + strlen(missing), want[j]);
		}
	}
}

static void every_fault_is_named(void **state)
{
	static const struct {
		const char *a, *b, *c, *msg;
	} cases[] = {
		{ "CNI_CONTAINERID=../x", "", "",
		  "CNI_CONTAINERID \"../x\" has characters that are not allowed" },
		{ "CNI_CONTAINERID=-x", "", "",
		  "CNI_CONTAINERID \"-x\" has characters that are not allowed" },
		{ "CNI_IFNAME=sixteen-letters.", "", "",
		  "CNI_IFNAME \"sixteen-letters.\" is not an interface name" },
		{ "CNI_IFNAME=..", "", "", "CNI_IFNAME \"..\" is not an interface name" },
		{ "CNI_IFNAME=a b", "", "", "CNI_IFNAME \"a b\" is not an interface name" },
		{ "CNI_ARGS=A", "", "", "CNI_ARGS: \"A\" is not KEY=VALUE" },
		{ "CNI_CONTAINERID=a/b", "CNI_IFNAME=a/b", "CNI_ARGS=a/b",
		  "CNI_CONTAINERID \"a/b\" has characters that are not allowed; "
		  "CNI_IFNAME \"a/b\" is not an interface name; "
		  "CNI_ARGS: \"a/b\" is not KEY=VALUE" },
		{ "CNI_NETNS=", "CNI_PATH=", "CNI_IFNAME=a:b",
		  "required env variables missing: CNI_NETNS, CNI_PATH; "
		  "CNI_IFNAME \"a:b\" is not an interface name" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct request req = {};
		struct pw_error err = {};

		assert_int_equal(read_request(ENV("CNI_COMMAND=ADD", FULL, cases[i].a, cases[i].b,
						  cases[i].c),
					      &req, &err),
				 -EINVAL);
		assert_string_equal(err.msg, cases[i].msg);
		assert_int_equal(err.code, PW_E_ENV);
	}
}

static void a_verb_minds_only_its_own_variables(void **state)
{
	static const char *const verbs[] = { "CNI_COMMAND=GC", "CNI_COMMAND=STATUS",
					     "CNI_COMMAND=VERSION" };
	struct request req = {};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(verbs); i++) {
		assert_int_equal(read_request(ENV(verbs[i], "CNI_PATH=/x", "CNI_CONTAINERID=/",
						  "CNI_IFNAME=/", "CNI_ARGS=/"),
					      &req, NULL),
				 0);
		request_done(&req);
	}
}

static void faults_that_are_long_are_cut(void **state)
{
	char id[1000] = "CNI_CONTAINERID=", ifname[1000] = "CNI_IFNAME=", args[1000] = "CNI_ARGS=";
	struct request req = {};
	struct pw_error err = {};

	(void)state;
	memset(id + strlen(id), '/', sizeof(id) - strlen(id) - 1);
	memset(ifname + strlen(ifname), '/', sizeof(ifname) - strlen(ifname) - 1);
	memset(args + strlen(args), '/', sizeof(args) - strlen(args) - 1);
	id[999] = ifname[999] = args[999] = '\0';
	assert_int_equal(read_request(ENV("CNI_COMMAND=ADD", FULL, id, ifname, args), &req, &err),
			 -EINVAL);
	assert_non_null(strstr(err.msg, "CNI_CONTAINERID"));
	assert_non_null(strstr(err.msg, "CNI_IFNAME"));
	assert_non_null(strstr(err.msg, "CNI_ARGS"));
}

static void the_own_netns_is_allowed_by_override_only(void **state)
{
	static const struct {
		const char *variable;
		bool allowed;
	} cases[] = {
		{ "X=", false },
		{ "CNI_NETNS_OVERRIDE=", false },
		{ "CNI_NETNS_OVERRIDE=0", false },
		{ "CNI_NETNS_OVERRIDE=no", false },
		{ "CNI_NETNS_OVERRIDE=1", true },
		{ "CNI_NETNS_OVERRIDE=TRUE", true },
		{ "CNI_NETNS_OVERRIDE=true", true },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct request req = {};

		assert_int_equal(
			read_request(ENV("CNI_COMMAND=ADD", FULL, cases[i].variable), &req, NULL),
			0);
		assert_int_equal(req.own_netns_allowed, cases[i].allowed);
		request_done(&req);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_verb_is_read),
		cmocka_unit_test(an_unknown_verb_is_an_error),
		cmocka_unit_test(missing_variables_are_named_all_at_once),
		cmocka_unit_test(every_fault_is_named),
		cmocka_unit_test(a_verb_minds_only_its_own_variables),
		cmocka_unit_test(faults_that_are_long_are_cut),
		cmocka_unit_test(the_own_netns_is_allowed_by_override_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
