/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel, the distribution, and the sysctls that decide what becomes of a pod's packets. */
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/array.h"
#include "base/file.h"
#include "base/sysctl.h"
#include "base/utf8.h"
#include "json/jenc.h"
#include "report/report.h"

#define OS_RELEASE "/etc/os-release"

/* ID=debian, VERSION_ID="12": the quotes go, and what else a shell would see isn't looked at. */
static int add_os(struct json_object *to, char *text)
{
	static const char *const keys[] = { "ID", "VERSION_ID", "VARIANT_ID" };
	char *line;
	int r = 0;

	while ((line = strsep(&text, "\n"))) {
		char *value = strchr(line, '='), clean[128];

		if (!value)
			continue;
		*value++ = '\0';
		value += strspn(value, "\"'");
		value[strcspn(value, "\"'")] = '\0';
		utf8_copy(clean, sizeof(clean), value);
		for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
			if (strcmp(line, keys[i]) == 0)
				r |= jenc_string(to, line, clean);
		}
	}
	return r;
}

struct json_object *report_host(struct report *report)
{
	_cleanup_(closep) int fd = open(OS_RELEASE, O_RDONLY | O_CLOEXEC);
	struct json_object *v = json_object_new_object(), *os = json_object_new_object();
	_cleanup_(freep) char *text = NULL;
	struct pw_error err = {};
	struct utsname u = {};
	size_t len;
	int r = 0;

	(void)uname(&u);
	r |= jenc_string(v, "kernel", u.release);
	r |= jenc_string(v, "build", u.version);
	r |= jenc_string(v, "machine", u.machine);
	if (fd >= 0 && file_read_fd(fd, OS_RELEASE, REPORT_FILE_MAX, &text, &len, &err) == 0)
		r |= add_os(os, text);
	else
		report_omit(report, "%s", OS_RELEASE " could not be read");
	r |= jenc_add(v, "os", os);
	if (r == 0)
		return v;
	json_object_put(v);
	return NULL;
}

struct json_object *report_sysctls(struct report *report)
{
	static const char *const keys[] = {
		"ipv4/ip_forward",
		"ipv4/conf/all/rp_filter",
		"ipv4/conf/default/rp_filter",
		"ipv4/conf/all/forwarding",
		"ipv6/conf/all/forwarding",
		"ipv6/conf/all/disable_ipv6",
		"ipv6/conf/all/accept_ra",
		"ipv6/conf/default/accept_ra",
		"ipv4/tcp_congestion_control",
		"core/bpf_jit_enable",
		"core/bpf_jit_harden",
		"netfilter/nf_conntrack_max",
		"netfilter/nf_conntrack_count",
		"netfilter/nf_conntrack_tcp_be_liberal",
		"bridge/bridge-nf-call-iptables",
	};
	struct json_object *v = json_object_new_object();
	int r = 0;

	(void)report;
	for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
		char value[128];

		if (sysctl_read(keys[i], value, sizeof(value), NULL) == 0)
			r |= jenc_string(v, keys[i], value);
	}
	if (r == 0)
		return v;
	json_object_put(v);
	return NULL;
}
