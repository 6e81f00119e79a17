/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model
 *
 * A port is there as soon as anything of it is: its link, its record, or its being an uplink. Each
 * thing that is seen goes in by its own way and ends in settle(), which looks at the port as it is
 * now and says what that means. So the order in which things are seen doesn't matter, and seeing
 * one twice changes nothing.
 */
#include "model/model.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "model/slots.h"

#define BUCKETS 4096 /* as many as there can be ports that are served */

struct entry {
	struct port port;                        /* first: a port's address is its entry's */
	struct entry *next_named, *next_indexed; /* in the same bucket */
	bool uplink;
	bool record_unreadable;
	bool mac_told;               /* pod_mac is what the pod said */
	bool link_seen, record_seen; /* in the look around that is under way */
};

struct model {
	struct entry **v;
	size_t n;
	/* an event has to find its port among thousands, and a look around each of them */
	struct entry *by_name[BUCKETS], *by_index[BUCKETS];
	struct slots *slots;
};

int model_new(uint32_t slots, struct model **ret, struct pw_error *err)
{
	_cleanup_(model_freep) struct model *m = calloc(1, sizeof(*m));
	int r;

	if (!m)
		return pw_oom(err);
	r = slots_new(slots, &m->slots, err);
	if (r < 0)
		return r;
	*ret = take_ptr(m);
	return 0;
}

static void entry_free(struct entry *e)
{
	record_done(&e->port.record);
	free(e);
}

struct model *model_free(struct model *m)
{
	if (m) {
		for (size_t i = 0; i < m->n; i++)
			entry_free(m->v[i]);
		free(m->v);
		slots_free(m->slots);
	}
	free(m);
	return NULL;
}

static size_t name_bucket(const char *ifname)
{
	return hash_end(hash_bytes(HASH_START, ifname, strlen(ifname))) % BUCKETS;
}

static size_t index_bucket(int ifindex)
{
	return (unsigned int)ifindex % BUCKETS;
}

static struct entry *find(const struct model *m, const char *ifname)
{
	struct entry *e = m->by_name[name_bucket(ifname)];

	while (e && strcmp(e->port.ifname, ifname) != 0)
		e = e->next_named;
	return e;
}

static struct entry *find_index(const struct model *m, int ifindex)
{
	struct entry *e = ifindex > 0 ? m->by_index[index_bucket(ifindex)] : NULL;

	while (e && e->port.ifindex != ifindex)
		e = e->next_indexed;
	return e;
}

static void set_index(struct model *m, struct entry *e, int ifindex)
{
	struct entry **at = &m->by_index[index_bucket(e->port.ifindex)];

	if (e->port.ifindex > 0) {
		while (*at != e)
			at = &(*at)->next_indexed;
		*at = e->next_indexed;
	}
	e->port.ifindex = ifindex;
	e->next_indexed = NULL;
	if (ifindex <= 0)
		return;
	at = &m->by_index[index_bucket(ifindex)];
	e->next_indexed = *at;
	*at = e;
}

static void forget_name(struct model *m, struct entry *e)
{
	struct entry **at = &m->by_name[name_bucket(e->port.ifname)];

	while (*at != e)
		at = &(*at)->next_named;
	*at = e->next_named;
}

static struct entry *add(struct model *m, const char *ifname, struct pw_error *err)
{
	struct entry *e = calloc(1, sizeof(*e)), **named;
	struct entry **v = reallocarray(m->v, m->n + 1, sizeof(struct entry *));

	if (v)
		m->v = v;
	if (!e || !v) {
		free(e);
		pw_oom(err);
		return NULL;
	}
	strncpy(e->port.ifname, ifname, sizeof(e->port.ifname) - 1);
	e->port.kind = attachment_is_host_ifname(ifname) ? PW_PORT_POD : PW_PORT_UPLINK;
	v[m->n++] = e;
	named = &m->by_name[name_bucket(e->port.ifname)];
	e->next_named = *named;
	*named = e;
	return e;
}

