/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus_lab.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_US UINT64_C(10000000)
#define NAME "org.podwire1"

static const char config[] =
	"<!DOCTYPE busconfig PUBLIC '-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN'\n"
	" 'http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd'>\n"
	"<busconfig>\n"
	"<type>system</type><listen>unix:path=%s/socket</listen><auth>EXTERNAL</auth>\n"
	"<policy context='default'>\n"
	"<allow user='*'/><deny own='*'/><deny send_type='method_call'/><allow send_type='signal'/>\n"
	"<allow send_requested_reply='true' send_type='method_return'/>\n"
	"<allow send_requested_reply='true' send_type='error'/>\n"
	"<allow receive_type='method_call'/><allow receive_type='method_return'/>\n"
	"<allow receive_type='error'/><allow receive_type='signal'/>\n"
	"<allow send_destination='org.freedesktop.DBus'/>\n"
	"%s\n"
	"</policy>\n"
	"%s%s%s\n"
	"</busconfig>\n";

static void write_config(const struct bus_lab *lab, const char *policy, const char *include)
{
	char text[4096];

	assert_true((size_t)snprintf(text, sizeof(text), config, lab->dir->path, policy,
				     include ? "<include>" : "", include ? include : "",
				     include ? "</include>" : "") < sizeof(text));
	tmpdir_write(lab->dir, "bus.conf", text);
}

