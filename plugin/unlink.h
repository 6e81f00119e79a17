/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Removes a link without waiting until the kernel has forgotten it. */
struct nlsock;
struct pw_error;

/*
 * 1 if the link was removed, 0 if there was none. On return nobody finds it any more: its name is
 * free, its addresses, routes and its peer are gone. What the kernel still waits for before it
 * answers the request (RCU: 15 to 25 ms, two thirds and more of a whole DEL) is waited for by a
 * child process that outlives the caller and that init reaps. Where init can't be relied on for
 * that, or where there's no such process to be had, the caller waits itself.
 *
 * @host: a socket of the caller's network namespace, which must be the link's.
 */
int unlink_link(struct nlsock *host, const char *ifname, struct pw_error *err);
