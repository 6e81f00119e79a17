/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Network namespaces for C tests
 *
 * A test process begins with ns_isolate() and from then on has a network of its own: nothing that
 * it makes outlives it or meets another test. Helpers fail the running cmocka test when they fail.
 */
#include <stddef.h>
#include <sys/types.h>

#include "net/ipaddr.h"

/*
 * Moves the process, which must have one thread, into a new network namespace, without root in a
 * new user namespace as well. 0, or TEST_SKIP and a reason on stdout.
 */
int ns_isolate(void);

/* TEST_SKIP and a reason on stdout where one of the programs (up to NULL) isn't installed. */
int ns_need(const char *program, ...);

/* A descriptor of a new network namespace with lo up; the namespace lives until it is closed. */
int ns_new(void);

/* Runs "COMMAND" by the shell in namespace @fd (-1: the process's own); it must succeed. */
void ns_run(int fd, const char *command, ...) __attribute__((format(printf, 2, 3)));
/* The same, with the exit status for an answer. */
int ns_try(int fd, const char *command, ...) __attribute__((format(printf, 2, 3)));
/* What the command prints, to be freed. */
char *ns_output(int fd, const char *command, ...) __attribute__((format(printf, 2, 3)));

/* A pair of interfaces @a in namespace @fd_a and @b in @fd_b, both up. */
void ns_veth(int fd_a, const char *a, int fd_b, const char *b);

/* A UDP socket in namespace @fd, bound to @address (text) and @port (0: any); waits at most 5 s. */
int ns_udp(int fd, const char *address, unsigned int port);

/* Sends a datagram from @from to @address, @port. */
void ns_send(int from, const char *address, unsigned int port);
/* Receives one; @source (IPADDR_STRLEN) is who it came from, @port (may be NULL) with which port.
 */
void ns_receive(int sock, char *source, unsigned int *port);
/* Answers whoever the next datagram comes from. */
void ns_answer(int sock);
/* Asserts that nothing can be received. */
void ns_silent(int sock);