/* Ends with its parent, however that ends. */
static _Noreturn void exec_daemon(const struct bus_lab *lab, int fd)
{
	char file[128], print[48];
	int log;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(file, sizeof(file), "--config-file=%s/bus.conf", lab->dir->path);
	snprintf(print, sizeof(print), "--print-address=%d", fd);
	fcntl(fd, F_SETFD, 0);
	log = openat(lab->dir->fd, "log", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	dup2(log, STDERR_FILENO);
	execlp("dbus-daemon", "dbus-daemon", file, "--nofork", "--nopidfile", print, (char *)NULL);
	_exit(errno == ENOENT ? TEST_SKIP : 1);
}

static void start_daemon(struct bus_lab *lab)
{
	int fds[2];
	ssize_t n;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	lab->daemon = fork();
	assert_true(lab->daemon >= 0);
	if (lab->daemon == 0)
		exec_daemon(lab, fds[1]);
	close(fds[1]);
	n = read(fds[0], lab->address, sizeof(lab->address) - 1);
	close(fds[0]);
	if (n <= 0) {
		int status;

		assert_int_equal(waitpid(lab->daemon, &status, 0), lab->daemon);
		if (WIFEXITED(status) && WEXITSTATUS(status) == TEST_SKIP) {
			printf("there is no dbus-daemon\n");
			exit(TEST_SKIP);
		}
		fail_msg("dbus-daemon doesn't start: %s", tmpdir_read(lab->dir, "log"));
	}
	lab->address[strcspn(lab->address, "\n")] = '\0';
}

void bus_lab_stop_daemon(struct bus_lab *lab)
{
	if (lab->daemon <= 0)
		return;
	kill(lab->daemon, SIGKILL);
	waitpid(lab->daemon, NULL, 0);
	lab->daemon = 0;
}

static void print_all(FILE *f, sd_bus_message *m, const char *between);

/* [a, list], (a structure), key=value; a variant as what is in it. */
static void print_container(FILE *f, sd_bus_message *m, char type, const char *contents)
{
	assert_true(sd_bus_message_enter_container(m, type, contents) > 0);
	fputs(type == 'a' ? "[" : type == 'r' ? "(" : "", f);
	print_all(f, m, type == 'a' ? ", " : type == 'e' ? "=" : " ");
	fputs(type == 'a' ? "]" : type == 'r' ? ")" : "", f);
	assert_true(sd_bus_message_exit_container(m) >= 0);
}

static void print_basic(FILE *f, sd_bus_message *m, char type)
{
	union {
		const char *s;
		int32_t i;
		uint32_t u;
		int b;
		uint64_t t;
	} value;

	assert_true(sd_bus_message_read_basic(m, type, &value) > 0);
	switch (type) {
	case 'i':
		fprintf(f, "%" PRId32, value.i);
		break;
	case 'u':
		fprintf(f, "%" PRIu32, value.u);
		break;
	case 'b':
		fputs(value.b ? "true" : "false", f);
		break;
	case 't':
		fprintf(f, "%" PRIu64, value.t);
		break;
	default:
		fputs(value.s, f);
	}
}

static void print_all(FILE *f, sd_bus_message *m, const char *between)
{
	const char *contents, *separator = "";
	char type;

	while (sd_bus_message_peek_type(m, &type, &contents) > 0) {
		fputs(separator, f);
		separator = between;
		if (strchr("arve", type))
			print_container(f, m, type, contents);
		else
			print_basic(f, m, type);
	}
}

static char *text_of(sd_bus_message *m)
{
	const sd_bus_error *error = sd_bus_message_get_error(m);
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	if (error)
		fprintf(f, "%s: %s", error->name, error->message);
	else
		print_all(f, m, " ");
	assert_int_equal(fclose(f), 0);
	return text;
}

static int on_signal(sd_bus_message *m, void *userdata, sd_bus_error *ret_error)
{
	struct bus_lab *lab = userdata;
	char *old = lab->signals, *text = text_of(m);

	(void)ret_error;
	assert_true(asprintf(&lab->signals, "%s%s %s %s\n", old, sd_bus_message_get_path(m),
			     sd_bus_message_get_member(m), text) > 0);
	free(old);
	free(text);
	return 0;
}

static sd_bus *connect_client(const char *address)
{
	sd_bus *bus = NULL;

	assert_true(sd_bus_new(&bus) >= 0);
	assert_true(sd_bus_set_address(bus, address) >= 0);
	assert_true(sd_bus_set_bus_client(bus, 1) >= 0);
	assert_true(sd_bus_start(bus) >= 0);
	return bus;
}

void bus_lab_start(struct bus_lab *lab, const char *policy, const char *include)
{
	void *dir = NULL;

	*lab = (struct bus_lab){ .signals = strdup("") };
	assert_int_equal(tmpdir_setup(&dir), 0);
	lab->dir = dir;
	assert_int_equal(chmod(lab->dir->path, 0755), 0); /* other users' clients */
	write_config(lab, policy, include);
	start_daemon(lab);
	assert_true(sd_event_new(&lab->event) >= 0);
	lab->client = connect_client(lab->address);
	assert_true(sd_bus_match_signal(lab->client, NULL, NAME, NULL, NULL, NULL, on_signal,
					lab) >= 0);
	assert_true(sd_bus_attach_event(lab->client, lab->event, 0) >= 0);
}

void bus_lab_done(struct bus_lab *lab)
{
	void *dir = lab->dir;

	sd_bus_close_unref(lab->client);
	sd_event_unref(lab->event);
	bus_lab_stop_daemon(lab);
	tmpdir_teardown(&dir);
	free(lab->signals);
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

void bus_lab_run(struct bus_lab *lab, const bool *done)
{
	uint64_t end = now_us() + PATIENCE_US;

	while (!*done) {
		uint64_t now = now_us();

		if (now >= end)
			fail_msg("nothing comes on the bus");
		assert_true(sd_event_run(lab->event, end - now) >= 0);
	}
}

struct reply {
	bool done;
	char *text;
};

static int on_reply(sd_bus_message *m, void *userdata, sd_bus_error *ret_error)
{
	struct reply *reply = userdata;

	(void)ret_error;
	reply->text = text_of(m);
	reply->done = true;
	return 0;
}

char *bus_lab_call(struct bus_lab *lab, const char *path, const char *interface, const char *member,
		   const char *types, ...)
{
	struct reply reply = {};
	sd_bus_message *m = NULL;
	va_list ap;

	assert_true(sd_bus_message_new_method_call(lab->client, &m, NAME, path, interface,
						   member) >= 0);
	if (types) {
		va_start(ap, types);
		assert_true(sd_bus_message_appendv(m, types, ap) >= 0);
		va_end(ap);
	}
	assert_true(sd_bus_call_async(lab->client, NULL, m, on_reply, &reply, PATIENCE_US) >= 0);
	sd_bus_message_unref(m);
	bus_lab_run(lab, &reply.done);
	return reply.text;
}

/* Good ones for the methods that have any, so that it's the caller who is refused. */
static int append_arguments(sd_bus_message *m, const char *member)
{
	if (strcmp(member, "RequestName") == 0)
		return sd_bus_message_append(m, "su", NAME, 0);
	if (strcmp(member, "SetCpus") == 0)
		return sd_bus_message_append(m, "aub", 1, 0, 1);
	if (strcmp(member, "Set") == 0)
		return sd_bus_message_append(m, "ssv", "org.freedesktop.LogControl1", "LogLevel",
					     "s", "debug");
	return 0;
}

/* In a child: nothing but the text goes back. */
static _Noreturn void call_and_tell(const struct bus_lab *lab, uid_t uid, int fd, const char *path,
				    const char *interface, const char *member)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *call = NULL;
	sd_bus *bus = NULL;
	const char *destination = strcmp(member, "RequestName") ? NAME : "org.freedesktop.DBus";
	int r;

	if (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0)
		_exit(1);
	if (sd_bus_new(&bus) < 0 || sd_bus_set_address(bus, lab->address) < 0 ||
	    sd_bus_set_bus_client(bus, 1) < 0 || sd_bus_start(bus) < 0)
		_exit(2);
	if (sd_bus_message_new_method_call(bus, &call, destination, path, interface, member) < 0 ||
	    append_arguments(call, member) < 0)
		_exit(3);
	r = sd_bus_call(bus, call, 0, &error, NULL);
	if (r >= 0)
		dprintf(fd, "ok");
	else
		dprintf(fd, "%s: %s", error.name, error.message);
	_exit(0);
}

static int on_end(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	(void)fd;
	(void)events;
	(void)source;
	*(bool *)userdata = true;
	return 0;
}

char *bus_lab_call_as(struct bus_lab *lab, uid_t uid, const char *path, const char *interface,
		      const char *member)
{
	sd_event_source *source = NULL;
	char *text = calloc(1, 1024);
	bool done = false;
	int fds[2], status;
	pid_t child;

	assert_non_null(text);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		call_and_tell(lab, uid, fds[1], path, interface, member);
	close(fds[1]);
	assert_true(sd_event_add_io(lab->event, &source, fds[0], POLLIN, on_end, &done) >= 0);
	bus_lab_run(lab, &done);
	sd_event_source_unref(source);
	assert_true(read(fds[0], text, 1023) > 0);
	close(fds[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	return text;
}

/* One connection's messages keep their order: what was told before the answer came before it. */
char *bus_lab_signals(struct bus_lab *lab)
{
	char *signals;

	free(bus_lab_call(lab, "/", "org.freedesktop.DBus.Peer", "Ping", NULL));
	signals = lab->signals;
	lab->signals = strdup("");
	return signals;
}
