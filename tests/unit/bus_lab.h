/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A bus of the test's own: dbus-daemon in a directory of its own, and a client
 *
 * The client hangs on the same event loop as what is tested, in the same process: nothing here
 * blocks, but runs the loop until what it waits for is there. Answers and signals are text, for a
 * test to compare.
 */
#include <stdbool.h>
#include <sys/types.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include "tmpdir.h"

struct bus_lab {
	struct tmpdir *dir;
	pid_t daemon;
	char address[256];
	sd_event *event;
	sd_bus *client;
	char *signals; /* a line each, of those from org.podwire1 */
	size_t signals_len;
};

/* A policy for bus_lab_start(): everyone may do everything. */
#define BUS_LAB_OPEN "<allow send_destination='*'/><allow own='*'/>"

/*
 * Starts the daemon; @policy is what everyone may do, beside talking to the daemon, and @include a
 * file of further policy or NULL. Skips the test where there is no dbus-daemon.
 */
void bus_lab_start(struct bus_lab *lab, const char *policy, const char *include);
void bus_lab_stop_daemon(struct bus_lab *lab);
/* All of it, at the test's end. */
void bus_lab_done(struct bus_lab *lab);

/* Runs the loop until @done is set, and fails the test after ten seconds. */
void bus_lab_run(struct bus_lab *lab, const bool *done);

/*
 * Calls org.podwire1 and returns the answer as text, "ERROR: MESSAGE" where it is an error; to be
 * freed. @types and what follows are as of sd_bus_message_append(); NULL: no arguments.
 */
char *bus_lab_call(struct bus_lab *lab, const char *path, const char *interface, const char *member,
		   const char *types, ...);
/* The same by a process of another user. */
char *bus_lab_call_as(struct bus_lab *lab, uid_t uid, const char *path, const char *interface,
		      const char *member);

/* The signals since the last time, in their order; to be freed. */
char *bus_lab_signals(struct bus_lab *lab);
