/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/slots.h"

#include <string.h>

#include "base/error.h"

enum slot_state {
	SLOT_FREE,
	SLOT_ADOPTED, /* a former agent's; its device may still come */
	SLOT_TAKEN,
	SLOT_LEAVING,
};

struct slot {
	enum slot_state state;
	uint32_t generation;
	int ifindex;
	uint8_t kind;
	struct mac mac;
};

struct slots {
	struct slot *v;
	uint32_t n;
	uint32_t free;
	uint32_t next; /* where to look first: the one that was free for the longest, roughly */
	struct model_freed *freed; /* room for all, so that leaving can't fail */
	size_t n_freed;
};

struct slots *slots_free(struct slots *s)
{
	if (s) {
		free(s->freed);
		free(s->v);
	}
	free(s);
	return NULL;
}

int slots_new(uint32_t n, struct slots **ret, struct pw_error *err)
{
	struct slots *s = calloc(1, sizeof(*s));

	if (s) {
		s->v = calloc(n, sizeof(*s->v));
		s->freed = calloc(n, sizeof(*s->freed));
	}
	if (!s || !s->v || !s->freed) {
		slots_free(s);
		return pw_oom(err);
	}
	s->n = n;
	s->free = n - 1;
	s->next = 1;
	*ret = s;
	return 0;
}

void slots_adopt(struct slots *s, uint32_t slot, const struct pw_port *was)
{
	struct slot *to;

	if (slot == 0 || slot >= s->n || s->v[slot].state != SLOT_FREE)
		return;
	to = &s->v[slot];
	to->generation = was->generation;
	if (!was->ifindex)
		return;
	to->state = SLOT_ADOPTED;
	to->ifindex = (int)was->ifindex;
	to->kind = was->kind;
	memcpy(to->mac.b, was->mac, sizeof(to->mac.b));
	s->free--;
}

static uint32_t find_adopted(struct slots *s, int ifindex)
{
	for (uint32_t i = 1; i < s->n; i++) {
		if (s->v[i].state == SLOT_ADOPTED && s->v[i].ifindex == ifindex)
			return i;
	}
	return 0;
}

static uint32_t find_free(struct slots *s)
{
	for (uint32_t i = 0; i < s->n - 1 && s->free; i++) {
		uint32_t slot = 1 + (s->next - 1 + i) % (s->n - 1);

		if (s->v[slot].state == SLOT_FREE) {
			s->next = slot + 1 < s->n ? slot + 1 : 1;
			s->free--;
			return slot;
		}
	}
	return 0;
}

uint32_t slots_take(struct slots *s, int ifindex, enum pw_port_kind kind, const struct mac *mac)
{
	uint32_t slot = find_adopted(s, ifindex);
	struct slot *to = &s->v[slot];

	/* the same index, but somebody else: as if it had left and come */
	if (slot && (to->kind != kind || !mac_equal(&to->mac, mac)))
		to->generation++;
	if (!slot)
		slot = find_free(s);
	if (!slot)
		return 0;
	to = &s->v[slot];
	*to = (struct slot){
		.state = SLOT_TAKEN,
		.generation = to->generation ? to->generation : 1,
		.ifindex = ifindex,
		.kind = (uint8_t)kind,
		.mac = *mac,
	};
	return slot;
}

void slots_leave(struct slots *s, uint32_t slot)
{
	struct slot *from = &s->v[slot];

	from->state = SLOT_LEAVING;
	from->generation++;
	s->freed[s->n_freed++] = (struct model_freed){ slot, from->generation, from->ifindex };
}

void slots_leave_unclaimed(struct slots *s)
{
	for (uint32_t i = 1; i < s->n; i++) {
		if (s->v[i].state == SLOT_ADOPTED)
			slots_leave(s, i);
	}
}

uint32_t slots_generation(const struct slots *s, uint32_t slot)
{
	return s->v[slot].generation;
}

uint32_t slots_count_free(const struct slots *s)
{
	return s->free;
}

const struct model_freed *slots_freed(const struct slots *s, size_t *ret_n)
{
	*ret_n = s->n_freed;
	return s->freed;
}

void slots_freed_clear(struct slots *s)
{
	for (size_t i = 0; i < s->n_freed; i++) {
		struct slot *slot = &s->v[s->freed[i].slot];

		*slot = (struct slot){ .state = SLOT_FREE, .generation = slot->generation };
		s->free++;
	}
	s->n_freed = 0;
}
