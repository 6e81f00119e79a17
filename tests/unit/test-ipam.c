/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "ipam.h"
#include "json/jenc.h"
#include "tmpdir.h"
#include "valgrind.h"

/* An IPAM plugin that writes down its calls, with the version that each was given in. */
static const char head[] = "#!/bin/sh\n"
			   "cd \"${0%/*}\" || exit 1\n"
			   "in=$(cat)\n"
			   "echo \"$CNI_COMMAND $CNI_CONTAINERID $(echo \"$in\" | "
			   "sed -n 's/.*\"cniVersion\":\"\\([^\"]*\\)\".*/\\1/p')\" >>calls\n"
			   "if [ $CNI_COMMAND = VERSION ]; then echo '";

static const struct ipam_target target = { "cid", "/n", "eth0" };

struct lab {
	const struct tmpdir *dir;
	struct request req;
	struct netconf conf;
	struct ipam ipam;
	const char *config;
};

static int setup(void **state)
{
	signal(SIGPIPE, SIG_IGN); /* as main() has it */
	alarm(60);
	return tmpdir_setup(state);
}

static int teardown(void **state)
{
	alarm(0);
	return tmpdir_teardown(state);
}

/* @versions: what it prints for VERSION; @script: what it does for the rest. */
static void open_lab(struct lab *lab, const struct tmpdir *dir, const char *config,
		     const char *versions, const char *script)
{
	struct pw_error err = {};
	char text[2048];

	snprintf(text, sizeof(text), "%s%s'; exit 0; fi\n%s\n", head, versions, script);
	tmpdir_program(dir, "fake", text);
	(void)unlinkat(dir->fd, "calls", 0);
	*lab = (struct lab){ .dir = dir,
			     .config = config,
			     .req = { .path = dir->path, .raw_args = "" } };
	if (netconf_parse(config, strlen(config), &lab->conf, &err) < 0 ||
	    ipam_init(&lab->req, &lab->conf, config, strlen(config), &lab->ipam, &err) < 0)
		fail_msg("%s", err.msg);
}

static void close_lab(struct lab *lab)
{
	ipam_done(&lab->ipam);
	netconf_done(&lab->conf);
}

static void assert_calls(const struct lab *lab, const char *want)
{
	char *calls = tmpdir_read(lab->dir, "calls");

	assert_string_equal(calls, want);
	free(calls);
}

#define CONFIG(version) \
	"{\"cniVersion\":\"" version "\",\"name\":\"n\",\"ipam\":{\"type\":\"fake\"}}"
#define KNOWS(...) "{\"cniVersion\":\"1.0.0\",\"supportedVersions\":[" __VA_ARGS__ "]}"
#define RESULT "echo '{\"ips\":[{\"address\":\"10.0.0.2/24\"}]}'"

