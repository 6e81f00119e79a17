/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A plan being carried out: the sockets, the links and how far it has come. The steps of ADD take
 * one of these, each does one thing to the kernel, and verb_add.c has them in order.
 */
#include <stdio.h>

#include "ipam.h"
#include "plan.h"
#include "rtnl/link.h"
#include "session.h"
#include "store/record.h"

struct nlsock;

/* Where the node had a pod's address for a neighbour's. */
struct neighbourhood {
	int ifindex;
	struct ipaddr ip;
};

struct wiring {
	const struct request *req; /* borrowed */
	const struct netconf *conf;
	struct ipam ipam;
	struct ipam_call call;
	struct facts facts;
	struct plan plan;
	struct result given; /* IPAM's result, or what was asked for where there's no IPAM */
	struct record record;
	char boot_id[BOOT_ID_LEN], digest[DIGEST_LEN];

	struct session session;
	int netns_fd, lock_fd;
	struct nlsock *pod;
	struct link_info host_link, pod_link;
	struct array neighbourhoods; /* struct neighbourhood */

	FILE *log; /* debug lines; NULL: none */

	bool ipam_ended; /* it was waited for */

	/* what there is to undo */
	bool recorded, ipam_called, link_made, masqueraded;
};

#define WIRING_NONE                                \
	((struct wiring){ .session = SESSION_NONE, \
			  .netns_fd = -EBADF,      \
			  .lock_fd = -EBADF,       \
			  .call = IPAM_CALL_NONE })

void wiring_done(struct wiring *w);

/* wire_pod.c: in the pod */
int wire_pod_socket(void *wiring, struct pw_error *err);
int wire_pod_sysctl(void *wiring, struct pw_error *err);
int wire_pod_address(void *wiring, struct pw_error *err);
int wire_pod_up(void *wiring, struct pw_error *err);
int wire_pod_neighbour(void *wiring, struct pw_error *err);
int wire_pod_route(void *wiring, struct pw_error *err);

/* wire_host.c: on the node */
int wire_link(void *wiring, struct pw_error *err);
int wire_forwarding(void *wiring, struct pw_error *err);
int wire_host_config(void *wiring, struct pw_error *err);
int wire_host_up(void *wiring, struct pw_error *err);
int wire_host_address(void *wiring, struct pw_error *err);
int wire_host_neighbour(void *wiring, struct pw_error *err);
int wire_host_route(void *wiring, struct pw_error *err);
int wire_announce(void *wiring, struct pw_error *err);
int wire_carrier(void *wiring, struct pw_error *err);

/* wire_masq.c: ipMasq */
int wire_masq(void *wiring, struct pw_error *err);

/* wire_ipam.c: addresses */
int wire_ipam_start(void *wiring, struct pw_error *err);
int wire_ipam_call(void *wiring, struct pw_error *err);
int wire_ipam_wait(void *wiring, struct pw_error *err);
int wire_ipam_end(void *wiring, struct pw_error *err);

/* wire_record.c: what is kept of it */
int wire_record(void *wiring, struct pw_error *err);
int wire_record_prepare(void *wiring, struct pw_error *err);
int wire_record_ready(void *wiring, struct pw_error *err);
