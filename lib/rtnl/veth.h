/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A veth pair, made in one message: the peer is born inside the pod, with its name and address. */
#include <stdint.h>

#include "net/mac.h"

struct nlsock;
struct pw_error;

struct veth_spec {
	const char *host_ifname; /* borrowed */
	const char *pod_ifname;  /* borrowed */
	struct mac host_mac;
	struct mac pod_mac;
	uint32_t mtu;    /* bytes, of both ends */
	uint32_t queues; /* rx and tx, of both ends; 0: the kernel's default, which costs two grace
			    periods */
};

/*
 * Both MACs are in the creating message, so that addr_assign_type is NET_ADDR_SET from birth and
 * udev's MACAddressPolicy leaves them alone. -EEXIST: one of the names is taken. Leaves a link
 * behind in the kernel.
 */
int veth_create(struct nlsock *s, const struct veth_spec *spec, int netns_fd, struct pw_error *err);