static void drop_slot(struct model *m, struct port *p)
{
	if (p->slot)
		slots_leave(m->slots, p->slot);
	p->slot = p->generation = 0;
}

/* What stands in the way of a slot; PORT_REASON_NONE where nothing does. */
static enum port_reason obstacle(const struct entry *e)
{
	if (e->port.kind == PW_PORT_UPLINK)
		return PORT_REASON_NONE;
	return e->record_unreadable || !e->port.has_record ? PORT_REASON_RECORD : PORT_REASON_NONE;
}

static bool is_wanted(const struct entry *e)
{
	const struct port *p = &e->port;

	if (p->ifindex == 0 || obstacle(e) != PORT_REASON_NONE)
		return false;
	return p->kind == PW_PORT_UPLINK || p->record.state == RECORD_READY;
}

/* The kernel's path, and why. */
static void without_programs(struct entry *e, enum port_state state, enum port_reason reason)
{
	struct port *p = &e->port;

	p->state = state;
	p->reason = reason;
	p->path = PORT_PATH_KERNEL;
	p->source_check = port_wants_source_check(p) ? SOURCE_CHECK_KERNEL : SOURCE_CHECK_NONE;
	if (!e->record_unreadable) /* whose detail says why */
		p->detail[0] = '\0';
}

static void settle(struct model *m, struct entry *e)
{
	struct port *p = &e->port;

	p->changed = true;
	p->gone = p->ifindex == 0 && !p->has_record && !e->record_unreadable;
	if (!is_wanted(e)) {
		enum port_reason reason = p->ifindex ? obstacle(e) : PORT_REASON_NONE;

		drop_slot(m, p);
		without_programs(e, reason != PORT_REASON_NONE ? PORT_NO_RECORD : PORT_PENDING,
				 reason);
		p->dirty = false;
		return;
	}
	if (!p->slot) {
		const struct mac *mac = p->kind == PW_PORT_POD ? &p->record.pod_mac : &p->mac;

		p->slot = slots_take(m->slots, p->ifindex, p->kind, mac);
		p->generation = slots_generation(m->slots, p->slot);
	}
	if (!p->slot) {
		without_programs(e, PORT_READY, PORT_REASON_SLOTS);
		p->dirty = false;
		return;
	}
	p->dirty = true;
}

static bool is_upper_device(const char *kind)
{
	static const char *const tc_only[] = {
		"vlan",   "bond",      "team",    "bridge",    "vxlan",  "geneve",
		"gre",    "gretap",    "ip6gre",  "ip6gretap", "ipip",   "sit",
		"ip6tnl", "wireguard", "macvlan", "ipvlan",    "macsec", "dummy",
	};

	for (size_t i = 0; i < ARRAY_COUNT(tc_only); i++) {
		if (strcmp(kind, tc_only[i]) == 0)
			return true;
	}
	return false;
}

static bool link_is_news(const struct port *p, const struct link_seen *link)
{
	return p->ifindex != link->ifindex || p->mtu != link->mtu || p->up != link->up ||
	       !mac_equal(&p->mac, &link->mac) || strcmp(p->ifname, link->name) != 0;
}

/* The entry that a link is to go to; NULL with @err untouched: none of ours. */
static struct entry *entry_for_link(struct model *m, const struct link_seen *link,
				    struct pw_error *err)
{
	struct entry *e = find(m, link->name);

	if (!attachment_is_host_ifname(link->name))
		return e && e->uplink ? e : NULL;
	return e ? e : add(m, link->name, err);
}

