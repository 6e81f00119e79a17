/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who drops forwarded packets
 *
 * A filter on forwarded packets that drops what no rule has decided lets nothing through between
 * pods and the world, unless a rule of its table accepts it. Which rule a packet meets isn't
 * followed through all chains: rules that name pods' interfaces are taken at their word, and where
 * rules go by address, that is said.
 */
#include <arpa/inet.h> /* before the kernel's */
#include <errno.h>
#include <linux/netfilter.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "doctor/chains.h"
#include "doctor/doctor.h"

#define ID "forward-policy-drop"

static const struct owner {
	const char *name;
	const char *table;  /* its own, or NULL */
	const char *prefix; /* of its chains, or NULL */
	const char *remedy;
} owners[] = {
	{ "Docker", NULL, "DOCKER",
	  "iptables -I DOCKER-USER -i vethpw+ -j ACCEPT; iptables -I DOCKER-USER -o vethpw+ -j "
	  "ACCEPT, at each boot after Docker; for IPv6, ip6tables" },
	{ "firewalld", "firewalld", NULL,
	  "firewall-cmd --permanent --zone=trusted --add-source=POD-CIDR; firewall-cmd --reload" },
	{ "ufw", NULL, "ufw", "DEFAULT_FORWARD_POLICY=\"ACCEPT\" in /etc/default/ufw; ufw reload" },
	{ "somebody", NULL, NULL,
	  "accept in that chain what comes from and goes to vethpw*: iptables -I FORWARD -i vethpw+ "
	  "-j ACCEPT and the same with -o, or nft insert rule with iifname and oifname" },
};

static bool same_table(const struct chains_entry *a, const struct chains_entry *b)
{
	return a->legacy == b->legacy && a->family == b->family && strcmp(a->table, b->table) == 0;
}

static const struct owner *owner_of(const struct chains *all, const struct chains_entry *of)
{
	const struct chains_entry *chain = all->v.v;

	for (size_t o = 0; o + 1 < ARRAY_COUNT(owners); o++) {
		const struct owner *owner = &owners[o];

		if (owner->table && strcmp(of->table, owner->table) == 0)
			return owner;
		for (size_t i = 0; owner->prefix && i < all->v.n; i++) {
			if (same_table(&chain[i], of) &&
			    strncmp(chain[i].name, owner->prefix, strlen(owner->prefix)) == 0)
				return owner;
		}
	}
	return &owners[ARRAY_COUNT(owners) - 1];
}

/* Docker's own chains accept for its containers, by their addresses. */
static bool is_for_containers(const char *chain)
{
	return strncmp(chain, "DOCKER", strlen("DOCKER")) == 0 && strcmp(chain, "DOCKER-USER") != 0;
}

struct accepts {
	bool in, out, by_address;
};

static struct accepts accepted(const struct chains *all, const struct chains_entry *of)
{
	const struct chains_entry *chain = all->v.v;
	struct accepts a = {};

	for (size_t i = 0; i < all->v.n; i++) {
		if (!same_table(&chain[i], of))
			continue;
		a.in |= chain[i].accepts_in;
		a.out |= chain[i].accepts_out;
		a.by_address |= chain[i].accepts_address && !is_for_containers(chain[i].name);
	}
	return a;
}

static const char *family_name(uint8_t family)
{
	return family == NFPROTO_IPV4 ? "ip" : family == NFPROTO_IPV6 ? "ip6" : "inet";
}

/* Whether pods use what such a chain sees: where there are none yet, they may. */
static bool concerns_pods(const struct doctor *d, uint8_t family)
{
	return family != NFPROTO_IPV6 || d->facts.pods[1] || d->facts.records == 0;
}

static void judge(struct doctor *d, const struct chains *all, const struct chains_entry *chain)
{
	const struct owner *owner = owner_of(all, chain);
	struct accepts a = accepted(all, chain);
	char where[400];

	(void)snprintf(where, sizeof(where),
		       "%s: chain %s of table %s %s drops what no rule decides",
		       chain->legacy ? "iptables-legacy" : "nftables", chain->name,
		       family_name(chain->family), chain->table);
	if ((a.in && a.out) || !concerns_pods(d, chain->family)) {
		doctor_say(d, SEVERITY_OK, ID, "%s, and %s", where,
			   a.in && a.out ? "rules there accept what is vethpw*'s"
					 : "no pod has IPv6");
		return;
	}
	if (a.by_address)
		doctor_say(d, SEVERITY_WARNING, ID,
			   "%s (%s did that). Rules accept by address: whether that is pods' too "
			   "is not looked at",
			   where, owner->name);
	else if (a.in || a.out)
		doctor_say(d, SEVERITY_BROKEN, ID,
			   "%s (%s did that). Rules accept only what %s vethpw*, and not the rest",
			   where, owner->name, a.in ? "comes from" : "goes to");
	else
		doctor_say(d, SEVERITY_BROKEN, ID,
			   "%s (%s did that), and no rule accepts pods' packets", where,
			   owner->name);
	doctor_remedy(d, "%s", owner->remedy);
}

void check_firewall(struct doctor *d)
{
	const struct chains *all = &d->chains;
	const struct chains_entry *chain;
	struct pw_error err = {};
	size_t n = 0;

	if (chains_read(d, &d->chains, &err) < 0) {
		doctor_say(d, SEVERITY_UNKNOWN, ID, "the firewall could not be looked at: %s",
			   err.errnum == EPERM ? "only root may" : err.msg);
		return;
	}
	chain = all->v.v;
	for (size_t i = 0; i < all->v.n; i++) {
		if (chain[i].forward && (chain[i].drops || chain[i].ends_in_drop)) {
			judge(d, all, &chain[i]);
			n++;
		}
	}
	if (n == 0)
		doctor_say(d, SEVERITY_OK, ID, "nothing drops all that is forwarded (%zu chains)",
			   all->v.n);
}
