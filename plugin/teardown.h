/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Taking an attachment down: DEL, GC and an ADD that failed. Everything may be gone already; each
 * step goes on after a failure of another, and the record goes last and only if all went well, so
 * that it can be tried again. An address whose link is still there isn't given back.
 *
 * The address goes back to IPAM only when nothing uses it any more. The IPAM process is started
 * early and kept waiting for its input meanwhile: deleting a veth takes the kernel a grace period
 * of RCU, which is as long as a process takes to start.
 */
#include <stdio.h>

#include "ipam.h"
#include "session.h"
#include "store/record.h"

struct nlsock;

struct teardown {
	const struct ipam *ipam; /* borrowed; NULL: no IPAM */
	struct attachment id;
	const char *netns; /* as the runtime gave it; "" where it is gone */
	char host_ifname[HOST_IFNAME_LEN];
	const struct record *record;   /* borrowed; NULL: there's none */
	const struct array *addresses; /* struct cidr, borrowed: of the pod, as far as known */
	bool masqueraded;              /* or may be */
	bool foreign;     /* link and record of this name are another attachment's: stay */
	bool no_link;     /* none was made; what has its name isn't ours */
	bool keep_record; /* something is left that must be found again */
	bool keep_lock;   /* its file is still in use */
	const struct session *session; /* borrowed */
	int lock_fd;                   /* held */
	FILE *log;

	/* its own */
	struct ipam_call call;
	struct nlsock *netfilter; /* for masquerading and connections; NULL: not needed yet */
	bool link_left;           /* it couldn't be removed */
	struct pw_error failed;   /* the first failure so far */
};

int teardown_run(struct teardown *t, struct pw_error *err);
