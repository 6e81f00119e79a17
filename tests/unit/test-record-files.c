/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/record.h"
#include "tmpdir.h"

#define HOST_IFNAME "vethpw1737b53a8"

static struct record sample(void)
{
	return (struct record){
		.state = RECORD_READY,
		.boot_id = "0b1c",
		.config_digest = "d1",
		.id = { "podwire", "cid", "eth0" },
		.netns = "/run/netns/x",
		.host_ifname = HOST_IFNAME,
		.pod_name = "web \"0\"\n",
		.pod_mac = { { 2, 0, 0, 0, 0, 1 } },
		.host_mac = { { 2, 0, 0, 0, 0, 2 } },
		.options = OPTIONS_DEFAULT,
	};
}

static void add_cidr(struct array *to, const char *text)
{
	struct cidr *c = array_grow(to, sizeof(*c), 1);

	assert_non_null(c);
	assert_int_equal(cidr_parse(text, c), 0);
}

static void what_is_written_is_read_again(void **state)
{
	const struct tmpdir *dir = *state;
	struct record rec = sample(), again = {};
	struct pw_error err = {};
	const struct cidr *a;
	struct stat st;

	add_cidr(&rec.addresses, "10.1.0.2/24");
	add_cidr(&rec.addresses, "fd00::2/64");
	add_cidr(&rec.masq_exclude, "10.1.0.0/16");
	add_cidr(&rec.options.allowed_sources, "192.0.2.0/24");
	rec.ip_masq = true;
	rec.options.mtu = 9000;

	assert_int_equal(record_write(dir->fd, &rec, &err), 0);
	assert_int_equal(fstatat(dir->fd, HOST_IFNAME ".json", &st, 0), 0);
	assert_int_equal(st.st_mode & 07133, 0);
	assert_int_equal(record_read(dir->fd, HOST_IFNAME, &again, &err), 1);
	a = again.addresses.v;
	assert_int_equal(again.version, RECORD_VERSION);
	assert_int_equal(again.state, RECORD_READY);
	assert_string_equal(again.pod_name, "web \"0\"\n");
	assert_null(again.pod_namespace);
	assert_null(again.pod_uid);
	assert_int_equal(again.addresses.n, 2);
	assert_string_equal(CIDR_STR(&a[1]), "fd00::2/64");
	assert_true(again.ip_masq);
	assert_int_equal(again.masq_exclude.n, 1);
	assert_int_equal(again.options.allowed_sources.n, 1);
	assert_int_equal(again.options.mtu, 9000);
	record_done(&again);
	record_done(&rec);
}

/* A test of the agent, and people, read these: their form is an interface. */
static void the_form_on_disk_is_this(void **state)
{
	const struct tmpdir *dir = *state;
	struct record rec = sample();
	char *text;

	rec.pod_name = "web-0";
	rec.state = RECORD_ADDING;
	assert_int_equal(record_write(dir->fd, &rec, NULL), 0);
	text = tmpdir_read(dir, HOST_IFNAME ".json");
	assert_string_equal(
		text,
		"{\"version\":1,\"state\":\"adding\",\"bootId\":\"0b1c\",\"configDigest\":\"d1\","
		"\"network\":\"podwire\",\"containerId\":\"cid\",\"ifname\":\"eth0\","
		"\"netns\":\"/run/netns/x\",\"hostIfname\":\"vethpw1737b53a8\","
		"\"podName\":\"web-0\",\"mac\":\"02:00:00:00:00:01\","
		"\"hostMac\":\"02:00:00:00:00:02\",\"addresses\":[],\"ipMasq\":false,"
		"\"options\":{\"fastPath\":\"auto\",\"netfilter\":\"respect\","
		"\"sourceCheck\":true,\"allowedSources\":[],\"queues\":0,\"mtu\":0}}");
	free(text);
}

static void no_record_is_no_error(void **state)
{
	const struct tmpdir *dir = *state;
	struct pw_error err = {};
	struct record rec = {};

	assert_int_equal(record_read(dir->fd, HOST_IFNAME, &rec, &err), 0);
	assert_int_equal(record_remove(dir->fd, HOST_IFNAME, &err), 0);
}

