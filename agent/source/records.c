/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/records.h"

#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include "base/error.h"
#include "source/look.h"

#define SUFFIX ".json"

struct records {
	const char *state_dir; /* borrowed */
	sd_event *event;       /* borrowed */
	int dir, watch;
	sd_event_source *source;
	struct model *m;
	struct records_ops ops;
};

struct records *records_close(struct records *r)
{
	if (r) {
		sd_event_source_disable_unref(r->source);
		closep(&r->watch);
		closep(&r->dir);
	}
	free(r);
	return NULL;
}

int records_fd(const struct records *r)
{
	return r->dir;
}

/* The plugin writes a temporary file, whose name begins with a dot, and renames it. */
static void take(struct records *r, const char *name)
{
	size_t n = strlen(name), end = strlen(SUFFIX);
	char ifname[PORT_IFNAME_LEN];

	if (name[0] == '.' || n <= end || n - end >= sizeof(ifname) ||
	    strcmp(name + n - end, SUFFIX) != 0)
		return;
	memcpy(ifname, name, n - end);
	ifname[n - end] = '\0';
	/* out of memory: as if the news had been lost */
	if (look_at_record(r->dir, ifname, r->m, NULL) < 0)
		r->ops.lost(r->ops.arg);
}

static int on_readable(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
	_Alignas(struct inotify_event) char buf[4096];
	struct records *r = arg;
	ssize_t n = read(fd, buf, sizeof(buf));

	(void)source;
	(void)revents;
	for (ssize_t at = 0; at < n;) {
		const struct inotify_event *event = (void *)(buf + at);

		if (event->mask & (IN_Q_OVERFLOW | IN_IGNORED | IN_DELETE_SELF))
			r->ops.lost(r->ops.arg);
		else if (event->len)
			take(r, event->name);
		at += (ssize_t)(sizeof(*event) + event->len);
	}
	r->ops.settled(r->ops.arg);
	return 0;
}

/* The directory that is there now, in the place of one that was watched before. */
static int watch(struct records *r, struct pw_error *err)
{
	_cleanup_(closep) int dir = record_open_dir(r->state_dir, true, err), fd = -EBADF;
	sd_event_source *source = NULL;
	char path[64];
	int e;

	if (dir < 0)
		return dir;
	fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	/* what was opened, wherever a name leads to by now */
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", dir);
	if (fd < 0 || inotify_add_watch(fd, path,
					IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE |
						IN_DELETE_SELF | IN_ONLYDIR) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot watch %s/attachments: %m",
			       r->state_dir);
	e = sd_event_add_io(r->event, &source, fd, EPOLLIN, on_readable, r);
	if (e < 0)
		return pw_fail(err, -e, PW_E_IO, "cannot watch %s/attachments: %m", r->state_dir);
	sd_event_source_disable_unref(r->source);
	closep(&r->watch);
	closep(&r->dir);
	r->source = source;
	r->watch = take_fd(fd);
	r->dir = take_fd(dir);
	return 0;
}

int records_check(struct records *r, struct pw_error *err)
{
	_cleanup_(closep) int there = record_open_dir(r->state_dir, true, err);
	struct stat now, watched;
	int e;

	if (there < 0)
		return there;
	if (fstat(there, &now) < 0 || fstat(r->dir, &watched) < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot look at %s/attachments: %m",
			       r->state_dir);
	if (now.st_dev == watched.st_dev && now.st_ino == watched.st_ino)
		return 0;
	e = watch(r, err);
	if (e == 0)
		r->ops.lost(r->ops.arg);
	return e;
}

int records_open(sd_event *event, const char *state_dir, struct model *m,
		 const struct records_ops *ops, struct records **ret, struct pw_error *err)
{
	_cleanup_(records_closep) struct records *r = calloc(1, sizeof(*r));
	int e;

	if (!r)
		return pw_oom(err);
	*r = (struct records){
		.state_dir = state_dir,
		.event = event,
		.dir = -EBADF,
		.watch = -EBADF,
		.m = m,
		.ops = *ops,
	};
	e = watch(r, err);
	if (e < 0)
		return e;
	*ret = take_ptr(r);
	return 0;
}
