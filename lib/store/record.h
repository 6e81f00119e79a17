/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The record of an attachment: STATE_DIR/attachments/HOST_IFNAME.json
 *
 * Written by the plugin before the link is made (state "adding") and again when all is done
 * ("ready"); read by the agent and by DEL and GC. It is the only thing that podwire keeps on disk
 * of a pod. A reader ignores fields that it doesn't know; a record of a newer version, or one that
 * can't be read, is an error that says so.
 */
#include "net/ipaddr.h"
#include "net/mac.h"
#include "store/attachment.h"
#include "store/options.h"

#define RECORD_VERSION 1
#define BOOT_ID_LEN 37
#define DIGEST_LEN 17

enum record_state {
	RECORD_ADDING,
	RECORD_READY,
};

struct record {
	uint32_t version;
	enum record_state state;
	const char *boot_id;       /* borrowed strings: of @root, or of who fills it in */
	const char *config_digest; /* of the network's config, 16 hex digits */
	struct attachment id;
	const char *netns;
	const char *host_ifname;
	const char *pod_namespace, *pod_name, *pod_uid; /* may be NULL */
	struct mac pod_mac, host_mac;
	struct array addresses; /* struct cidr */
	bool ip_masq;
	struct array masq_exclude; /* struct cidr: what isn't masqueraded, in full */
	struct options options;
	struct json_object *root; /* owned; NULL for a record that isn't from disk */
};

void record_done(struct record *rec);

/* Opens STATE_DIR/attachments; -ENOENT and no message where it isn't there and @create is not set.
 */
int record_open_dir(const char *state_dir, bool create, struct pw_error *err);

int record_decode(const char *text, size_t len, struct record *ret, struct pw_error *err);
int record_write(int dirfd, const struct record *rec, struct pw_error *err);
/* The two halves of it: the old one, or none, is there until the second. */
int record_prepare(int dirfd, const struct record *rec, struct pw_error *err);
int record_commit(int dirfd, const char *host_ifname, struct pw_error *err);
/* 1 if there is one, 0 if not. -EPROTONOSUPPORT: of a newer version. */
int record_read(int dirfd, const char *host_ifname, struct record *ret, struct pw_error *err);
/* Idempotent. */
int record_remove(int dirfd, const char *host_ifname, struct pw_error *err);

/*
 * Calls @each for every record, with @rec NULL and @why where one can't be read. A negative return
 * ends the walk and is passed on.
 */
typedef int (*record_each_t)(const char *host_ifname, struct record *rec,
			     const struct pw_error *why, void *arg);
int record_each(int dirfd, record_each_t each, void *arg, struct pw_error *err);

/* The running kernel's boot id. */
int record_boot_id(char ret[BOOT_ID_LEN], struct pw_error *err);
