/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "status.h"

#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>

static void tell_slots(struct status *s, size_t without, const struct log *log)
{
	if (without && !s->full)
		log_line(log, LOG_WARNING, NULL,
			 "all %u slots are taken: further pods go the kernel's way", PW_SLOTS - 1);
	else if (!without && s->full)
		log_line(log, LOG_NOTICE, NULL, "every pod has a slot again");
	s->full = without > 0;
}

void status_tell(struct status *s, struct model *m, const struct log *log)
{
	size_t pods = 0, uplinks = 0, wanting = 0, without = model_without_slot(m);
	char text[sizeof(s->text)];

	for (size_t i = 0; i < model_ports(m); i++) {
		const struct port *p = model_port(m, i);

		pods += p->kind == PW_PORT_POD;
		uplinks += p->kind == PW_PORT_UPLINK;
		wanting += p->state != PORT_READY;
	}
	tell_slots(s, without, log);
	(void)snprintf(text, sizeof(text),
		       "%zu pod interfaces, %zu uplinks, %zu not ready, %zu without a slot", pods,
		       uplinks, wanting, without);
	if (strcmp(text, s->text) == 0)
		return;
	memcpy(s->text, text, sizeof(s->text));
	(void)sd_notifyf(0, "STATUS=%s", text);
}
