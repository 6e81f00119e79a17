/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/ini.h"
#include "doctor/networkd.h"
#include "doctor/networkmanager.h"
#include "doctor/networks.h"

static int put_down(const char *section, const char *key, const char *value, void *arg)
{
	char *all = arg;
	size_t len = strlen(all);

	snprintf(all + len, 512 - len, "[%s]%s=%s|", section, key, value);
	return strcmp(key, "stop") == 0 ? -7 : 0;
}

static void files_of_sections(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "", "" },
		{ "\n\n", "" },
		{ "a=b", "[]a=b|" },
		{ "[x]\na = b c \r\n; d=e\n# f=g\n", "[x]a=b c|" },
		{ "[x]\n[y]\na=\n", "[y]a=|" },
		{ "[x\na=b\n", "[]a=b|" },
		{ "x]\nnothing\n=b\n", "[]=b|" },
		{ "a=b\\\nc\nd=e", "[]a=b  c|[]d=e|" },
		{ "a=b\\\n", "[]a=b|" },
		{ "\\", "" },
		{ "a=b=c\n", "[]a=b=c|" },
		{ "  [x]  \n\ta=b\n", "[x]a=b|" },
		{ "a+=b\n", "[]a+=b|" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		char *text = strdup(rows[i].text), all[512] = "";

		assert_int_equal(ini_parse(text, put_down, all), 0);
		if (strcmp(all, rows[i].want) != 0)
			fail_msg("row %zu: \"%s\"", i, all);
		free(text);
	}
}

static void a_refusal_ends_the_walk(void **state)
{
	char text[] = "a=b\nstop=1\nc=d\n", all[512] = "";

	(void)state;
	assert_int_equal(ini_parse(text, put_down, all), -7);
	assert_string_equal(all, "[]a=b|[]stop=1|");
}

static void network_files_and_pods(void **state)
{
	static const struct {
		const char *text;
		bool any, fails, unmanaged;
	} rows[] = {
		{ "", false, false, false },
		{ "[Network]\nDHCP=yes\n", false, false, false },
		{ "[Match]\nName=*\n", true, false, false },
		{ "[Match]\nName=en* veth*\n", true, false, false },
		{ "[Match]\nName=en* eth*\n", true, true, false },
		{ "[Match]\nName=!en* eth*\n", true, false, false },
		{ "[Match]\nName=!vethpw*\n", true, true, false },
		{ "[Match]\nName=vethpw?????????\n", true, false, false },
		{ "[Match]\nName=[\n", true, true, false },
		{ "[Match]\nType=ether\n", true, false, false },
		{ "[Match]\nType=!wlan\n", true, false, false },
		{ "[Match]\nType=ether\nName=eth0\n", true, true, false },
		{ "[Match]\nKind=veth\nDriver=veth\n", true, false, false },
		{ "[Match]\nKind=!*\n", true, true, false }, /* hardware alone */
		{ "[Match]\nDriver=e1000\n", true, true, false },
		{ "[Match]\nMACAddress=00:11:22:33:44:55\n", true, true, false },
		{ "[Match]\nPath=pci-*\n", true, true, false },
		{ "[Match]\nHost=node1\nName=*\n", true, false, false },
		{ "[Match]\nName=\n", false, false, false },
		{ "[Match]\nName=vethpw*\n[Link]\nUnmanaged=yes\n", true, false, true },
		{ "[Match]\nName=*\n[Link]\nUnmanaged=true\nUnmanaged=no\n", true, false, false },
		{ "[Link]\nName=*\nUnmanaged=ON\n", false, false, true },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct networkd_match m = {};
		char *text = strdup(rows[i].text);

		networkd_read(text, &m);
		if (m.any != rows[i].any || m.fails != rows[i].fails ||
		    m.unmanaged != rows[i].unmanaged)
			fail_msg("row %zu: %s", i, rows[i].text);
		free(text);
	}
}

static void networkmanagers_devices(void **state)
{
	static const struct {
		const char *list;
		bool has;
	} rows[] = {
		{ "", false },
		{ "*", true },
		{ "interface-name:vethpw*", true },
		{ "interface-name:veth*;interface-name:docker0", true },
		{ "interface-name:eth0,interface-name:vethpw?*", true },
		{ "interface-name:=vethpw*", false },
		{ "interface-name:~vethpw*", true },
		{ "interface-name:eth*", false },
		{ "type:veth", true },
		{ "driver:veth", true },
		{ "type:ethernet", false },
		{ "mac:00:22:68:1c:59:b1;vethpw*", false },
		{ "except:interface-name:eth0", true },
		{ "except:interface-name:vethpw*", false },
		{ "*,except:interface-name:vethpw*", false },
		{ "*,except:interface-name:eth0", true },
		{ ";;,, ", false },
		{ "interface-name:[", false },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		char *list = strdup(rows[i].list);

		if (networkmanager_has_pods(list) != rows[i].has)
			fail_msg("row %zu: %s", i, rows[i].list);
		free(list);
	}
}

