/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ns.h"

#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "netlink/netns.h"

static int write_text(const char *path, const char *text)
{
	_cleanup_(closep) int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return -errno;
	return 0;
}

/* Root in the new user namespace is who we are outside. */
static int map_root(uid_t uid, gid_t gid)
{
	char map[64];
	int r;

	r = write_text("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", (unsigned int)uid);
	if (r == 0)
		r = write_text("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "0 %u 1", (unsigned int)gid);
	return r < 0 ? r : write_text("/proc/self/gid_map", map);
}

int ns_isolate(void)
{
	uid_t uid = getuid();
	gid_t gid = getgid();

	if (unshare(uid == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET) < 0) {
		printf("skipped: no namespaces of our own: %s\n", strerror(errno));
		return TEST_SKIP;
	}
	if (uid != 0 && map_root(uid, gid) < 0) {
		printf("skipped: cannot become root of a user namespace\n");
		return TEST_SKIP;
	}
	ns_run(-1, "ip link set lo up");
	return 0;
}

static bool is_installed(const char *program)
{
	static const char *const dirs[] = { "/usr/sbin", "/usr/bin", "/sbin", "/bin" };
	char path[256];

	for (size_t i = 0; i < TEST_COUNT(dirs); i++) {
		snprintf(path, sizeof(path), "%s/%s", dirs[i], program);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

int ns_need(const char *program, ...)
{
	int r = 0;
	va_list ap;

	va_start(ap, program);
	for (; program && r == 0; program = va_arg(ap, const char *)) {
		if (!is_installed(program)) {
			printf("skipped: %s is not installed\n", program);
			r = TEST_SKIP;
		}
	}
	va_end(ap);
	return r;
}

/* A child leaves its namespace behind as a descriptor: the parent opens it before the child ends.
 */
int ns_new(void)
{
	int ready[2], go[2], fd;
	char path[64], c;
	pid_t pid;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		bool made = unshare(CLONE_NEWNET) == 0 && write(ready[1], "", 1) == 1;

		close(go[1]);
		_exit(made && read(go[0], &c, 1) == 0 ? 0 : 1);
	}
	close(ready[1]);
	close(go[0]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	close(go[1]);
	close(ready[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	ns_run(fd, "ip link set lo up");
	return fd;
}

struct spawn {
	char *const *argv;
	int out;
	pid_t pid;
};

static int spawn(void *arg, struct pw_error *err)
{
	struct spawn *s = arg;
	posix_spawn_file_actions_t actions;

	(void)err;
	posix_spawn_file_actions_init(&actions);
	if (s->out >= 0)
		posix_spawn_file_actions_adddup2(&actions, s->out, STDOUT_FILENO);
	errno = posix_spawn(&s->pid, s->argv[0], &actions, NULL, s->argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return errno ? -errno : 0;
}

static pid_t __attribute__((format(printf, 3, 0)))
start(int fd, int out, const char *command, va_list ap)
{
	char text[4096], path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin; ", all[sizeof(text) + 64];
	char *argv[] = { (char[]){ "/bin/sh" }, (char[]){ "-ec" }, all, NULL };
	struct spawn s = { .argv = argv, .out = out };
	struct pw_error err = {};

	vsnprintf(text, sizeof(text), command, ap);
	snprintf(all, sizeof(all), "%s%s", path, text);
	if ((fd < 0 ? spawn(&s, &err) : netns_call(fd, spawn, &s, &err)) < 0)
		fail_msg("cannot run %s: %s", text, strerror(errno));
	return s.pid;
}

static int finish(pid_t pid)
{
	int status = 0;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int ns_try(int fd, const char *command, ...)
{
	va_list ap;
	pid_t pid;

	va_start(ap, command);
	pid = start(fd, -1, command, ap);
	va_end(ap);
	return finish(pid);
}

void ns_run(int fd, const char *command, ...)
{
	va_list ap;
	int status;

	va_start(ap, command);
	status = finish(start(fd, -1, command, ap));
	va_end(ap);
	if (status != 0)
		fail_msg("exit status %d of %s", status, command);
}

static char *read_all(int fd)
{
	size_t len = 0, room = 1 << 16;
	char *text = malloc(room), *more;
	ssize_t n;

	assert_non_null(text);
	while ((n = read(fd, text + len, room - len - 1)) > 0) {
		len += (size_t)n;
		if (room - len > 1)
			continue;
		room *= 2;
		more = realloc(text, room);
		assert_non_null(more);
		text = more;
	}
	assert_true(n == 0);
	text[len] = '\0';
	return text;
}

char *ns_output(int fd, const char *command, ...)
{
	int out[2], status;
	va_list ap;
	char *text;
	pid_t pid;

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	va_start(ap, command);
	pid = start(fd, out[1], command, ap);
	va_end(ap);
	close(out[1]);
	text = read_all(out[0]);
	close(out[0]);
	status = finish(pid);
	if (status != 0)
		fail_msg("exit status %d of %s", status, command);
	return text;
}

/* What is sent before the kernel's work queue has given a new link its queue is lost in silence. */
static void wait_until_up(int fd, const char *name)
{
	ns_run(fd,
	       "timeout 10 sh -c 'until ip link show dev %s | grep -q \"state UP\"; do :; done'",
	       name);
}

void ns_veth(int fd_a, const char *a, int fd_b, const char *b)
{
	ns_run(fd_a,
	       "ip link add %s type veth peer name %s netns /proc/%d/fd/%d; ip link set %s up", a,
	       b, (int)getpid(), fd_b, a);
	ns_run(fd_b, "ip link set %s up", b);
	wait_until_up(fd_a, a);
	wait_until_up(fd_b, b);
}

static struct sockaddr_in6 endpoint(const char *address, unsigned int port, socklen_t *len)
{
	union {
		struct sockaddr_in6 v6;
		struct sockaddr_in v4;
	} u = {};
	struct ipaddr ip;

	assert_int_equal(ipaddr_parse(address, &ip), 0);
	if (ip.family == AF_INET) {
		u.v4.sin_family = AF_INET;
		u.v4.sin_port = htons((uint16_t)port);
		memcpy(&u.v4.sin_addr, ip.b, 4);
		*len = sizeof(u.v4);
	} else {
		u.v6.sin6_family = AF_INET6;
		u.v6.sin6_port = htons((uint16_t)port);
		memcpy(&u.v6.sin6_addr, ip.b, 16);
		*len = sizeof(u.v6);
	}
	return u.v6;
}

struct udp {
	const char *address;
	unsigned int port;
	int sock;
};

static int open_udp(void *arg, struct pw_error *err)
{
	const struct timeval patience = { .tv_sec = 5 };
	struct udp *u = arg;
	struct sockaddr_in6 sa;
	socklen_t len;

	(void)err;
	sa = endpoint(u->address, u->port, &len);
	u->sock = socket(sa.sin6_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (u->sock < 0 || bind(u->sock, (struct sockaddr *)&sa, len) < 0)
		return -errno;
	return setsockopt(u->sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
}

int ns_udp(int fd, const char *address, unsigned int port)
{
	struct udp u = { .address = address, .port = port };
	struct pw_error err = {};

	if ((fd < 0 ? open_udp(&u, &err) : netns_call(fd, open_udp, &u, &err)) < 0)
		fail_msg("cannot open a UDP socket at %s: %s", address, strerror(errno));
	return u.sock;
}

void ns_send(int from, const char *address, unsigned int port)
{
	struct sockaddr_in6 sa;
	socklen_t len;

	sa = endpoint(address, port, &len);
	if (sendto(from, "podwire", 7, 0, (struct sockaddr *)&sa, len) != 7)
		fail_msg("cannot send to %s: %s", address, strerror(errno));
}

static void receive(int sock, struct sockaddr_in6 *sa, socklen_t *len)
{
	char data[16];
	ssize_t n;

	*len = sizeof(*sa);
	n = recvfrom(sock, data, sizeof(data), 0, (struct sockaddr *)sa, len);
	if (n < 0)
		fail_msg("nothing came: %s", strerror(errno));
	assert_int_equal(n, 7);
	assert_memory_equal(data, "podwire", 7);
}

void ns_receive(int sock, char *source, unsigned int *port)
{
	struct sockaddr_in6 sa;
	struct sockaddr_in v4;
	socklen_t len;

	receive(sock, &sa, &len);
	if (sa.sin6_family == AF_INET) {
		memcpy(&v4, &sa, sizeof(v4));
		assert_non_null(inet_ntop(AF_INET, &v4.sin_addr, source, IPADDR_STRLEN));
	} else {
		assert_non_null(inet_ntop(AF_INET6, &sa.sin6_addr, source, IPADDR_STRLEN));
	}
	if (port) /* at the same place in both */
		*port = ntohs(sa.sin6_port);
}

void ns_answer(int sock)
{
	struct sockaddr_in6 sa;
	socklen_t len;

	receive(sock, &sa, &len);
	assert_int_equal(sendto(sock, "podwire", 7, 0, (struct sockaddr *)&sa, len), 7);
}

void ns_silent(int sock)
{
	char c;

	assert_true(recv(sock, &c, 1, MSG_DONTWAIT) < 0);
}
