/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * podwirectl doctor: looks at the node, and changes nothing
 *
 * A check is a function of one subject that looks at one thing and says what it found, also that
 * it's fine. What can't be looked at is a finding, too: a check fails for no other reason. Only
 * want of memory ends the whole.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "ctl.h"
#include "doctor/chains.h"

struct nlsock;

enum severity {
	SEVERITY_OK,
	SEVERITY_UNKNOWN, /* could not be looked at */
	SEVERITY_WARNING, /* pods work, and something may come of it */
	SEVERITY_BROKEN,  /* pods, or the agent, can't work so */
	_SEVERITY_MAX,
};
extern const char *const severity_names[]; /* by severity */

struct finding {
	const char *id; /* stable: part of the interface, see podwirectl-doctor(8) */
	enum severity severity;
	char message[768];
	char remedy[512]; /* may be empty */
};

struct doctor_options {
	const struct ctl *ctl;
	const char *root; /* "": the node's own */
	const char *state_dir, *conf_dir;
	const char *bin_dir; /* NULL: where podwire is found */
	bool verbose;
};

/* What several checks go by. */
struct doctor_facts {
	size_t records;
	bool pods[2];         /* some pod has an IPv4, IPv6 address */
	bool unchecked_pods;  /* some pod may send from other addresses than its own */
	bool requires_agent;  /* a network says so */
	bool first_is_ours;   /* the configuration that a runtime uses names podwire */
	bool flannel_is_ours; /* ... as flannel's delegate */
};

struct doctor {
	struct doctor_options options;
	int root_fd;
	int kernel_fd[2]; /* what /proc, /sys are looked up in */
	const char *bin_dir;
	char *btf; /* the kernel's, or NULL */
	size_t btf_len;
	struct nlsock *route; /* NULL: none could be had */
	struct doctor_facts facts;
	struct chains chains;  /* of the firewall, once it has been looked at */
	struct array findings; /* struct finding */
	bool oom;
};

/* Looks at everything; -ENOMEM is the one failure besides a root that can't be opened. */
int doctor_run(struct doctor *d, const struct doctor_options *options, struct pw_error *err);
void doctor_done(struct doctor *d);

enum severity doctor_result(const struct doctor *d);
int doctor_print(const struct doctor *d, struct pw_error *err);

/* Adds a finding. What comes from outside may stand in it as it is. */
void doctor_say(struct doctor *d, enum severity severity, const char *id, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The remedy of the last one. */
void doctor_remedy(struct doctor *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

typedef void doctor_check(struct doctor *d);
/* Each a subject, in a file of its name. */
doctor_check check_kernel, check_sysctls, check_firewall, check_networkd, check_networkmanager,
	check_leftovers, check_cni, check_agent, check_records;
