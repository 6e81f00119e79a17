/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The one error value of a call chain
 *
 * A function that can fail returns 0 (or a documented positive result) or a negative errno and
 * takes a struct pw_error as its last parameter. Whoever sees a failure first fills it in; callers
 * only add what the callee could not know. A caller that does not care passes NULL. Nothing here
 * allocates, so it works for -ENOMEM as well.
 */

/*
 * Below 100: the numbers of the CNI specification (8 and 999 are those that its reference library
 * uses for a network namespace and for its own faults). From 100 on: ours.
 */
enum pw_code {
	PW_E_NONE = 0,
	PW_E_VERSION = 1,      /* the config's cniVersion is not one that we speak */
	PW_E_CONTAINER = 3,    /* the container is unknown or gone: nothing to clean up */
	PW_E_ENV = 4,          /* a CNI_ variable is missing or malformed */
	PW_E_IO = 5,           /* reading or writing failed */
	PW_E_DECODE = 6,       /* not JSON */
	PW_E_CONFIG = 7,       /* JSON, but not a valid network config */
	PW_E_NETNS = 8,        /* the network namespace cannot be used */
	PW_E_AGAIN = 11,       /* something is busy; the same call may succeed later */
	PW_E_UNAVAILABLE = 50, /* STATUS: ADD cannot be served */
	PW_E_LIMITED = 51,     /* STATUS: and existing pods may lack connectivity */
	PW_E_NETLINK = 100,    /* the kernel refused a change */
	PW_E_EXISTS = 101,     /* what should be made is there already */
	PW_E_IPAM = 102,       /* the IPAM plugin failed and gave no usable error */
	PW_E_CHECK = 103,      /* CHECK: the pod's network is not what it should be */
	PW_E_INTERNAL = 999,
};

struct pw_error {
	int errnum; /* positive errno; 0 means no error */
	enum pw_code code;
	char msg[512];      /* one line: what failed, on which object, why */
	char details[1024]; /* more, or empty */
};

/*
 * Fills @err (may be NULL) and returns -@errnum, so that a failure is one statement. "%m" in @fmt
 * is the text of @errnum, which errno is as well afterwards.
 */
int pw_fail(struct pw_error *err, int errnum, enum pw_code code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Out of memory; returns -ENOMEM. */
int pw_oom(struct pw_error *err);

/* Puts "CONTEXT: " in front of the message and returns -err->errnum. */
int pw_context(struct pw_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds the details line. */
void pw_details(struct pw_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * For work that goes on after a failure: keeps the first error. Copies @from to @first (where it
 * holds none yet) and returns the errno that counts.
 */
int pw_gather(struct pw_error *first, const struct pw_error *from);
