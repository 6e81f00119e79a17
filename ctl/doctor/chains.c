/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor/chains.h"

#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "doctor/doctor.h"
#include "doctor/kernel.h"
#include "doctor/root.h"
#include "doctor/xtables.h"
#include "netlink/sock.h"
#include "store/attachment.h"

void chains_done(struct chains *chains)
{
	array_done(&chains->v);
}

static int take_chain(const struct others_chain *chain, void *arg)
{
	struct chains *chains = arg;
	struct chains_entry *to;

	if (!chain) {
		array_done(&chains->v); /* nftables' come first */
		return 0;
	}
	to = array_grow(&chains->v, sizeof(*to), 1);
	if (!to)
		return -ENOMEM;
	to->legacy = chains->legacy;
	to->family = chain->family;
	memcpy(to->table, chain->table, sizeof(to->table));
	memcpy(to->name, chain->name, sizeof(to->name));
	to->forward = chain->forward;
	to->drops = chain->drops;
	return 0;
}

static bool is_of(const struct chains_entry *chain, const struct others_rule *rule, bool legacy)
{
	return chain->legacy == legacy && chain->family == rule->family &&
	       strcmp(chain->name, rule->chain) == 0 && strcmp(chain->table, rule->table) == 0;
}

/* A chain's rules come together, so it is the last one's, as a rule. */
static struct chains_entry *find(struct chains *chains, const struct others_rule *rule)
{
	struct chains_entry *chain = chains->v.v;

	if (chains->last < chains->v.n && is_of(&chain[chains->last], rule, chains->legacy))
		return &chain[chains->last];
	for (size_t i = 0; i < chains->v.n; i++) {
		if (is_of(&chain[i], rule, chains->legacy)) {
			chains->last = i;
			return &chain[i];
		}
	}
	return NULL;
}

/* A rule on all of pods' interfaces, not on one. */
static bool names_pods(const char *name, bool begins)
{
	return *name && begins && strncmp(HOST_IFNAME_PREFIX, name, strlen(name)) == 0;
}

void chains_take_rule(struct chains *chains, const struct others_rule *rule)
{
	struct chains_entry *chain = find(chains, rule);
	bool accepts = rule->verdict == OTHERS_ACCEPT;

	if (!chain) /* made in between */
		return;
	chain->ends_in_drop = rule->verdict == OTHERS_DROP && !rule->conditional;
	if (accepts && !rule->conditional && chain->forward)
		chain->accepts_in = chain->accepts_out = true;
	/* from pods to one device is not from pods to all */
	if (accepts && names_pods(rule->in, rule->in_begins) && !*rule->out)
		chain->accepts_in = true;
	if (accepts && names_pods(rule->out, rule->out_begins) && !*rule->in)
		chain->accepts_out = true;
	if (rule->by_address && (accepts || rule->verdict == OTHERS_JUMP))
		chain->accepts_address = true;
}

static void forget_rules(struct chains *chains)
{
	struct chains_entry *chain = chains->v.v;

	for (size_t i = 0; i < chains->v.n; i++) {
		chain[i].ends_in_drop = chain[i].accepts_in = chain[i].accepts_out = false;
		chain[i].accepts_address = false;
	}
}

static int take_rule(const struct others_rule *rule, void *arg)
{
	if (rule)
		chains_take_rule(arg, rule);
	else
		forget_rules(arg);
	return 0;
}

static int read_nft(struct doctor *d, struct chains *chains, struct pw_error *err)
{
	_cleanup_(nlsock_freep) struct nlsock *sock = NULL;
	int r;

	if (!kernel_has(d, "nf_tables", "nft_do_chain"))
		return 0;
	r = nlsock_open(NETLINK_NETFILTER, &sock, err);
	if (r == 0)
		r = others_chains(sock, take_chain, chains, err);
	if (r == 0)
		r = others_rules(sock, take_rule, chains, err);
	return r;
}

/* 1 if the table is there, 0 if not. */
static int has_legacy(const struct doctor *d, const char *list, struct pw_error *err)
{
	_cleanup_(freep) char *text = NULL;
	size_t len;
	int r = root_read(d, list, 4096, &text, &len);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return pw_fail(err, r == -EACCES ? EPERM : -r, PW_E_IO, "%s: %m", list);
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		if (strncmp(line, "filter\n", strlen("filter\n")) == 0)
			return 1;
		if (!strchr(line, '\n'))
			break;
	}
	return 0;
}

int chains_read(struct doctor *d, struct chains *ret, struct pw_error *err)
{
	static const struct {
		int family;
		const char *list;
	} legacy[] = {
		{ AF_INET, "/proc/net/ip_tables_names" },
		{ AF_INET6, "/proc/net/ip6_tables_names" },
	};
	const struct xtables_calls calls = { take_chain, take_rule, ret };
	int r = read_nft(d, ret, err);

	ret->legacy = true;
	for (size_t i = 0; i < ARRAY_COUNT(legacy) && r >= 0; i++) {
		r = has_legacy(d, legacy[i].list, err);
		if (r > 0)
			r = xtables_read(legacy[i].family, &calls, err);
	}
	return r < 0 ? r : 0;
}
