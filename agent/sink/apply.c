/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sink/apply.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/utf8.h"

static void say(struct apply *a, struct port *p, const char *text)
{
	char clean[sizeof(p->detail)];

	/* a fault that is still there is no news */
	utf8_copy(clean, sizeof(clean), text);
	if (strcmp(p->detail, clean) == 0)
		return;
	memcpy(p->detail, clean, sizeof(p->detail));
	if (a->report && *text)
		a->report(p, text, a->arg);
}

static void by_the_kernel(struct apply *a, struct port *p, enum port_state state,
			  enum port_reason reason, const char *detail)
{
	p->state = state;
	p->path = PORT_PATH_KERNEL;
	p->reason = reason;
	p->source_check = port_wants_source_check(p) ? SOURCE_CHECK_KERNEL : SOURCE_CHECK_NONE;
	say(a, p, detail);
}

/* Why a port with all programs on it isn't accelerated. */
static enum port_reason reason_of(const struct port *p)
{
	if (p->kind == PW_PORT_POD && p->record.options.fast_path == FAST_PATH_OFF)
		return PORT_REASON_OFF;
	return *p->foreign ? PORT_REASON_FOREIGN : PORT_REASON_LEARNING;
}

/* Only where it was asked for: attaching resets some NICs. */
static void apply_xdp(struct apply *a, struct port *p)
{
	struct pw_error err = {};

	if (p->kind != PW_PORT_UPLINK)
		return;
	if (a->config->uplink_xdp != UPLINK_XDP_NATIVE || p->tc_only || *p->foreign) {
		attach_drop_xdp(a->attach, p->ifindex);
		return;
	}
	if (attach_xdp(a->attach, p, &err) < 0)
		say(a, p, err.msg);
}

/* Twice: we don't fight over a device, whatever else happens to it. A new agent tries again. */
static void leave_off(struct apply *a, struct port *p)
{
	attach_drop(a->attach, p->ifindex);
	by_the_kernel(a, p, PORT_READY, PORT_REASON_DETACHED,
		      "somebody took our programs off, twice");
	p->changed = true;
}

static void apply_port(struct apply *a, struct port *p)
{
	struct pw_error err = {};
	int r;

	p->dirty = false;
	p->changed = true;
	if (p->times_detached > 1) {
		leave_off(a, p);
		return;
	}
	if (!attach_has_tcx(a->attach) && *p->foreign) {
		/* a filter of ours would change what theirs may do */
		attach_drop(a->attach, p->ifindex);
		by_the_kernel(a, p, PORT_READY, PORT_REASON_FOREIGN, p->foreign);
		return;
	}
	r = datapath_set_port(a->dp, p, &err);
	if (r == 0)
		r = attach_port(a->attach, p, &err);
	if (r >= 0)
		r = datapath_set_device(a->dp, p->ifindex, p->can_take_frames, &err);
	if (r == -ENODEV) { /* gone meanwhile: its event comes */
		by_the_kernel(a, p, PORT_PENDING, PORT_REASON_NONE, "");
		return;
	}
	if (r < 0) {
		by_the_kernel(a, p, PORT_FAILED, PORT_REASON_KERNEL, err.msg);
		return;
	}
	p->state = PORT_READY;
	p->path = PORT_PATH_KERNEL;
	p->reason = reason_of(p);
	p->source_check = port_wants_source_check(p) ? SOURCE_CHECK_BPF : SOURCE_CHECK_NONE;
	say(a, p, p->foreign);
	apply_xdp(a, p);
}

static int clear_freed(struct apply *a, struct model *m, struct pw_error *err)
{
	size_t n;
	const struct model_freed *freed = model_freed(m, &n);
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		const struct port *now = model_find_index(m, freed[i].ifindex);

		if (!now || !now->slot) {
			attach_drop(a->attach, freed[i].ifindex);
			(void)datapath_set_device(a->dp, freed[i].ifindex, false, NULL);
		}
		r = datapath_clear_slot(a->dp, &freed[i], err);
	}
	if (r == 0)
		model_freed_clear(m);
	return r;
}

/* Not for one that others have come to already: we keep off that. */
static bool has_to_wait(struct apply *a, struct port *p, uint64_t now)
{
	if (!p->attach_at)
		p->attach_at = now + (p->kind == PW_PORT_POD ? a->patience : 0);
	if (p->attach_at <= now || *p->foreign)
		return false;
	if (!a->next || p->attach_at < a->next)
		a->next = p->attach_at;
	if (p->state != PORT_PENDING)
		by_the_kernel(a, p, PORT_PENDING, PORT_REASON_NONE, "");
	return true;
}

static uint64_t now_usec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

int apply_model(struct apply *a, struct model *m, uint64_t usec, struct pw_error *err)
{
	uint64_t now = now_usec(), end = now + usec;
	int r = clear_freed(a, m, err);

	if (r < 0)
		return r;
	a->next = 0;
	for (size_t i = 0; i < model_ports(m); i++) {
		struct port *p = model_port(m, i);

		if (!p->dirty || !p->slot || has_to_wait(a, p, now))
			continue;
		if (now_usec() >= end)
			return 1;
		apply_port(a, p);
	}
	return 0;
}

void apply_look(struct apply *a, struct model *m)
{
	for (size_t i = 0; i < model_ports(m); i++) {
		struct port *p = model_port(m, i);
		struct attach_seen seen = {};

		if (p->ifindex)
			attach_look(a->attach, p, &seen);
		p->is_on = seen.ours[0] && seen.ours[1];
		p->has_others = seen.others[0] || seen.others[1];
	}
}

void apply_check(struct apply *a, struct model *m)
{
	for (size_t i = 0; i < model_ports(m); i++) {
		struct port *p = model_port(m, i);

		if (p->state == PORT_FAILED)
			p->dirty = true; /* what was in the way may be gone */
		if (!p->slot || p->state != PORT_READY || p->reason == PORT_REASON_DETACHED ||
		    (p->reason == PORT_REASON_FOREIGN && !attach_has_tcx(a->attach)) || p->is_on)
			continue;
		if (p->times_detached++ == 0) {
			say(a, p, "somebody took our programs off: putting them on again");
			apply_port(a, p);
			continue;
		}
		leave_off(a, p);
	}
}
