/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masquerade.h"
#include "wiring.h"

/* Before the host end goes up: nothing leaves with the pod's own address that mustn't. */
int wire_masq(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	struct masq_list list = plan_masq_list(&w->plan, w->conf);

	if (!w->plan.masq_group)
		return 0;
	w->masqueraded = true;
	return masquerade_add(w->session.runtime_fd, w->session.records_fd, &list, err);
}