static void the_newest_common_version_is_spoken(void **state)
{
	static const struct {
		const char *config, *versions, *calls;
		enum spec spec;
	} cases[] = {
		/* up to 1.0.0, which all know, nobody is asked */
		{ CONFIG("1.0.0"), "", "ADD cid 1.0.0\n", SPEC_1_0_0 },
		{ CONFIG("0.3.1"), "", "ADD cid 0.3.1\n", SPEC_0_3_1 },
		/* 1.1.0 goes to who knows it */
		{ CONFIG("1.1.0"), KNOWS("\"1.0.0\",\"1.1.0\""),
		  "VERSION cid 1.1.0\nADD cid 1.1.0\n", SPEC_1_1_0 },
		{ CONFIG("1.1.0"), KNOWS("\"1.1.0\",\"1.2.0\",\"2.0.0\""),
		  "VERSION cid 1.1.0\nADD cid 1.1.0\n", SPEC_1_1_0 },
		/* and to the others in the newest that they know */
		{ CONFIG("1.1.0"), KNOWS("\"0.3.1\",\"1.0.0\",\"0.4.0\""),
		  "VERSION cid 1.1.0\nADD cid 1.0.0\n", SPEC_1_0_0 },
		{ CONFIG("1.1.0"), KNOWS("\"0.1.0\",\"0.2.0\""),
		  "VERSION cid 1.1.0\nADD cid 0.2.0\n", SPEC_0_2_0 },
		/* who says nothing that makes sense is left to say so itself */
		{ CONFIG("1.1.0"), KNOWS("\"9.9.9\""), "VERSION cid 1.1.0\nADD cid 1.1.0\n",
		  SPEC_1_1_0 },
		{ CONFIG("1.1.0"), KNOWS(""), "VERSION cid 1.1.0\nADD cid 1.1.0\n", SPEC_1_1_0 },
		{ CONFIG("1.1.0"), KNOWS("1,{},null"), "VERSION cid 1.1.0\nADD cid 1.1.0\n",
		  SPEC_1_1_0 },
		{ CONFIG("1.1.0"), "{\"supportedVersions\":\"1.0.0\"}",
		  "VERSION cid 1.1.0\nADD cid 1.1.0\n", SPEC_1_1_0 },
		{ CONFIG("1.1.0"), "garbage", "VERSION cid 1.1.0\nADD cid 1.1.0\n", SPEC_1_1_0 },
		{ CONFIG("1.1.0"), "", "VERSION cid 1.1.0\nADD cid 1.1.0\n", SPEC_1_1_0 },
	};

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct ipam_call call = IPAM_CALL_NONE;
		struct json_object *v = NULL;
		struct pw_error err = {};
		struct lab lab;

		open_lab(&lab, *state, cases[i].config, cases[i].versions, RESULT);
		assert_int_equal(ipam_begin(&lab.ipam, "ADD", &target, -EBADF, false, &call, &err),
				 0);
		assert_int_equal(ipam_end(&call, &v, &err), 0);
		assert_calls(&lab, cases[i].calls);
		assert_int_equal(call.spec, cases[i].spec);
		assert_string_equal(jenc_text(v), "{\"ips\":[{\"address\":\"10.0.0.2/24\"}]}");
		json_object_put(v);
		ipam_call_done(&call);
		close_lab(&lab);
	}
}

/* One that no longer speaks an old config's version is asked what it does speak. */
static void a_refused_version_is_asked_about(void **state)
{
	static const char refuses[] = "case $in in *0.4.0*) " RESULT ";; *) "
				      "echo '{\"code\":1,\"msg\":\"incompatible\"}'; exit 1;; esac";
	struct json_object *v = NULL;
	struct pw_error err = {};
	struct lab lab;

	open_lab(&lab, *state, CONFIG("1.0.0"), KNOWS("\"0.4.0\",\"1.1.0\""), refuses);
	assert_int_equal(ipam_run(&lab.ipam, "ADD", &target, -EBADF, &v, &err), 0);
	assert_calls(&lab, "ADD cid 1.0.0\nVERSION cid 1.1.0\nADD cid 0.4.0\n");
	json_object_put(v);
	close_lab(&lab);

	/* and not again: what it says then is the answer */
	open_lab(&lab, *state, CONFIG("1.0.0"), KNOWS("\"1.1.0\""), refuses);
	assert_int_equal(ipam_run(&lab.ipam, "ADD", &target, -EBADF, NULL, &err), -EIO);
	assert_calls(&lab, "ADD cid 1.0.0\nVERSION cid 1.1.0\nADD cid 1.0.0\n");
	assert_int_equal(err.code, PW_E_VERSION);
	assert_string_equal(err.msg, "incompatible");
	close_lab(&lab);
}

