/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Is a pod's network as its plan says? Compared is what connectivity needs and what no plugin
 * behind us changes: a route may have moved to another table (sbr), MTU, MAC and neighbours may be
 * others (tuning). The first difference is an error of code PW_E_CHECK.
 */
#include "plan.h"
#include "rtnl/link.h"

struct nlsock;

struct check {
	struct nlsock *host, *pod;
	const struct plan *plan;
	const struct result *prev;
	struct link_info host_link, pod_link; /* filled in */
};

int check_links(struct check *c, struct pw_error *err);
int check_addresses(struct check *c, struct pw_error *err);
int check_pod_routes(struct check *c, struct pw_error *err);
int check_host_routes(struct check *c, struct pw_error *err);
/* Of the host end: by it, the rules for masquerading know what comes from the pod. */
int check_group(struct check *c, struct pw_error *err);
