/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Links: look at them, change them, remove them. Knows netlink; knows nothing of pods. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/mac.h"

struct nlsock;
struct pw_error;

struct link_info {
	int ifindex;
	char name[16];
	char kind[16];  /* "veth"; empty for a device without a kind */
	struct mac mac; /* zero where the link has none, or one of another length */
	uint32_t mtu;
	uint32_t flags; /* IFF_ */
	bool ipv6_off;  /* disable_ipv6, or a kernel or MTU without IPv6 */
	bool ipv6_forwards;
	uint32_t group; /* 0: none */
};

/* By name. 1 if found, 0 if there's none. */
int link_find(struct nlsock *s, const char *name, struct link_info *ret, struct pw_error *err);
/* By index; likewise. */
int link_find_index(struct nlsock *s, int ifindex, struct link_info *ret, struct pw_error *err);

/* What link_change() sets; what is zero or NULL stays. */
struct link_change {
	bool up;
	const char *alias;    /* cut to 254 bytes, which is what the kernel takes */
	bool no_linklocal;    /* IPv6 addr_gen_mode none: no address of the kernel's own */
	bool ipv4_forwarding; /* of this device */
	bool arp_notify;      /* tells of a new MAC */
	bool proxy_arp;       /* answers for what is elsewhere */
	int rp_filter;        /* -1: stays; 0 off, 1 strict, 2 loose */
	uint32_t group;
};

int link_change(struct nlsock *s, const struct link_info *link, const struct link_change *change,
		struct pw_error *err);

/*
 * Sets @used[i] where a link in this network namespace has @groups[i], and looks no further when
 * all are. On a socket of its own, which is closed then.
 */
int link_find_groups(const uint32_t *groups, bool *used, size_t n, struct pw_error *err);

/* 1 if it was removed, 0 if there was none. */
int link_remove(struct nlsock *s, const char *name, struct pw_error *err);
/* The same by index, which no other link gets soon; @name is for the message. */
int link_remove_index(struct nlsock *s, int ifindex, const char *name, struct pw_error *err);
