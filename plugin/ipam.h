/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The IPAM plugin
 *
 * Called as the specification says: our environment, the whole config on its standard input. Two
 * things are mended on the way. A config of version 1.1.0 goes to an IPAM plugin that doesn't know
 * it in the newest version that it has, which is asked by VERSION. And of several sources of a
 * requested address (runtimeConfig.ips, args.cni.ips, CNI_ARGS IP) only the one that counts
 * is passed on, since host-local takes them all.
 */
#include "base/child.h"
#include "base/error.h"
#include "netconf.h"
#include "request.h"

struct ipam {
	const struct request *req; /* borrowed */
	const struct netconf *conf;
	const char *text; /* the config as it came; borrowed */
	size_t len;
	char *path; /* owned: of the plugin */
};

/* For whom; empty strings where not known. */
struct ipam_target {
	const char *container_id, *netns, *ifname;
};

enum ipam_phase {
	IPAM_IDLE,
	IPAM_ASKING,   /* VERSION is under way */
	IPAM_CALLED,   /* the command is */
	IPAM_NEEDLESS, /* the versions that the plugin has don't know the command */
	IPAM_FAILED,   /* there's no command to wait for */
};

struct ipam_call {
	const struct ipam *ipam;
	enum ipam_phase phase;
	struct child child;
	const char *command;
	struct ipam_target target;
	enum spec spec;
	int keep_fd;
	bool held; /* gets its input only in ipam_end() */
	bool asked;
	char *config;           /* owned, where it isn't the config as it came */
	struct pw_error failed; /* why there's no command */
};

#define IPAM_CALL_NONE ((struct ipam_call){ .child = CHILD_NONE, .keep_fd = -EBADF })

/* Finds the plugin in CNI_PATH. -ENOENT, code PW_E_IPAM. */
int ipam_init(const struct request *req, const struct netconf *conf, const char *text, size_t len,
	      struct ipam *ret, struct pw_error *err);
void ipam_done(struct ipam *ipam);

/*
 * Starts "ADD", "DEL", "CHECK", "GC" or "STATUS" and returns; its process inherits @keep_fd. With
 * @held, it is kept waiting for its input until ipam_end().
 */
int ipam_begin(const struct ipam *ipam, const char *command, const struct ipam_target *target,
	       int keep_fd, bool held, struct ipam_call *ret, struct pw_error *err);
/*
 * Takes the answer to VERSION, where that was asked, and starts the command itself. A failure is
 * remembered: ipam_end() reports it as well.
 */
int ipam_advance(struct ipam_call *call, struct pw_error *err);
/*
 * Lets a held command have its input, where its start had to wait for VERSION: starts it now. A
 * failure is remembered, as by ipam_advance().
 */
int ipam_release(struct ipam_call *call, struct pw_error *err);
/*
 * The result as soon as it is there in full, in @ret_result (the caller's): 1. The plugin is still
 * to be waited for, and may yet fail: ipam_end() tells. 0: nothing that looks like a result came.
 */
int ipam_listen(struct ipam_call *call, struct json_object **ret_result);
/*
 * Waits for the end. What the plugin reports as its error is passed on, code and all; where it has
 * none to report, PW_E_IPAM. @ret_result: the caller's; NULL where nothing is wanted.
 */
int ipam_end(struct ipam_call *call, struct json_object **ret_result, struct pw_error *err);
void ipam_call_done(struct ipam_call *call);

/* All three in one. */
int ipam_run(const struct ipam *ipam, const char *command, const struct ipam_target *target,
	     int keep_fd, struct json_object **ret_result, struct pw_error *err);

/* 1 if it speaks 1.1.0, and with it GC and STATUS; 0 if not. */
int ipam_is_current(const struct ipam *ipam, struct pw_error *err);
