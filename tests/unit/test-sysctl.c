/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/sysctl.h"

/* Keys of the caller's network namespace; without one of our own, reading is all that we do. */
static bool isolated;

static int isolate(void **state)
{
	(void)state;
	isolated = unshare(CLONE_NEWNET) == 0;
	return 0;
}

static void need_isolation(void)
{
	if (isolated)
		return;
	printf("only root can have a network namespace to change\n");
	skip();
}

static void value_comes_without_its_newline(void **state)
{
	struct pw_error err = {};
	char text[64];
	int n = -1;

	(void)state;
	assert_int_equal(sysctl_read("ipv4/ip_default_ttl", text, sizeof(text), &err), 0);
	assert_string_equal(text, "64");
	assert_int_equal(sysctl_read_int("ipv4/ip_default_ttl", &n, &err), 0);
	assert_int_equal(n, 64);
}

static void value_that_does_not_fit_is_cut(void **state)
{
	struct pw_error err = {};
	char text[2];

	(void)state;
	assert_int_equal(sysctl_read("ipv4/ip_default_ttl", text, sizeof(text), &err), 0);
	assert_string_equal(text, "6");
}

static void missing_key_is_told_from_other_failures(void **state)
{
	char text[8], key[PATH_MAX + 1];
	struct pw_error err = {};
	int n = 42;

	(void)state;
	assert_int_equal(sysctl_read("ipv4/conf/no-such/forwarding", text, 8, &err), -ENOENT);
	assert_int_equal(sysctl_read_int("nonsense", &n, &err), -ENOENT);
	assert_int_equal(n, 42);
	assert_int_equal(err.errnum, 0); /* no message: the caller knows what it means */

	assert_int_equal(sysctl_read("ipv4", text, sizeof(text), &err), -EISDIR);
	assert_string_equal(err.msg, "cannot read sysctl net/ipv4: Is a directory");
	memset(key, 'k', sizeof(key));
	key[PATH_MAX] = '\0';
	assert_int_equal(sysctl_read(key, text, sizeof(text), &err), -ENAMETOOLONG);
	assert_int_equal(err.code, PW_E_IO);
}

static void text_is_not_a_number(void **state)
{
	struct pw_error err = {};
	int n = 42;

	(void)state;
	assert_int_equal(sysctl_read_int("ipv4/ip_local_port_range", &n, &err), -EINVAL);
	assert_string_equal(err.msg,
			    "sysctl net/ipv4/ip_local_port_range is not a number: 32768 60999");
	assert_int_equal(n, 42);
}

static void written_value_is_read_again(void **state)
{
	struct pw_error err = {};
	int n = -1;

	(void)state;
	need_isolation();
	for (int value = 0; value < 2; value++) {
		assert_int_equal(sysctl_write("ipv4/ip_forward", value ? "1" : "0", &err), 0);
		assert_int_equal(sysctl_read_int("ipv4/ip_forward", &n, &err), 0);
		assert_int_equal(n, value);
	}
	/* a dot in a name is a dot, not a level */
	assert_int_equal(sysctl_read_int("ipv4/conf/lo/forwarding", &n, &err), 0);
	assert_int_equal(sysctl_read_int("ipv4.conf.lo.forwarding", &n, &err), -ENOENT);
}

static void ensuring_sets_what_is_another_value(void **state)
{
	char long_name[200] = "";
	struct pw_error err = {};
	int n = -1;

	(void)state;
	need_isolation();
	for (int value = 0; value < 2; value++) {
		for (int twice = 0; twice < 2; twice++) {
			assert_int_equal(sysctl_ensure("ipv4/conf", "lo", "proxy_arp",
						       value ? "1" : "0", &err),
					 0);
			assert_int_equal(sysctl_read_int("ipv4/conf/lo/proxy_arp", &n, &err), 0);
			assert_int_equal(n, value);
		}
	}
	/* a kernel without it, or a link that has no such side */
	assert_int_equal(sysctl_ensure("ipv4/conf", "lo", "no-such", "1", &err), 0);
	assert_int_equal(sysctl_ensure("ipv6/conf", "absent", "forwarding", "1", &err), 0);
	assert_int_equal(err.errnum, 0);

	assert_int_equal(sysctl_ensure("ipv4/conf", "lo", "rp_filter", "x", &err), -EINVAL);
	assert_string_equal(err.msg, "cannot set sysctl net/ipv4/conf/lo/rp_filter to x: Invalid "
				     "argument");
	memset(long_name, 'a', sizeof(long_name) - 1);
	assert_int_equal(sysctl_ensure("ipv4/conf", long_name, "x", "1", &err), -ENAMETOOLONG);
}

static void refused_value_says_which(void **state)
{
	struct pw_error err = {};

	(void)state;
	need_isolation();
	assert_int_equal(sysctl_write("ipv4/ip_default_ttl", "999", &err), -EINVAL);
	assert_string_equal(err.msg,
			    "cannot set sysctl net/ipv4/ip_default_ttl to 999: Invalid argument");
	assert_int_equal(sysctl_write("ipv4/no-such", "1", &err), -ENOENT);
	assert_string_equal(err.msg,
			    "cannot set sysctl net/ipv4/no-such to 1: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(value_comes_without_its_newline),
		cmocka_unit_test(value_that_does_not_fit_is_cut),
		cmocka_unit_test(missing_key_is_told_from_other_failures),
		cmocka_unit_test(text_is_not_a_number),
		cmocka_unit_test(written_value_is_read_again),
		cmocka_unit_test(ensuring_sets_what_is_another_value),
		cmocka_unit_test(refused_value_says_which),
	};

	return cmocka_run_group_tests(tests, isolate, NULL);
}
