/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/connect.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "client/agent.h"

#define PATIENCE_US (UINT64_C(1000000) * CONNECT_PATIENCE_SECONDS)

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* Until the other side has let us in, which sd-bus itself would wait for much longer. */
static int wait_until_ready(sd_bus *bus)
{
	uint64_t now, end = now_us() + PATIENCE_US;
	int r;

	while ((r = sd_bus_is_ready(bus)) == 0) {
		r = sd_bus_process(bus, NULL);
		if (r < 0)
			return r;
		if (r > 0)
			continue;
		now = now_us();
		if (now >= end)
			return -ETIMEDOUT;
		r = sd_bus_wait(bus, end - now);
		if (r < 0 && r != -EINTR)
			return r;
	}
	return r < 0 ? r : 0;
}

/* Another user could have made what looks like the agent. */
static int check_owner(uid_t uid, const char *where, struct pw_error *err)
{
	if (uid == 0 || uid == geteuid())
		return 0;
	return pw_fail(err, EPERM, PW_E_IO, "%s is of user %u, not of root: this isn't the agent",
		       where, (unsigned int)uid);
}

static int start_on_bus(sd_bus *bus, const char *address)
{
	int r = sd_bus_set_address(bus, address);

	if (r >= 0)
		r = sd_bus_set_bus_client(bus, 1);
	return r < 0 ? r : sd_bus_start(bus);
}

/* The owner as the bus itself knows it; asking for it doesn't start anyone. */
static int find_owner(sd_bus *bus, bool any, char **ret, struct pw_error *err)
{
	_cleanup_(sd_bus_creds_unrefp) sd_bus_creds *creds = NULL;
	const char *name;
	uid_t uid;
	int r = sd_bus_get_name_creds(bus, AGENT_NAME, SD_BUS_CREDS_UNIQUE_NAME | SD_BUS_CREDS_EUID,
				      &creds);

	if (r == -ENXIO)
		return pw_fail(err, ENOTCONN, PW_E_IO, "nobody has " AGENT_NAME);
	if (r >= 0)
		r = sd_bus_creds_get_unique_name(creds, &name);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "who has " AGENT_NAME "? %m");
	if (!any) {
		r = sd_bus_creds_get_euid(creds, &uid);
		if (r < 0)
			return pw_fail(err, -r, PW_E_IO, "whose is " AGENT_NAME "? %m");
		r = check_owner(uid, AGENT_NAME, err);
		if (r < 0)
			return r;
	}
	*ret = strdup(name);
	return *ret ? 0 : pw_oom(err);
}

int connect_bus(const char *address, sd_bus **ret, char **ret_owner, struct pw_error *err)
{
	_cleanup_(sd_bus_close_unrefp) sd_bus *bus = NULL;
	int r;

	if (address) {
		r = sd_bus_new(&bus);
		if (r >= 0)
			r = start_on_bus(bus, address);
	} else {
		r = sd_bus_open_system(&bus);
	}
	if (r >= 0)
		r = sd_bus_set_method_call_timeout(bus, PATIENCE_US);
	if (r >= 0)
		r = wait_until_ready(bus);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "%m");
	/* who names a bus knows whose it is */
	r = find_owner(bus, address != NULL, ret_owner, err);
	if (r < 0)
		return r;
	*ret = take_ptr(bus);
	return 0;
}

static int open_socket(const char *path, struct pw_error *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	_cleanup_(closep) int fd = -EBADF;
	socklen_t len = sizeof(struct ucred);
	size_t n = strlen(path);
	struct ucred peer;
	int r;

	if (n >= sizeof(address.sun_path))
		return pw_fail(err, ENAMETOOLONG, PW_E_IO, "%m");
	memcpy(address.sun_path, path, n);
	/* an agent that accepts no more must not hold us up */
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return pw_fail(err, errno, PW_E_IO, "%m");
	r = check_owner(peer.uid, path, err);
	return r < 0 ? r : take_fd(fd);
}

int connect_socket(const char *path, sd_bus **ret, struct pw_error *err)
{
	_cleanup_(sd_bus_close_unrefp) sd_bus *bus = NULL;
	_cleanup_(closep) int fd = open_socket(path, err);
	int r;

	if (fd < 0)
		return fd;
	r = sd_bus_new(&bus);
	if (r >= 0)
		r = sd_bus_set_fd(bus, fd, fd);
	if (r >= 0) {
		(void)take_fd(fd); /* it is the bus's now */
		r = sd_bus_set_method_call_timeout(bus, PATIENCE_US);
	}
	if (r >= 0)
		r = sd_bus_start(bus);
	if (r >= 0)
		r = wait_until_ready(bus);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "%m");
	*ret = take_ptr(bus);
	return 0;
}