static void what_it_says_of_its_failure_is_passed_on(void **state)
{
	static const struct {
		const char *script, *msg, *details;
		int r, code;
	} cases[] = {
		{ "echo '{\"cniVersion\":\"1.0.0\",\"code\":11,\"msg\":\"no more addresses\","
		  "\"details\":\"range set 0\"}'; exit 1",
		  "no more addresses", "range set 0", -EIO, 11 },
		{ "echo '{\"code\":4711,\"msg\":\"own code\"}'; exit 3", "own code", "", -EIO,
		  4711 },
		{ "echo '{\"code\":0,\"msg\":\"no code\"}'; exit 1", "no code", "", -EIO,
		  PW_E_IPAM },
		{ "echo '{\"code\":-5,\"msg\":\"odd code\"}'; exit 1", "odd code", "", -EIO,
		  PW_E_IPAM },
		{ "echo '{\"code\":99999999999,\"msg\":\"large code\"}'; exit 1", "large code", "",
		  -EIO, PW_E_IPAM },
		{ "echo '{\"code\":7,\"msg\":\"a\\nb\\u0007\",\"details\":7}'; exit 1", "a b ", "",
		  -EIO, 7 },
		{ "exit 2",
		  "IPAM plugin fake failed with exit status 2 and without an error object", "",
		  -EIO, PW_E_IPAM },
		{ "echo oops; exit 1",
		  "IPAM plugin fake failed with exit status 1 and without an error object", "",
		  -EIO, PW_E_IPAM },
		{ "echo '{\"code\":\"7\",\"msg\":\"x\"}'; exit 1",
		  "IPAM plugin fake failed with exit status 1 and without an error object", "",
		  -EIO, PW_E_IPAM },
		{ "echo '{\"code\":7}'; exit 1",
		  "IPAM plugin fake failed with exit status 1 and without an error object", "",
		  -EIO, PW_E_IPAM },
		{ "kill -9 $$", "IPAM plugin fake was killed by signal 9 (Killed)", "", -EIO,
		  PW_E_IPAM },
		{ "exit 0",
		  "IPAM plugin fake: its result is not JSON: byte 0: unexpected end of data", "",
		  -EBADMSG, PW_E_IPAM },
		{ "echo nonsense",
		  "IPAM plugin fake: its result is not JSON: byte 1: null expected", "", -EBADMSG,
		  PW_E_IPAM },
		{ "echo '{} {}'",
		  "IPAM plugin fake: its result is not JSON: byte 3: unexpected character", "",
		  -EBADMSG, PW_E_IPAM },
	};

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct json_object *v = NULL;
		struct pw_error err = {};
		struct lab lab;

		open_lab(&lab, *state, CONFIG("1.0.0"), "", cases[i].script);
		assert_int_equal(ipam_run(&lab.ipam, "ADD", &target, -EBADF, &v, &err), cases[i].r);
		assert_string_equal(err.msg, cases[i].msg);
		assert_string_equal(err.details, cases[i].details);
		assert_int_equal(err.code, cases[i].code);
		assert_null(v);
		close_lab(&lab);
	}
}

static void where_nothing_is_wanted_nothing_is_read(void **state)
{
	static const char *const verbs[] = { "DEL", "CHECK", "GC", "STATUS" };
	struct lab lab;

	open_lab(&lab, *state, CONFIG("1.0.0"), "", "echo no JSON at all");
	for (size_t i = 0; i < TEST_COUNT(verbs); i++)
		assert_int_equal(ipam_run(&lab.ipam, verbs[i], &target, -EBADF, NULL, NULL), 0);
	close_lab(&lab);
}

/* CHECK came with 0.4.0: whoever has only older versions has no CHECK. */
static void a_check_that_no_version_knows_is_left_out(void **state)
{
	struct pw_error err = {};
	struct lab lab;

	open_lab(&lab, *state, CONFIG("1.1.0"), KNOWS("\"0.3.1\""), "exit 1");
	assert_int_equal(ipam_run(&lab.ipam, "CHECK", &target, -EBADF, NULL, &err), 0);
	assert_calls(&lab, "VERSION cid 1.1.0\n");
	close_lab(&lab);
	open_lab(&lab, *state, CONFIG("1.1.0"), KNOWS("\"0.4.0\""), "exit 0");
	assert_int_equal(ipam_run(&lab.ipam, "CHECK", &target, -EBADF, NULL, &err), 0);
	assert_calls(&lab, "VERSION cid 1.1.0\nCHECK cid 0.4.0\n");
	close_lab(&lab);
}