int model_link_seen(struct model *m, const struct link_seen *link, struct pw_error *err)
{
	struct pw_error oom = {};
	struct entry *e = find_index(m, link->ifindex);
	struct port *p;

	if (e && strcmp(e->port.ifname, link->name) != 0) /* it has another name now */
		model_link_gone(m, link->ifindex);
	e = entry_for_link(m, link, &oom);
	if (!e) {
		if (oom.errnum && err)
			*err = oom;
		return -oom.errnum;
	}
	p = &e->port;
	e->link_seen = true;
	if (!link_is_news(p, link))
		return 0;
	if (p->ifindex != link->ifindex) {
		drop_slot(m, p);
		e->mac_told = false;
		if (p->has_record)
			p->pod_mac = p->record.pod_mac;
		p->can_take_frames = false;
		p->foreign[0] = '\0';
		p->times_detached = 0;
		p->attach_at = 0;
	}
	set_index(m, e, link->ifindex);
	p->mtu = link->mtu;
	p->up = link->up;
	p->mac = link->mac;
	strncpy(p->kind_name, link->kind, sizeof(p->kind_name) - 1);
	p->tc_only = is_upper_device(link->kind);
	settle(m, e);
	return 0;
}

void model_link_gone(struct model *m, int ifindex)
{
	struct entry *e = find_index(m, ifindex);

	if (!e)
		return;
	set_index(m, e, 0);
	e->port.up = false;
	e->uplink = false; /* another of its name has to be named anew */
	settle(m, e);
}

static bool record_is_news(const struct entry *e, const struct record *rec, const char *why)
{
	const struct port *p = &e->port;
	const struct record *old = &p->record;

	if (!rec)
		return !e->record_unreadable || strcmp(p->detail, why) != 0;
	if (!p->has_record || old->state != rec->state || !mac_equal(&old->pod_mac, &rec->pod_mac))
		return true;
	return json_object_equal(old->root, rec->root) == 0;
}

static void take_record(struct entry *e, struct record *rec)
{
	struct port *p = &e->port;

	/* one that names another MAC is later than what the pod has said */
	if (rec && p->has_record && !mac_equal(&p->record.pod_mac, &rec->pod_mac))
		e->mac_told = false;
	record_done(&p->record);
	if (rec) {
		p->record = *rec;
		*rec = (struct record){};
	}
	p->has_record = rec != NULL;
	e->record_unreadable = !rec;
	if (!e->mac_told)
		p->pod_mac = p->record.pod_mac;
}

static int see_record(struct model *m, const char *host_ifname, struct record *rec,
		      const struct pw_error *why, struct pw_error *err)
{
	struct entry *e = find(m, host_ifname);
	char detail[sizeof(e->port.detail)] = "";

	if (!e)
		e = add(m, host_ifname, err);
	if (!e)
		return -ENOMEM;
	if (!rec)
		utf8_copy(detail, sizeof(detail), why->msg);
	e->record_seen = true;
	if (!record_is_news(e, rec, detail))
		return 0;
	if (!rec || e->record_unreadable) /* (else it's the sinks') */
		memcpy(e->port.detail, detail, sizeof(detail));
	take_record(e, rec);
	settle(m, e);
	return 0;
}

int model_record_seen(struct model *m, const char *host_ifname, struct record *rec,
		      const struct pw_error *why, struct pw_error *err)
{
	int r = attachment_is_host_ifname(host_ifname) ? see_record(m, host_ifname, rec, why, err)
						       : 0;

	if (rec) /* of no use */
		record_done(rec);
	return r;
}

void model_record_gone(struct model *m, const char *host_ifname)
{
	struct entry *e = find(m, host_ifname);

	if (!e || (!e->port.has_record && !e->record_unreadable))
		return;
	record_done(&e->port.record);
	e->port.record = (struct record){};
	e->port.has_record = e->record_unreadable = e->mac_told = false;
	e->port.pod_mac = (struct mac){};
	settle(m, e);
}

int model_set_uplink(struct model *m, const struct link_seen *link, struct pw_error *err)
{
	struct entry *e = find(m, link->name);

	if (attachment_is_host_ifname(link->name))
		return 0;
	if (!e)
		e = add(m, link->name, err);
	if (!e)
		return -ENOMEM;
	e->uplink = true;
	if (strcmp(e->port.driver, link->driver) != 0)
		e->port.changed = true;
	memcpy(e->port.driver, link->driver, sizeof(e->port.driver));
	return model_link_seen(m, link, err);
}

