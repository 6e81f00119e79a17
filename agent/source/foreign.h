/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What of others' is on a device: XDP programs, tc programs, filters, qdiscs that shape. */
#include <stdbool.h>
#include <stddef.h>

#include "netlink/sock.h"

/* What of ours is there, and isn't to be taken for another's. */
struct foreign_ours {
	bool other_tcx[2]; /* ingress, egress: programs that aren't, by tcx */
	bool xdp;
	unsigned int filter_priority; /* of our clsact filters */
	bool wants_clsact;            /* which an ingress qdisc leaves no room for */
};

/*
 * In words, "xdp program 17", "qdisc tbf", "filter on ingress"; empty where there's nothing. Looks
 * at the device as it is now; one that is gone has nothing.
 */
int foreign_find(struct nlsock *s, int ifindex, const struct foreign_ours *ours, char *ret,
		 size_t size, struct pw_error *err);
