/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a peer sends goes through a pipe to sd-bus, a message at a time: see frame.h for why. The
 * next one is taken when the pipe is empty, the answer is written, and everyone else has had his
 * turn. sd-bus writes to the peer's socket directly.
 *
 * sd-bus is told to let anybody in: it would ask the pipe who that is.
 */
#include "bus/peers.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "bus/frame.h"
#include "bus/server.h"

#define AUTH_USEC UINT64_C(5000000)    /* until a client has said who it is */
#define UNREAD_USEC UINT64_C(10000000) /* for a client that doesn't read */
#define UNREAD_MAX 10000               /* messages: one for each port, twice */
#define SEND_BUFFER (128 * 1024)
#define BACKLOG 64
#define FULL_USEC UINT64_C(1000000) /* without descriptors: until the next attempt */
#define CHUNK 4096                  /* what every pipe has room for */

struct peer {
	struct peers *peers;
	sd_bus *connection;
	int fd, feed; /* its socket; the pipe into sd-bus */
	uid_t uid;
	struct frame frame;
	sd_event_source *input, *timer;
	bool held;       /* nothing is taken from it until it has read its answer */
	uint64_t unread; /* messages that it hadn't read when the timer was set */
};

struct peers {
	struct bus *bus; /* borrowed */
	int fd, dirfd;
	char name[32];
	sd_event_source *listening, *pause;
	struct array of; /* struct peer * */
};

static struct peer *peer_free(struct peer *p)
{
	if (p) {
		sd_event_source_disable_unref(p->input);
		sd_event_source_disable_unref(p->timer);
		sd_bus_close_unref(p->connection);
		closep(&p->feed);
		closep(&p->fd);
		free(p);
	}
	return NULL;
}
DEFINE_CLEANUP(struct peer *, peer_free);

static struct peer *at(const struct peers *peers, size_t i)
{
	struct peer **v = peers->of.v;

	return v[i];
}

size_t peers_count(const struct peers *peers)
{
	return peers ? peers->of.n : 0;
}

sd_bus *peers_at(const struct peers *peers, size_t i)
{
	return at(peers, i)->connection;
}

void peers_cut(struct peers *peers, size_t i)
{
	struct peer **v = peers->of.v;

	peer_free(v[i]);
	v[i] = v[--peers->of.n];
}

static void cut(struct peer *p)
{
	for (size_t i = 0; i < p->peers->of.n; i++) {
		if (at(p->peers, i) == p) {
			peers_cut(p->peers, i);
			return;
		}
	}
}

int peers_uid(const struct peers *peers, const sd_bus *connection, uid_t *ret)
{
	for (size_t i = 0; i < peers_count(peers); i++) {
		if (peers_at(peers, i) == connection) {
			*ret = at(peers, i)->uid;
			return 0;
		}
	}
	return -ENOENT;
}

static uint64_t unread(const struct peer *p)
{
	uint64_t n = 0;

	return sd_bus_get_n_queued_write(p->connection, &n) < 0 ? UINT64_MAX : n;
}

static int set_timer(struct peer *p, uint64_t usec)
{
	int r = sd_event_source_set_time_relative(p->timer, usec);

	return r < 0 ? r : sd_event_source_set_enabled(p->timer, SD_EVENT_ONESHOT);
}

/* Takes note of what it hasn't read; false: that's too much. */
static bool check(struct peer *p)
{
	uint64_t n = unread(p);
	int enabled = SD_EVENT_OFF;

	if (n > UNREAD_MAX)
		return false;
	if (sd_bus_is_ready(p->connection) <= 0)
		return true; /* the timer is for that */
	(void)sd_event_source_get_enabled(p->timer, &enabled);
	if (n == 0)
		return sd_event_source_set_enabled(p->timer, SD_EVENT_OFF) >= 0;
	if (enabled != SD_EVENT_OFF)
		return true;
	p->unread = n;
	return set_timer(p, UNREAD_USEC) >= 0;
}

void peers_check(struct peers *peers)
{
	for (size_t i = peers_count(peers); i-- > 0;) {
		if (!check(at(peers, i)))
			peers_cut(peers, i);
	}
}

/* Of those who read, if slowly, there is less each time. */
static int on_timer(sd_event_source *source, uint64_t usec, void *arg)
{
	struct peer *p = arg;
	uint64_t n = unread(p);

	(void)source;
	(void)usec;
	if (sd_bus_is_ready(p->connection) <= 0 || (n > 0 && n >= p->unread)) {
		cut(p);
		return 0;
	}
	p->unread = n;
	if (n > 0 && set_timer(p, UNREAD_USEC) < 0)
		cut(p);
	return 0;
}