static void a_record_that_cannot_be_read_says_which(void **state)
{
	static const struct {
		const char *text, *msg;
		int r;
	} cases[] = {
		{ "{\"version\":7}", "record vethpw1737b53a8: record is of version 7, newer than 1",
		  -EPROTONOSUPPORT },
		{ "{\"version\":1",
		  "record vethpw1737b53a8: record is not JSON: byte 12: "
		  "unexpected end of data",
		  -EINVAL },
		{ "", "record vethpw1737b53a8: record is not JSON: byte 0: unexpected end of data",
		  -EINVAL },
		{ "{\"version\":1}", "record vethpw1737b53a8: state: missing", -EINVAL },
	};
	const struct tmpdir *dir = *state;

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct pw_error err = {};
		struct record rec = {};

		tmpdir_write(dir, HOST_IFNAME ".json", cases[i].text);
		assert_int_equal(record_read(dir->fd, HOST_IFNAME, &rec, &err), cases[i].r);
		assert_string_equal(err.msg, cases[i].msg);
		assert_int_equal(record_read(dir->fd, HOST_IFNAME, &rec, NULL), cases[i].r);
	}
}

static void an_oversized_record_is_refused(void **state)
{
	const struct tmpdir *dir = *state;
	struct pw_error err = {};
	struct record rec = sample();
	char name[65 * 1024];

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	rec.pod_name = name;
	assert_int_equal(record_write(dir->fd, &rec, &err), 0);
	assert_int_equal(record_read(dir->fd, HOST_IFNAME, &rec, &err), -EFBIG);
	assert_string_equal(
		err.msg, "record vethpw1737b53a8: vethpw1737b53a8.json is larger than 65536 bytes");
}

static void a_copy_under_another_name_is_refused(void **state)
{
	const struct tmpdir *dir = *state;
	struct record rec = sample(), other = {};
	struct pw_error err = {};
	char *text;

	assert_int_equal(record_write(dir->fd, &rec, &err), 0);
	text = tmpdir_read(dir, HOST_IFNAME ".json");
	tmpdir_write(dir, "vethpw000000000.json", text);
	free(text);
	assert_int_equal(record_read(dir->fd, "vethpw000000000", &other, &err), -EINVAL);
	assert_string_equal(err.msg, "record vethpw000000000: is the one of vethpw1737b53a8");
}

static void a_link_or_fifo_is_no_record(void **state)
{
	const struct tmpdir *dir = *state;
	struct pw_error err = {};
	struct record rec = {};

	assert_int_equal(mkfifoat(dir->fd, HOST_IFNAME ".json", 0600), 0);
	assert_int_equal(record_read(dir->fd, HOST_IFNAME, &rec, &err), -EINVAL);
	assert_int_equal(unlinkat(dir->fd, HOST_IFNAME ".json", 0), 0);
	assert_int_equal(symlinkat("/etc/passwd", dir->fd, HOST_IFNAME ".json"), 0);
	assert_int_equal(record_read(dir->fd, HOST_IFNAME, &rec, &err), -ELOOP);
}

struct walk {
	int good, bad, other, end_with;
};

static int count(const char *host_ifname, struct record *rec, const struct pw_error *why, void *arg)
{
	struct walk *w = arg;

	if (rec && !why && strcmp(host_ifname, HOST_IFNAME) == 0)
		w->good++;
	else if (!rec && why && why->errnum && strcmp(host_ifname, "vethpwbad000000") == 0)
		w->bad++;
	else
		w->other++;
	return w->end_with;
}

