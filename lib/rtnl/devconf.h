/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Network settings by netlink. /proc/sys/net would do, but costs the more the more network
 * namespaces there are: all their files of a name share one hash chain of dentries.
 */
struct nlsock;
struct pw_error;

/* 1 if the namespace forwards @family (net.ipv4.ip_forward, net.ipv6.conf.all.forwarding), or 0. */
int devconf_forwarding(struct nlsock *s, int family, struct pw_error *err);
