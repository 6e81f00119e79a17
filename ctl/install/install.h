/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Putting the plugin on a node, and taking it off again
 *
 * A kubelet watches the directory of networks and uses what appears there at once. So the network
 * is written last and removed first, and all that can be checked is checked before anything is
 * written.
 */
#include <stdbool.h>
#include <stddef.h>

#include "install/conflist.h"

struct pw_error;
struct say;

struct install {
	const char *root;               /* of the node's file system */
	const char *bin_dir, *conf_dir; /* NULL: as the runtime has it */
	const char *plugin;             /* NULL: the one that came with podwirectl */
	struct cidr pods[CONFLIST_PODS_MAX];
	size_t n_pods;
	bool plugin_only; /* no network: something else makes one that calls the plugin */
	bool uplink_xdp;  /* and a file that has the agent attach XDP to uplinks */
	bool force;       /* replace what isn't ours, or was changed */
	bool dry_run;     /* check everything, write nothing */
};
int install_run(const struct install *in, struct say *say, struct pw_error *err);

struct uninstall {
	const char *root;
	const char *bin_dir, *conf_dir;
	const char *state_dir; /* where the attachments' records are */
	bool force;            /* take the plugin from pods that need it to go */
};
int uninstall_run(const struct uninstall *un, struct say *say, struct pw_error *err);

/* What uplink_xdp writes. */
#define UPLINK_XDP_DIR "/etc/podwire/agent.d"
#define UPLINK_XDP_NAME "20-uplink-xdp.json"
#define UPLINK_XDP_TEXT "{ \"uplinkXdp\": \"native\" }\n"
