/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The seam, worked from outside
 *
 * PW_SEAM in the environment is a list "STEP:before|after:ACTION,..." where an action is
 *   kill         SIGKILL, as the OOM killer or a kubelet's timeout does it
 *   ERRNO        the step fails with this error (its name: EIO)
 *   hold=FIFO    wait until whoever has the FIFO open for writing closes it, then go on
 * Only the build for tests has this file. A list that can't be read ends the process: a test that
 * believes to have injected something must not pass without it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "seam.h"

#define EXIT_BAD_SEAM 98
#define ERRNO_MAX 133 /* EHWPOISON, the last one of Linux */

static const char *const when_names[] = { [SEAM_BEFORE] = "before", [SEAM_AFTER] = "after" };

/* A part of a string. */
struct word {
	const char *p;
	size_t len;
};

static _Noreturn void refuse(void)
{
	(void)fprintf(stderr, "cannot make sense of PW_SEAM=\"%s\"\n", getenv("PW_SEAM"));
	_exit(EXIT_BAD_SEAM);
}

static bool is(struct word w, const char *text)
{
	return strlen(text) == w.len && memcmp(w.p, text, w.len) == 0;
}

/* Cuts the word before @delimiter off @text; what follows the delimiter stays. */
static struct word cut(const char **text, const char *delimiter)
{
	struct word w = { *text, strcspn(*text, delimiter) };

	*text += w.len + ((*text)[w.len] != '\0');
	return w;
}

static int errno_by_name(struct word name)
{
	for (int e = 1; e <= ERRNO_MAX; e++) {
		const char *known = strerrorname_np(e);

		if (known && is(name, known))
			return e;
	}
	return 0;
}

/* Reading a FIFO comes to its end when the last writer has closed it. */
static int hold(struct word path, struct pw_error *err)
{
	_cleanup_(freep) char *name = strndup(path.p, path.len);
	_cleanup_(closep) int fd = -EBADF;
	char byte;

	if (!name)
		return pw_oom(err);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		refuse();
	while (read(fd, &byte, 1) > 0)
		;
	return 0;
}

static int act(struct word action, const char *step, enum seam_when when, struct pw_error *err)
{
	static const char hold_prefix[] = "hold=";
	const size_t n = sizeof(hold_prefix) - 1;
	int errnum;

	if (is(action, "kill"))
		raise(SIGKILL);
	if (action.len > n && memcmp(action.p, hold_prefix, n) == 0)
		return hold((struct word){ action.p + n, action.len - n }, err);
	errnum = errno_by_name(action);
	if (!errnum)
		refuse();
	return pw_fail(err, errnum, PW_E_NETLINK, "seam: %s %s: %m", when_names[when], step);
}

int seam(const char *step, enum seam_when when, struct pw_error *err)
{
	const char *text = getenv("PW_SEAM");
	int r = 0;

	while (text && *text && r == 0) {
		const char *entry = text;
		struct word one = cut(&text, ",");
		struct word at = cut(&entry, ":"), side = cut(&entry, ":"), action;

		action = (struct word){ entry, (size_t)(one.p + one.len - entry) };
		if (entry > one.p + one.len ||
		    (!is(side, when_names[SEAM_BEFORE]) && !is(side, when_names[SEAM_AFTER])))
			refuse();
		if (is(at, step) && is(side, when_names[when]))
			r = act(action, step, when, err);
	}
	return r;
}
