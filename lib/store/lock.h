/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Locks between plugin processes: flock() on a file. It goes with the descriptor, so a child that
 * inherits it holds it on after its parent's death, and the kernel frees it with the last one.
 */
struct pw_error;

/*
 * Takes lock @name below @dirfd, waiting at most @timeout_ms milliseconds: then -EAGAIN, code
 * PW_E_AGAIN. Uses SIGALRM and ITIMER_REAL for the duration of the call. Returns a descriptor
 * (close-on-exec) of mode 0600; closing it, in every process that has it, is unlocking.
 */
int lock_take(int dirfd, const char *name, unsigned int timeout_ms, struct pw_error *err);

/* Removes the file of a lock that is held; who waits for it takes a new one. */
void lock_remove(int dirfd, const char *name);
