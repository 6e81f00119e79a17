/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What other networks for pods leave behind: links, programs, chains, configurations. Flannel that
 * runs, and has podwire as its delegate or only makes routes, is no leftover.
 */
#include <errno.h>
#include <fnmatch.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "doctor/chains.h"
#include "doctor/doctor.h"
#include "doctor/root.h"
#include "rtnl/link.h"

#define PATTERNS_MAX 8

static const struct other {
	const char *id, *name;
	const char *links[PATTERNS_MAX];
	const char *pins[PATTERNS_MAX]; /* "DIRECTORY PATTERN" */
	const char *chains[PATTERNS_MAX], *tables[PATTERNS_MAX];
	const char *config;
	const char *remedy;
} others[] = {
	{ .id = "leftover-cilium",
	  .name = "Cilium",
	  .links = { "cilium_*", "lxc_health", "lxc[0-9a-f][0-9a-f][0-9a-f][0-9a-f]*" },
	  .pins = { "/sys/fs/bpf cilium*", "/sys/fs/bpf/tc/globals cilium_*" },
	  .chains = { "CILIUM_*", "OLD_CILIUM_*" },
	  .tables = { "cilium*" },
	  .config = "*cilium*",
	  .remedy = "cilium-dbg post-uninstall-cleanup --all-state --force, or a reboot after its "
		    "configuration is gone" },
	{ .id = "leftover-calico",
	  .name = "Calico",
	  .links = { "cali[0-9a-f][0-9a-f][0-9a-f][0-9a-f]*", "vxlan.calico", "vxlan-v6.calico",
		     "wireguard.cali", "wg-v6.cali" },
	  .pins = { "/sys/fs/bpf calico*", "/sys/fs/bpf/tc/globals cali*" },
	  .chains = { "cali-*" },
	  .tables = { "calico*" },
	  .config = "*calico*",
	  .remedy =
		  "remove its configuration, then a reboot; or ip link delete, and iptables-save | "
		  "grep -v cali | iptables-restore" },
	{ .id = "leftover-flannel",
	  .name = "flannel",
	  .links = { "flannel.*", "flannel-v6.*", "flannel-wg*" },
	  .chains = { "FLANNEL-*" },
	  .tables = { "flannel-*" },
	  .config = "*flannel*",
	  .remedy =
		  "ip link delete flannel.1, and remove its configuration and chains, or reboot" },
};

/* What there is, in words; as much of it as fits. */
struct seen {
	size_t n;
	char text[400];
};

static void see(struct seen *s, const char *what, const char *where, const char *name)
{
	size_t len = strlen(s->text);

	s->n++;
	(void)snprintf(s->text + len, sizeof(s->text) - len, "%s%s %s%s", len ? ", " : "", what,
		       where, name);
}

static bool matches(const char *const *patterns, const char *name)
{
	for (size_t i = 0; i < PATTERNS_MAX && patterns[i]; i++) {
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	}
	return false;
}

static void see_links(const struct other *o, struct seen *s)
{
	struct if_nameindex *links = if_nameindex();

	for (struct if_nameindex *l = links; l && l->if_index; l++) {
		if (matches(o->links, l->if_name))
			see(s, "link", "", l->if_name);
	}
	if (links)
		if_freenameindex(links);
}

static void see_files(struct doctor *d, const char *what, const char *dir, const char *pattern,
		      struct seen *s)
{
	_cleanup_(array_done) struct array files = {};
	const struct root_name *file;
	char where[300];

	if (root_list(d, dir, &files) == -ENOMEM)
		d->oom = true;
	(void)snprintf(where, sizeof(where), "%s/", dir);
	file = files.v;
	for (size_t i = 0; i < files.n; i++) {
		if (fnmatch(pattern, file[i].name, 0) == 0)
			see(s, what, where, file[i].name);
	}
}

static void see_pins(struct doctor *d, const struct other *o, struct seen *s)
{
	for (size_t i = 0; i < PATTERNS_MAX && o->pins[i]; i++) {
		size_t len = strcspn(o->pins[i], " ");
		char dir[64];

		(void)snprintf(dir, sizeof(dir), "%.*s", (int)len, o->pins[i]);
		see_files(d, "pin", dir, o->pins[i] + len + 1, s);
	}
}

static void see_chains(const struct doctor *d, const struct other *o, struct seen *s)
{
	const struct chains_entry *chain = d->chains.v.v;

	for (size_t i = 0; i < d->chains.v.n; i++) {
		if (matches(o->chains, chain[i].name) || matches(o->tables, chain[i].table))
			see(s, chain[i].legacy ? "legacy chain" : "chain", "", chain[i].name);
	}
}

static bool flannel_runs(const struct doctor *d)
{
	return root_has(d, "/run/flannel/subnet.env");
}

static void look_for(struct doctor *d, const struct other *o)
{
	bool used = strcmp(o->name, "flannel") == 0 && flannel_runs(d);
	struct seen s = {};

	see_links(o, &s);
	see_pins(d, o, &s);
	see_chains(d, o, &s);
	/* with podwire as its delegate, it is no leftover */
	if (strcmp(o->name, "flannel") != 0 || !d->facts.flannel_is_ours)
		see_files(d, "file", d->options.conf_dir, o->config, &s);
	if (s.n == 0) {
		doctor_say(d, SEVERITY_OK, o->id, "nothing of %s's is here", o->name);
		return;
	}
	if (used) {
		doctor_say(d, SEVERITY_OK, o->id, "%s runs here, and these are in use: %s", o->name,
			   s.text);
		return;
	}
	doctor_say(d, SEVERITY_WARNING, o->id, "%s was here, and left %zu things: %s", o->name, s.n,
		   s.text);
	doctor_remedy(d, "%s", o->remedy);
}

/* Every network namespace has a tunl0 once there's the module; Calico's is up. */
static void ipip_tunnel(struct doctor *d)
{
	struct link_info link;

	if (!d->route || link_find(d->route, "tunl0", &link, NULL) <= 0 || !(link.flags & IFF_UP))
		return;
	doctor_say(d, SEVERITY_WARNING, "leftover-tunnel",
		   "tunl0 is up: an IPIP tunnel, as Calico makes it");
	doctor_remedy(d, "ip link set tunl0 down, and ip route show dev tunl0; unless you use it");
}

static void bridge(struct doctor *d)
{
	if (!d->facts.first_is_ours || if_nametoindex("cni0") == 0)
		return;
	doctor_say(
		d, SEVERITY_WARNING, "leftover-bridge",
		"cni0 is here, the bridge plugin's: the network of its address is routed to it, and "
		"podwire's pods aren't there");
	doctor_remedy(d, "ip link delete cni0, when no pod is on it any more: bridge link show");
}

void check_leftovers(struct doctor *d)
{
	for (size_t i = 0; i < ARRAY_COUNT(others) && !d->oom; i++)
		look_for(d, &others[i]);
	ipip_tunnel(d);
	bridge(d);
}
