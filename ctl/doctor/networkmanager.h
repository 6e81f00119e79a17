/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What NetworkManager is told to leave alone. Pure. */
#include <stdbool.h>

struct networkmanager {
	bool listed;  /* unmanaged-devices, as it stands */
	bool managed; /* a [device...] section is for pods' interfaces, and says managed=1 */
	bool unmanaged;
	/* of the section that is being read */
	char section[128];
	int matches; /* 1, 0; -1: nothing said, so all */
	int manages; /* 1, 0; -1: nothing said */
};

/* Whether a list of devices, as of match-device, has pods' interfaces. It writes to @list. */
bool networkmanager_has_pods(char *list);
/* Adds what a file says, which it writes to. Later files come later. */
void networkmanager_read(char *text, struct networkmanager *nm);
bool networkmanager_leaves_pods(const struct networkmanager *nm);