/* Hands on what belongs to one part; negative: it is to be cut off. */
static int feed(struct peer *p)
{
	uint8_t data[CHUNK];
	ssize_t n = recv(p->fd, data, sizeof(data), MSG_PEEK | MSG_DONTWAIT);
	bool whole, authenticating = !p->frame.begun;
	int r;

	if (n == 0)
		return -ECONNRESET;
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	n = frame_take(&p->frame, data, (size_t)n, &whole);
	if (n < 0)
		return (int)n;
	/* descriptors that come along are dropped here */
	if (recv(p->fd, data, (size_t)n, MSG_DONTWAIT) != n || write(p->feed, data, (size_t)n) != n)
		return -EIO;
	do {
		r = sd_bus_process(p->connection, NULL);
	} while (r > 0);
	if (r < 0)
		return r;
	if (sd_bus_is_open(p->connection) <= 0)
		return -ECONNRESET;
	if (!whole || !authenticating)
		return 0;
	/* where sd-bus and we disagree about what is a message, nothing holds any more */
	if (sd_bus_is_ready(p->connection) <= 0)
		return -EPROTO;
	return sd_event_source_set_enabled(p->timer, SD_EVENT_OFF);
}

static int hold(struct peer *p, bool held)
{
	if (p->held == held)
		return 0;
	p->held = held;
	return sd_event_source_set_io_events(p->input, held ? 0 : EPOLLIN);
}

static int on_input(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct peer *p = arg;
	int r = (events & EPOLLIN) != 0 ? feed(p)
					: -ECONNRESET; /* what it sent before it went counts */

	(void)source;
	(void)fd;
	if (r < 0 || !check(p) || hold(p, unread(p) > 0) < 0)
		cut(p);
	return 0;
}

/* Before the loop waits: sd-bus, which writes in its own time, doesn't say when it's done. */
static int on_prepare(sd_event_source *source, void *arg)
{
	struct peer *p = arg;

	(void)source;
	return p->held && unread(p) == 0 ? hold(p, false) : 0;
}

static int start_connection(struct peer *p, int from, int to)
{
	sd_id128_t id;
	int r = sd_id128_randomize(&id);

	if (r >= 0)
		r = sd_bus_new(&p->connection);
	if (r >= 0)
		r = sd_bus_set_server(p->connection, 1, id);
	if (r >= 0)
		r = sd_bus_set_anonymous(p->connection, 1);
	if (r >= 0)
		r = sd_bus_negotiate_fds(p->connection, 0);
	if (r >= 0)
		r = sd_bus_set_fd(p->connection, from, to); /* which are its own from here on */
	return r;
}

static int watch(struct peer *p)
{
	sd_event *event = p->peers->bus->event;
	int r = sd_event_add_io(event, &p->input, p->fd, EPOLLIN, on_input, p);

	if (r >= 0)
		r = sd_event_source_set_prepare(p->input, on_prepare);
	if (r >= 0)
		r = sd_event_source_set_priority(p->input, BUS_PRIORITY);
	if (r >= 0)
		r = sd_event_add_time_relative(event, &p->timer, CLOCK_MONOTONIC, AUTH_USEC, 0,
					       on_timer, p);
	if (r >= 0)
		r = sd_event_source_set_priority(p->timer, BUS_PRIORITY);
	return r;
}

static int start(struct peer *p)
{
	_cleanup_(closep) int from = -EBADF, to = -EBADF;
	const int send_buffer = SEND_BUFFER;
	int pipes[2], r;

	if (pipe2(pipes, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	from = pipes[0];
	p->feed = pipes[1];
	/* two sources of a loop can't have the same one */
	to = fcntl(p->fd, F_DUPFD_CLOEXEC, 3);
	if (to < 0)
		return -errno;
	r = start_connection(p, from, to);
	if (r < 0)
		return r;
	(void)take_fd(from);
	(void)take_fd(to);
	r = bus_publish(p->peers->bus, p->connection);
	if (r >= 0)
		r = sd_bus_start(p->connection);
	/* sd-bus has made it 8 MiB, which would be ours until the client reads it */
	if (r >= 0 && setsockopt(p->fd, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof(int)) < 0)
		r = -errno;
	if (r >= 0)
		r = sd_bus_attach_event(p->connection, p->peers->bus->event, BUS_PRIORITY);
	return r < 0 ? r : watch(p);
}

static bool has_room_for(const struct peers *peers, uid_t uid)
{
	size_t same = 0, others = 0;

	for (size_t i = 0; i < peers->of.n; i++) {
		others += at(peers, i)->uid != 0;
		same += at(peers, i)->uid == uid;
	}
	return peers->of.n < PEERS_MAX &&
	       (uid == 0 || (others < PEERS_OTHERS_MAX && same < PEERS_USER_MAX));
}

static int let_in(struct peers *peers, int fd)
{
	_cleanup_(peer_freep) struct peer *p = calloc(1, sizeof(*p));
	struct ucred who;
	socklen_t len = sizeof(who);
	struct peer **to;
	int r;

	if (!p) {
		close(fd);
		return -ENOMEM;
	}
	*p = (struct peer){ .peers = peers, .fd = fd, .feed = -EBADF };
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) < 0)
		return -errno;
	p->uid = who.uid;
	if (!has_room_for(peers, p->uid))
		return -EUSERS;
	r = start(p);
	if (r < 0)
		return r;
	to = array_grow(&peers->of, sizeof(struct peer *), 1);
	if (!to)
		return -ENOMEM;
	*to = take_ptr(p);
	return 0;
}