void model_keep_uplinks(struct model *m, const int *ifindex, size_t n)
{
	for (size_t i = 0; i < m->n; i++) {
		struct entry *e = m->v[i];
		bool kept = false;

		for (size_t k = 0; k < n && !kept; k++)
			kept = ifindex[k] == e->port.ifindex;
		if (e->uplink && !kept)
			model_link_gone(m, e->port.ifindex);
	}
}

static bool has_address(const struct port *p, const struct ipaddr *ip)
{
	const struct cidr *own = p->record.addresses.v;

	for (size_t i = 0; i < p->record.addresses.n; i++) {
		if (ipaddr_equal(&own[i].ip, ip))
			return true;
	}
	return false;
}

void model_pod_says(struct model *m, int ifindex, const struct ipaddr *ip, const struct mac *mac)
{
	struct entry *e = find_index(m, ifindex);

	if (!e || e->port.kind != PW_PORT_POD || mac_equal(&e->port.pod_mac, mac) ||
	    !mac_is_unicast(mac) || !has_address(&e->port, ip))
		return;
	e->mac_told = true;
	e->port.pod_mac = *mac;
	settle(m, e);
}

void model_can_take_frames(struct model *m, int ifindex, bool can)
{
	struct entry *e = find_index(m, ifindex);

	if (!e || e->port.can_take_frames == can)
		return;
	e->port.can_take_frames = can;
	settle(m, e);
}

void model_foreign(struct model *m, int ifindex, const char *what)
{
	struct entry *e = find_index(m, ifindex);
	char text[sizeof(e->port.foreign)];

	utf8_copy(text, sizeof(text), what ? what : "");
	if (!e || strcmp(e->port.foreign, text) == 0)
		return;
	memcpy(e->port.foreign, text, sizeof(text));
	settle(m, e);
}

void model_resync_begin(struct model *m)
{
	for (size_t i = 0; i < m->n; i++)
		m->v[i]->link_seen = m->v[i]->record_seen = false;
}

void model_resync_end(struct model *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct entry *e = m->v[i];

		if (!e->link_seen && e->port.ifindex)
			model_link_gone(m, e->port.ifindex);
		if (!e->record_seen)
			model_record_gone(m, e->port.ifname);
	}
	slots_leave_unclaimed(m->slots);
}

void model_adopt_slot(struct model *m, uint32_t slot, const struct pw_port *was)
{
	slots_adopt(m->slots, slot, was);
}

const struct model_freed *model_freed(const struct model *m, size_t *ret_n)
{
	return slots_freed(m->slots, ret_n);
}

/* Ports that went without for want of a slot get another chance. */
void model_freed_clear(struct model *m)
{
	slots_freed_clear(m->slots);
	for (size_t i = 0; i < m->n && slots_count_free(m->slots) > 0; i++) {
		if (m->v[i]->port.reason == PORT_REASON_SLOTS)
			settle(m, m->v[i]);
	}
}

size_t model_ports(const struct model *m)
{
	return m->n;
}

struct port *model_port(struct model *m, size_t i)
{
	return &m->v[i]->port;
}

struct port *model_find(struct model *m, const char *ifname)
{
	struct entry *e = find(m, ifname);

	return e ? &e->port : NULL;
}

struct port *model_find_index(struct model *m, int ifindex)
{
	struct entry *e = find_index(m, ifindex);

	return e ? &e->port : NULL;
}

void model_forget_gone(struct model *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->n; i++) {
		struct entry *e = m->v[i];

		if (!e->port.gone) {
			m->v[kept++] = e;
			continue;
		}
		set_index(m, e, 0);
		forget_name(m, e);
		entry_free(e);
	}
	m->n = kept;
}

uint32_t model_free_slots(const struct model *m)
{
	return slots_count_free(m->slots);
}

size_t model_without_slot(const struct model *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += m->v[i]->port.reason == PORT_REASON_SLOTS && !m->v[i]->port.gone;
	return n;
}
