/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Who has which slot
 *
 * A slot goes from free to taken to leaving and back. Leaving means that its owner has gone, but
 * that the maps still have what it was: only the sinks know when that has been cleared. The
 * generation rises on the way out, so that whatever still names the slot with the old one means
 * nobody.
 */
#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

struct slots;

int slots_new(uint32_t n, struct slots **ret, struct pw_error *err);
struct slots *slots_free(struct slots *s);

void slots_adopt(struct slots *s, uint32_t slot, const struct pw_port *was);
/* Gives a slot to a device; 0: none is free. */
uint32_t slots_take(struct slots *s, int ifindex, enum pw_port_kind kind, const struct mac *mac);
/* Its owner is gone. */
void slots_leave(struct slots *s, uint32_t slot);
/* What was adopted and nobody has claimed leaves as well. */
void slots_leave_unclaimed(struct slots *s);

uint32_t slots_generation(const struct slots *s, uint32_t slot);
uint32_t slots_count_free(const struct slots *s);
const struct model_freed *slots_freed(const struct slots *s, size_t *ret_n);
void slots_freed_clear(struct slots *s);