static void what_is_held_gets_its_input_at_the_end(void **state)
{
	static const char *const configs[] = { CONFIG("1.0.0"), CONFIG("1.1.0") };

	for (size_t i = 0; i < TEST_COUNT(configs); i++) {
		struct ipam_call call = IPAM_CALL_NONE;
		struct pw_error err = {};
		struct lab lab;

		open_lab(&lab, *state, configs[i], KNOWS("\"1.0.0\""), "touch ended");
		assert_int_equal(ipam_begin(&lab.ipam, "DEL", &target, -EBADF, true, &call, &err),
				 0);
		assert_int_equal(ipam_advance(&call, &err), 0);
		assert_int_equal(ipam_advance(&call, &err), 0); /* once more is nothing */
		assert_int_equal(call.phase, IPAM_CALLED);
		assert_int_equal(faccessat(lab.dir->fd, "ended", F_OK, 0), -1);
		assert_int_equal(ipam_end(&call, NULL, &err), 0);
		assert_int_equal(unlinkat(lab.dir->fd, "ended", 0), 0);
		ipam_call_done(&call);
		close_lab(&lab);
	}
}

static void a_call_that_is_given_up_is_killed(void **state)
{
	struct ipam_call call = IPAM_CALL_NONE;
	struct lab lab;
	pid_t pid;

	open_lab(&lab, *state, CONFIG("1.0.0"), "", "exec sleep 1000");
	assert_int_equal(ipam_begin(&lab.ipam, "ADD", &target, -EBADF, false, &call, NULL), 0);
	pid = call.child.pid;
	ipam_call_done(&call);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(call.phase, IPAM_IDLE);
	close_lab(&lab);
}

/* A killed ADD's IPAM may still be at it: until it is through, the lock is taken. */
static void it_holds_what_it_is_told_to_keep(void **state)
{
	struct ipam_call call = IPAM_CALL_NONE;
	struct lab lab;
	int fd, other;

	open_lab(&lab, *state, CONFIG("1.0.0"), "", "exit 0");
	fd = openat(lab.dir->fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	other = openat(lab.dir->fd, "lock", O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(ipam_begin(&lab.ipam, "ADD", &target, fd, true, &call, NULL), 0);
	close(fd);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
	assert_int_equal(ipam_end(&call, NULL, NULL), 0);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
	close(other);
	ipam_call_done(&call);
	close_lab(&lab);
}

static void it_is_looked_for_in_the_path(void **state)
{
	const struct tmpdir *dir = *state;
	struct netconf conf = { .ipam_type = "fake" };
	char path[600], want[700];
	struct request req = { .path = path };
	struct pw_error err = {};
	struct ipam ipam = {};

	/* passed over: nothing there, a file that can't be run, a directory of that name */
	assert_int_equal(mkdirat(dir->fd, "a", 0700), 0);
	assert_int_equal(mkdirat(dir->fd, "b", 0700), 0);
	tmpdir_write(dir, "b/fake", "#!/bin/sh");
	assert_int_equal(mkdirat(dir->fd, "c", 0700), 0);
	assert_int_equal(mkdirat(dir->fd, "c/fake", 0700), 0);
	snprintf(path, sizeof(path), ":%s/a:%s/absent::%s/b:%s/c:", dir->path, dir->path, dir->path,
		 dir->path);
	assert_int_equal(ipam_init(&req, &conf, "", 0, &ipam, &err), -ENOENT);
	snprintf(want, sizeof(want), "IPAM plugin \"fake\" is not in CNI_PATH %s", path);
	assert_string_equal(err.msg, want);
	assert_int_equal(err.code, PW_E_IPAM);

	assert_int_equal(mkdirat(dir->fd, "d", 0700), 0);
	tmpdir_program(dir, "d/fake", "#!/bin/sh");
	tmpdir_program(dir, "fake", "#!/bin/sh");
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "%s/d:%s", dir->path, dir->path);
	snprintf(want, sizeof(want), "%s/d/fake", dir->path);
	assert_int_equal(ipam_init(&req, &conf, "", 0, &ipam, &err), 0);
	assert_string_equal(ipam.path, want);
	ipam_done(&ipam);
}

static void current_is_who_speaks_1_1(void **state)
{
	static const struct {
		const char *versions;
		int is;
	} cases[] = {
		{ KNOWS("\"1.0.0\",\"1.1.0\""), 1 },
		{ KNOWS("\"1.1.0\",\"1.2.0\""), 1 },
		{ KNOWS("\"0.4.0\",\"1.0.0\""), 0 },
		{ KNOWS("\"1.2.0\""), 0 },
		{ KNOWS(""), 0 },
		{ "{\"supportedVersions\":\"1.1.0\"}", 0 },
		{ "{}", 0 },
		{ "garbage", 0 },
		{ "", 0 },
	};

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct pw_error err = {};
		struct lab lab;

		open_lab(&lab, *state, CONFIG("1.1.0"), cases[i].versions, "exit 1");
		if (ipam_is_current(&lab.ipam, &err) != cases[i].is)
			fail_msg("%s", cases[i].versions);
		assert_calls(&lab, "VERSION  1.1.0\n");
		close_lab(&lab);
	}
}