static void a_walk_sees_records_and_nothing_else(void **state)
{
	static const char *const others[] = {
		".vethpw1737b53a8.json.tmp",
		"vethpw1737b53a8",
		"vethpw1737b53a8.json~",
		"xethpw1737b53a8.json",
		"vethpw1737b53a.json",
		"vethpw1737b53a80.json",
		"README",
		"vethpw1737b53a8.jsox",
	};
	const struct tmpdir *dir = *state;
	struct record rec = sample();
	struct pw_error err = {};
	struct walk w = {};

	assert_int_equal(record_each(dir->fd, count, &w, &err), 0);
	assert_int_equal(w.good + w.bad + w.other, 0);

	assert_int_equal(record_write(dir->fd, &rec, &err), 0);
	tmpdir_write(dir, "vethpwbad000000.json", "{}");
	for (size_t i = 0; i < TEST_COUNT(others); i++)
		tmpdir_write(dir, others[i], "{}");
	for (int twice = 0; twice < 2; twice++) {
		w = (struct walk){};
		assert_int_equal(record_each(dir->fd, count, &w, &err), 0);
		assert_int_equal(w.good, 1);
		assert_int_equal(w.bad, 1);
		assert_int_equal(w.other, 0);
	}
	w = (struct walk){ .end_with = -EPIPE };
	assert_int_equal(record_each(dir->fd, count, &w, &err), -EPIPE);
	assert_int_equal(w.good + w.bad, 1);
	w = (struct walk){ .end_with = 1 };
	assert_int_equal(record_each(dir->fd, count, &w, &err), 0);
	assert_int_equal(w.good + w.bad, 2);
	assert_int_equal(record_each(-EBADF, count, &w, &err), -EBADF);
	assert_string_equal(err.msg, "cannot list records: Bad file descriptor");
}

static void removing_takes_what_a_dead_writer_left(void **state)
{
	const struct tmpdir *dir = *state;
	struct record rec = sample();

	assert_int_equal(record_write(dir->fd, &rec, NULL), 0);
	tmpdir_write(dir, "." HOST_IFNAME ".json.tmp", "{");
	assert_int_equal(record_remove(dir->fd, HOST_IFNAME, NULL), 0);
	assert_int_equal(tmpdir_count(dir), 0);
}

static void the_directory_is_made_only_where_asked(void **state)
{
	const struct tmpdir *dir = *state;
	struct pw_error err = {};
	char path[80];
	int fd;

	snprintf(path, sizeof(path), "%s/state", dir->path);
	assert_int_equal(record_open_dir(path, false, &err), -ENOENT);
	assert_int_equal(err.errnum, 0);
	assert_int_equal(tmpdir_count(dir), 0);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(record_open_dir(path, false, &err), -ENOENT);
	assert_int_equal(err.errnum, 0);

	for (int create = 1; create >= 0; create--) {
		fd = record_open_dir(path, create, &err);
		assert_true(fd >= 0);
		close(fd);
	}
	assert_int_equal(fchmodat(dir->fd, "state/attachments", 0777, 0), 0);
	assert_int_equal(record_open_dir(path, true, &err), -EPERM);
	assert_int_equal(fchmodat(dir->fd, "state", 0777, 0), 0);
	assert_int_equal(record_open_dir(path, false, &err), -EPERM);
}

static void the_boot_id_is_the_kernels(void **state)
{
	char a[BOOT_ID_LEN] = "", b[BOOT_ID_LEN] = "";

	(void)state;
	assert_int_equal(record_boot_id(a, NULL), 0);
	assert_int_equal(record_boot_id(b, NULL), 0);
	assert_int_equal(strlen(a), BOOT_ID_LEN - 1);
	assert_string_equal(a, b);
	assert_int_equal(strspn(a, "0123456789abcdef-"), BOOT_ID_LEN - 1);
}

int main(void)
{
#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, tmpdir_setup, tmpdir_teardown)
	const struct CMUnitTest tests[] = {
		WITH_DIR(what_is_written_is_read_again),
		WITH_DIR(the_form_on_disk_is_this),
		WITH_DIR(no_record_is_no_error),
		WITH_DIR(a_record_that_cannot_be_read_says_which),
		WITH_DIR(an_oversized_record_is_refused),
		WITH_DIR(a_copy_under_another_name_is_refused),
		WITH_DIR(a_link_or_fifo_is_no_record),
		WITH_DIR(a_walk_sees_records_and_nothing_else),
		WITH_DIR(removing_takes_what_a_dead_writer_left),
		WITH_DIR(the_directory_is_made_only_where_asked),
		cmocka_unit_test(the_boot_id_is_the_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
