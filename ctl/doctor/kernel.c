/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel offers. Features are looked for in its type information, which everyone may read,
 * and not by its version.
 */
#include "doctor/kernel.h"

#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

#include "base/cleanup.h"
#include "doctor/doctor.h"
#include "doctor/root.h"

#define BTF_FILE "/sys/kernel/btf/vmlinux"
#define BTF_FILE_MAX (64u << 20)
#define BTF_MAGIC 0xeb9f
#define OLDEST_MAJOR 6
#define OLDEST_MINOR 1

static void kernel_version(struct doctor *d)
{
	unsigned long major = 0, minor = 0;
	struct utsname uts;
	char *end = NULL;

	if (uname(&uts) == 0)
		major = strtoul(uts.release, &end, 10);
	if (end && *end == '.')
		minor = strtoul(end + 1, &end, 10);
	if (major == 0) {
		doctor_say(d, SEVERITY_UNKNOWN, "kernel-too-old",
			   "the kernel's version is not known");
		return;
	}
	if (major > OLDEST_MAJOR || (major == OLDEST_MAJOR && minor >= OLDEST_MINOR)) {
		doctor_say(d, SEVERITY_OK, "kernel-too-old", "kernel %s", uts.release);
		return;
	}
	doctor_say(d, SEVERITY_BROKEN, "kernel-too-old",
		   "kernel %s, and the agent needs %d.%d or later", uts.release, OLDEST_MAJOR,
		   OLDEST_MINOR);
	doctor_remedy(d, "boot a newer kernel; pods work without the agent until then");
}

static bool btf_has(const struct doctor *d, const char *name)
{
	char text[64];
	int len = snprintf(text + 1, sizeof(text) - 1, "%s", name);

	/* names stand in a row, with a NUL between them */
	text[0] = '\0';
	return d->btf && len > 0 && (size_t)len < sizeof(text) - 2 &&
	       memmem(d->btf, d->btf_len, text, (size_t)len + 2) != NULL;
}

static void kernel_btf(struct doctor *d)
{
	int r = root_read(d, BTF_FILE, BTF_FILE_MAX, &d->btf, &d->btf_len);
	unsigned short magic = 0;

	if (r == 0 && d->btf_len >= sizeof(magic))
		memcpy(&magic, d->btf, sizeof(magic));
	if (magic == BTF_MAGIC) {
		doctor_say(d, SEVERITY_OK, "kernel-btf-missing", "type information: %s, %zu bytes",
			   BTF_FILE, d->btf_len);
		return;
	}
	free(d->btf);
	d->btf = NULL;
	doctor_say(d, SEVERITY_BROKEN, "kernel-btf-missing",
		   "%s: %s; the agent's programs can't be fitted to this kernel", BTF_FILE,
		   r < 0 ? strerror(-r) : "it is no type information");
	doctor_remedy(d, "boot a kernel that was built with CONFIG_DEBUG_INFO_BTF=y");
}

static void kernel_tcx(struct doctor *d)
{
	if (!d->btf)
		return;
	if (btf_has(d, "tcx_link"))
		doctor_say(d, SEVERITY_OK, "kernel-tcx",
			   "it has tcx: programs and others' qdiscs don't meet");
	else
		doctor_say(d, SEVERITY_OK, "kernel-tcx",
			   "it has no tcx (6.6): clsact is used, 5 s after a pod has come");
}

static void kernel_xdp(struct doctor *d)
{
	if (!d->btf)
		return;
	if (btf_has(d, "bpf_xdp_link") || btf_has(d, "bpf_xdp_link_ops")) {
		doctor_say(d, SEVERITY_OK, "kernel-xdp", "it has XDP links");
		return;
	}
	doctor_say(d, SEVERITY_WARNING, "kernel-xdp",
		   "it has no XDP links: uplinks go by tc at best");
	doctor_remedy(d, "boot a kernel that has them (5.9)");
}

/* CAP_SYS_ADMIN: what listing programs takes. */
static bool may_list_programs(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};

	return syscall(SYS_capget, &head, data) == 0 &&
	       (data[0].effective & 1u << CAP_SYS_ADMIN) != 0;
}

/* Asks for the first program there is, which makes nothing. */
static void kernel_bpf(struct doctor *d)
{
	union bpf_attr attr = {};

	if (syscall(SYS_bpf, BPF_PROG_GET_NEXT_ID, &attr, sizeof(attr)) == 0 || errno == ENOENT) {
		doctor_say(d, SEVERITY_OK, "bpf-refused", "bpf() is permitted");
		return;
	}
	if (errno == EPERM && !may_list_programs()) {
		doctor_say(d, SEVERITY_UNKNOWN, "bpf-refused",
			   "whether bpf() is permitted can't be tried without CAP_SYS_ADMIN");
		doctor_remedy(d, "run podwirectl as root");
		return;
	}
	doctor_say(d, SEVERITY_BROKEN, "bpf-refused", "bpf() is refused, to root as well: %s",
		   strerror(errno));
	doctor_remedy(d, "boot a kernel with CONFIG_BPF_SYSCALL=y, and allow bpf() in the agent's "
			 "seccomp filter (SystemCallFilter=bpf)");
}