static void networkmanagers_files(void **state)
{
	static const struct {
		const char *files[3];
		bool leaves;
	} rows[] = {
		{ { "" }, false },
		{ { "[keyfile]\nunmanaged-devices=interface-name:vethpw*\n" }, true },
		{ { "[main]\nunmanaged-devices=interface-name:vethpw*\n" }, false },
		{ { "[keyfile]\nunmanaged-devices=type:veth\n",
		    "[keyfile]\nunmanaged-devices=interface-name:eth0\n" },
		  false },
		{ { "[keyfile]\nunmanaged-devices=type:veth\n",
		    "[keyfile]\nunmanaged-devices+=interface-name:eth0\n" },
		  true },
		{ { "[device-pods]\nmatch-device=interface-name:vethpw*\nmanaged=0\n" }, true },
		{ { "[device-pods]\nmanaged=0\nmatch-device=interface-name:vethpw*\n" }, true },
		{ { "[device-pods]\nmatch-device=interface-name:vethpw*\nmanaged=1\n" }, false },
		{ { "[device-x]\nmatch-device=interface-name:eth0\nmanaged=0\n" }, false },
		{ { "[device]\nmanaged=no\n" }, true },
		{ { "[device-x]\nmatch-device=interface-name:eth0\n",
		    "[device-y]\nmanaged=false\n" },
		  true },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct networkmanager nm = {};

		for (size_t k = 0; k < 3 && rows[i].files[k]; k++) {
			char *text = strdup(rows[i].files[k]);

			networkmanager_read(text, &nm);
			free(text);
		}
		if (networkmanager_leaves_pods(&nm) != rows[i].leaves)
			fail_msg("row %zu", i);
	}
}

/* The plugins that are needed, IPAM's with a "+". */
static void format(const struct network *n, char *ret, size_t size)
{
	const struct network_plugin *p = n->plugins.v;

	*ret = '\0';
	for (size_t i = 0; i < n->plugins.n; i++) {
		size_t len = strlen(ret);

		snprintf(ret + len, size - len, "%s%s ", p[i].ipam ? "+" : "", p[i].name);
	}
}

static void networks_and_what_they_need(void **state)
{
	static const struct {
		const char *text, *needs;
		bool ours, by_delegate, requires_agent;
	} rows[] = {
		{ "{\"type\":\"podwire\",\"ipam\":{\"type\":\"host-local\"}}",
		  "podwire +host-local ", true, false, false },
		{ "{\"plugins\":[{\"type\":\"podwire\",\"requireAgent\":true},{\"type\":\"portmap\"},"
		  "{\"type\":\"portmap\"}]}",
		  "podwire portmap ", true, false, true },
		{ "{\"plugins\":[{\"type\":\"flannel\",\"delegate\":{\"type\":\"podwire\"}}]}",
		  "flannel podwire +host-local ", true, true, false },
		{ "{\"plugins\":[{\"type\":\"flannel\"}]}", "flannel bridge +host-local ", false,
		  false, false },
		{ "{\"type\":\"multus\",\"delegates\":[{\"type\":\"x\"},{\"plugins\":[{\"type\":"
		  "\"podwire\"}]}]}",
		  "multus x podwire ", true, true, false },
		{ "{\"type\":\"../sh\",\"plugins\":[{\"type\":\"a/b\"},{\"type\":\"c\"}]}", "c ",
		  false, false, false },
		{ "{\"type\":\"podwire\",\"ipam\":{\"type\":7},\"requireAgent\":\"no\"}",
		  "podwire ", true, false, true },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct pw_error err = {};
		struct network n = {};
		char needs[256];

		if (network_parse(rows[i].text, strlen(rows[i].text), "it", &n, &err) < 0)
			fail_msg("row %zu: %s", i, err.msg);
		format(&n, needs, sizeof(needs));
		assert_string_equal(needs, rows[i].needs);
		if (n.ours != rows[i].ours || n.by_delegate != rows[i].by_delegate)
			fail_msg("row %zu", i);
		if (i != 6)
			assert_int_equal(n.requires_agent, rows[i].requires_agent);
		network_done(&n);
	}
}

static void what_is_no_network(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"7",
		"null",
		"{}",
		"{\"plugins\":7}",
		"{\"plugins\":[]}",
		"{\"type\":null}",
		"{\"plugins\":[null,7,[],{\"type\":{}}]}",
		"{\"type\":\"..\"}",
		"{\"delegates\":[[[[]]]],\"delegate\":[]}",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(texts); i++) {
		struct pw_error err = {};
		struct network n = {};

		if (network_parse(texts[i], strlen(texts[i]), "it", &n, &err) != -EINVAL)
			fail_msg("row %zu: %s", i, texts[i]);
		assert_non_null(strstr(err.msg, "it"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_sections),
		cmocka_unit_test(a_refusal_ends_the_walk),
		cmocka_unit_test(network_files_and_pods),
		cmocka_unit_test(networkmanagers_devices),
		cmocka_unit_test(networkmanagers_files),
		cmocka_unit_test(networks_and_what_they_need),
		cmocka_unit_test(what_is_no_network),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