static void what_cannot_be_started_is_a_failure_at_each_stage(void **state)
{
	static const char *const configs[] = { CONFIG("1.0.0"), CONFIG("1.1.0") };

	NOT_IN_VALGRIND();
	for (size_t i = 0; i < TEST_COUNT(configs); i++) {
		struct ipam_call call = IPAM_CALL_NONE;
		struct pw_error err = {};
		struct lab lab;

		open_lab(&lab, *state, configs[i], KNOWS("\"1.0.0\""), "rm -f fake; exit 0");
		assert_int_equal(unlinkat(lab.dir->fd, "fake", 0), 0);
		assert_int_equal(ipam_begin(&lab.ipam, "ADD", &target, -EBADF, false, &call, &err),
				 -ENOENT);
		assert_int_equal(err.code, PW_E_IPAM);
		ipam_call_done(&call);
		close_lab(&lab);
	}
}

/* Between VERSION and the command it vanished: told as often as one asks. */
static void a_failure_of_the_second_start_is_remembered(void **state)
{
	struct ipam_call call = IPAM_CALL_NONE;
	struct lab lab;

	NOT_IN_VALGRIND();
	open_lab(&lab, *state, CONFIG("1.1.0"), KNOWS("\"1.0.0\"") "'; rm -f fake; echo '", "");
	assert_int_equal(ipam_begin(&lab.ipam, "DEL", &target, -EBADF, true, &call, NULL), 0);
	for (int twice = 0; twice < 2; twice++) {
		struct pw_error err = {};

		assert_int_equal(ipam_advance(&call, &err), -ENOENT);
		assert_non_null(strstr(err.msg, "cannot run "));
		err = (struct pw_error){};
		assert_int_equal(ipam_end(&call, NULL, &err), -ENOENT);
		assert_int_equal(err.code, PW_E_IPAM);
	}
	ipam_call_done(&call);
	close_lab(&lab);
}

int main(void)
{
#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		WITH_DIR(the_newest_common_version_is_spoken),
		WITH_DIR(a_refused_version_is_asked_about),
		WITH_DIR(what_it_says_of_its_failure_is_passed_on),
		WITH_DIR(where_nothing_is_wanted_nothing_is_read),
		WITH_DIR(a_check_that_no_version_knows_is_left_out),
		WITH_DIR(what_is_held_gets_its_input_at_the_end),
		WITH_DIR(a_call_that_is_given_up_is_killed),
		WITH_DIR(it_holds_what_it_is_told_to_keep),
		WITH_DIR(it_is_looked_for_in_the_path),
		WITH_DIR(current_is_who_speaks_1_1),
		WITH_DIR(what_cannot_be_started_is_a_failure_at_each_stage),
		WITH_DIR(a_failure_of_the_second_start_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