static void kernel_lockdown(struct doctor *d)
{
	_cleanup_(freep) char *text = NULL;
	size_t len;

	if (root_read(d, "/sys/kernel/security/lockdown", 4096, &text, &len) < 0)
		return; /* there's no such thing here */
	if (!strstr(text, "[confidentiality]")) {
		doctor_say(d, SEVERITY_OK, "kernel-lockdown", "lockdown lets programs read");
		return;
	}
	doctor_say(d, SEVERITY_BROKEN, "kernel-lockdown",
		   "lockdown is at confidentiality, and BPF programs can't read kernel memory");
	doctor_remedy(d, "boot with lockdown=integrity");
}

static void kernel_jit(struct doctor *d)
{
	long on;
	int r = root_sysctl(d, "net/core/bpf_jit_enable", &on);

	/* it is the first network namespace's alone */
	if (r == -ENOENT)
		return;
	if (r < 0) {
		doctor_say(d, SEVERITY_UNKNOWN, "bpf-jit-off",
			   "net.core.bpf_jit_enable can't be read: %s", strerror(-r));
		return;
	}
	if (on > 0) {
		doctor_say(d, SEVERITY_OK, "bpf-jit-off", "net.core.bpf_jit_enable is %ld", on);
		return;
	}
	doctor_say(d, SEVERITY_WARNING, "bpf-jit-off",
		   "net.core.bpf_jit_enable is 0: each packet's programs are interpreted");
	doctor_remedy(d, "sysctl -w net.core.bpf_jit_enable=1, and the same line in /etc/sysctl.d");
}

bool kernel_has(const struct doctor *d, const char *module, const char *symbol)
{
	char path[80];

	(void)snprintf(path, sizeof(path), "/sys/module/%s", module);
	return btf_has(d, symbol) || root_has(d, path);
}

/* Whether the kernel could load a module: 1, 0, or -ENOENT where nothing tells. */
static int can_load(const struct doctor *d, const char *module)
{
	static const char *const lists[] = { "modules.dep", "modules.builtin" };
	char path[256], name[80];
	struct utsname uts;
	int answer = -ENOENT;

	if (uname(&uts) < 0)
		return -ENOENT;
	(void)snprintf(name, sizeof(name), "/%s.ko", module);
	for (size_t i = 0; i < ARRAY_COUNT(lists); i++) {
		_cleanup_(freep) char *text = NULL;
		size_t len;

		(void)snprintf(path, sizeof(path), "/lib/modules/%s/%s", uts.release, lists[i]);
		if (root_read(d, path, 16u << 20, &text, &len) < 0)
			continue;
		if (memmem(text, len, name, strlen(name)))
			return 1;
		answer = 0;
	}
	return answer;
}

static const struct module {
	const char *id, *name, *symbol;
	enum severity severity; /* of having neither it nor a way to it */
	const char *why;
} modules[] = {
	{ "veth-missing", "veth", "veth_xmit", SEVERITY_BROKEN, "no pod can be wired" },
	{ "conntrack-missing", "nf_conntrack", "nf_conntrack_in", SEVERITY_WARNING,
	  "services, masquerading and stateful rules can't work" },
	{ "nftables-missing", "nf_tables", "nft_do_chain", SEVERITY_WARNING, "ipMasq can't work" },
};

static void kernel_modules(struct doctor *d)
{
	for (size_t i = 0; i < ARRAY_COUNT(modules); i++) {
		const struct module *m = &modules[i];
		int r = kernel_has(d, m->name, m->symbol) ? 2 : can_load(d, m->name);

		if (r > 0) {
			doctor_say(d, SEVERITY_OK, m->id, "%s is %s", m->name,
				   r == 2 ? "there" : "loaded when it's needed");
			continue;
		}
		doctor_say(
			d, r < 0 ? SEVERITY_UNKNOWN : m->severity, m->id,
			r < 0 ? "%s is not loaded, and no list of the kernel's modules is there: "
				"if it can't be loaded, %s"
			      : "the kernel has no %s: %s",
			m->name, m->why);
		doctor_remedy(d,
			      "modprobe %s; if there's none, install the kernel's package of "
			      "further modules",
			      m->name);
	}
}

static void bpffs(struct doctor *d)
{
	_cleanup_(closep) int fd = root_find(d, "/sys/fs/bpf");
	struct statvfs vfs;
	struct statfs fs;

	if (fd < 0 || fstatfs(fd, &fs) < 0 || fs.f_type != BPF_FS_MAGIC) {
		doctor_say(d, SEVERITY_BROKEN, "bpffs-missing",
			   "no bpf file system is mounted at /sys/fs/bpf: the agent can't keep its "
			   "programs");
		doctor_remedy(d, "mount -t bpf bpf /sys/fs/bpf");
		return;
	}
	doctor_say(d, SEVERITY_OK, "bpffs-missing", "a bpf file system is mounted at /sys/fs/bpf");
	if (fstatvfs(fd, &vfs) == 0 && (vfs.f_flag & ST_RDONLY)) {
		doctor_say(d, SEVERITY_BROKEN, "bpffs-read-only",
			   "/sys/fs/bpf is mounted read-only: the agent can't keep its programs");
		doctor_remedy(d, "mount -o remount,rw /sys/fs/bpf");
	}
}

void check_kernel(struct doctor *d)
{
	static doctor_check *const checks[] = {
		kernel_version,  kernel_btf, kernel_tcx,     kernel_xdp, kernel_bpf,
		kernel_lockdown, kernel_jit, kernel_modules, bpffs,
	};

	for (size_t i = 0; i < ARRAY_COUNT(checks); i++)
		checks[i](d);
}
