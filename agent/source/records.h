/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The plugin's records, as they come and go: inotify on STATE_DIR/attachments. */
#include <systemd/sd-event.h>

#include "model/model.h"

struct records;

struct records_ops {
	void (*lost)(void *arg); /* look at all of them again */
	void (*settled)(void *arg);
	void *arg;
};

/* Makes the directory where it's missing. @event, @state_dir and @m are borrowed. */
int records_open(sd_event *event, const char *state_dir, struct model *m,
		 const struct records_ops *ops, struct records **ret, struct pw_error *err);
struct records *records_close(struct records *r);
DEFINE_CLEANUP(struct records *, records_close);
int records_fd(const struct records *r);
/*
 * Whether the directory is still the one that is watched: somebody may have removed it, or moved
 * what it is in, and while we have it open no event says so. If it isn't, the one that is there now
 * is watched, and `lost` called.
 */
int records_check(struct records *r, struct pw_error *err);
