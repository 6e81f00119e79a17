/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Another program as a child process: started without a shell, its standard input and output are
 * pipes, its standard error is ours. Starting, feeding and collecting are apart, so that it can
 * run while we work, or wait for its input until we are ready.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pw_error;

struct child {
	pid_t pid;         /* 0: none */
	int in, out;       /* our ends; -EBADF: closed */
	const char *input; /* borrowed until the child is collected */
	size_t input_len, input_done;
	char *output; /* owned */
	size_t output_len;
};

#define CHILD_NONE ((struct child){ .in = -EBADF, .out = -EBADF })

/*
 * @argv[0] is the program's path. @keep_fd: a descriptor that the child inherits and holds open to
 * its end; negative: none. Its signals are reset to their defaults.
 */
int child_start(char *const argv[], char *const envp[], int keep_fd, struct child *ret,
		struct pw_error *err);

/* What the child reads; as much of it as the pipe takes is written now. */
void child_feed(struct child *c, const char *input, size_t len);

/*
 * As child_collect(), but may return before the child has ended: 1 once @enough says so of what it
 * has printed, 0 where the child ended or broke off first. What is wrong, child_collect() will say.
 */
typedef bool (*child_enough_t)(const char *output, size_t len);
int child_listen(struct child *c, const char *what, unsigned int timeout_ms, child_enough_t enough);

/*
 * Writes the rest, reads its output to the end and reaps it, all within @timeout_ms: then the child
 * is killed and -ETIMEDOUT returned, code PW_E_AGAIN. @ret_status is as waitpid() gives it; the
 * output stays the child's until child_done().
 */
int child_collect(struct child *c, const char *what, unsigned int timeout_ms, int *ret_status,
		  struct pw_error *err);

/* Kills and reaps a child that wasn't collected. */
void child_done(struct child *c);