/* Without a pause, a client that can't be taken would wake us for ever. */
static void pause_a_while(struct peers *peers)
{
	if (sd_event_source_set_time_relative(peers->pause, FULL_USEC) >= 0 &&
	    sd_event_source_set_enabled(peers->pause, SD_EVENT_ONESHOT) >= 0)
		(void)sd_event_source_set_enabled(peers->listening, SD_EVENT_OFF);
}

static int on_pause_over(sd_event_source *source, uint64_t usec, void *arg)
{
	struct peers *peers = arg;

	(void)source;
	(void)usec;
	return sd_event_source_set_enabled(peers->listening, SD_EVENT_ON);
}

static int on_connection(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct peers *peers = arg;
	struct sockaddr_un from;
	socklen_t len = sizeof(from);
	int client = accept4(fd, (struct sockaddr *)&from, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)source;
	(void)events;
	if (client >= 0)
		(void)let_in(peers, client); /* or it finds the connection closed */
	else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
		pause_a_while(peers);
	return 0;
}

/*
 * Under another name first, so that whoever finds it can connect. By the descriptor, since a
 * socket's path is short.
 */
static int bind_at(int fd, int dirfd, const char *name)
{
	struct sockaddr_un here = { .sun_family = AF_UNIX };
	char tmp[64];

	(void)snprintf(tmp, sizeof(tmp), ".%s.tmp", name);
	(void)snprintf(here.sun_path, sizeof(here.sun_path), "/proc/self/fd/%d/%s", dirfd, tmp);
	if (unlinkat(dirfd, tmp, 0) < 0 && errno != ENOENT)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&here, sizeof(here)) < 0)
		return -errno;
	if (fchmodat(dirfd, tmp, 0666, 0) < 0 || listen(fd, BACKLOG) < 0 ||
	    renameat(dirfd, tmp, dirfd, name) < 0) {
		int r = -errno;

		(void)unlinkat(dirfd, tmp, 0);
		return r;
	}
	return 0;
}

static int open_sources(struct peers *peers, sd_event *event)
{
	int r = sd_event_add_io(event, &peers->listening, peers->fd, EPOLLIN, on_connection, peers);

	if (r >= 0)
		r = sd_event_source_set_priority(peers->listening, BUS_PRIORITY);
	if (r >= 0)
		r = sd_event_add_time_relative(event, &peers->pause, CLOCK_MONOTONIC, 0, 0,
					       on_pause_over, peers);
	if (r >= 0)
		r = sd_event_source_set_enabled(peers->pause, SD_EVENT_OFF);
	return r;
}

DEFINE_CLEANUP(struct peers *, peers_free);

int peers_listen(struct bus *bus, int dirfd, const char *name, struct peers **ret,
		 struct pw_error *err)
{
	_cleanup_(peers_freep) struct peers *peers = calloc(1, sizeof(*peers));
	int r;

	if (!peers)
		return pw_oom(err);
	*peers = (struct peers){ .bus = bus, .fd = -EBADF, .dirfd = -EBADF };
	peers->dirfd = fcntl(dirfd, F_DUPFD_CLOEXEC, 3);
	peers->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (peers->dirfd < 0 || peers->fd < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot make a socket: %m");
	r = bind_at(peers->fd, peers->dirfd, name);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "cannot listen at %s: %m", name);
	(void)snprintf(peers->name, sizeof(peers->name), "%s", name);
	r = open_sources(peers, bus->event);
	if (r < 0)
		return pw_fail(err, -r, PW_E_INTERNAL, "cannot watch %s: %m", name);
	*ret = take_ptr(peers);
	return 0;
}

struct peers *peers_free(struct peers *peers)
{
	if (peers) {
		while (peers->of.n > 0)
			peers_cut(peers, peers->of.n - 1);
		array_done(&peers->of);
		sd_event_source_disable_unref(peers->listening);
		sd_event_source_disable_unref(peers->pause);
		if (*peers->name)
			(void)unlinkat(peers->dirfd, peers->name, 0);
		closep(&peers->fd);
		closep(&peers->dirfd);
		free(peers);
	}
	return NULL;
}
