/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/record.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "json/jenc.h"
#include "net/name.h"

#define RECORD_MAX (64u << 10) /* bytes of a record */

static const char *const state_names[] = { "adding", "ready", NULL };

DEFINE_CLEANUP(DIR *, closedir);

void record_done(struct record *rec)
{
	array_done(&rec->addresses);
	array_done(&rec->masq_exclude);
	options_done(&rec->options);
	json_object_put(rec->root);
	*rec = (struct record){};
}

int record_open_dir(const char *state_dir, bool create, struct pw_error *err)
{
	_cleanup_(closep) int dir = -EBADF;

	/* a link that leads nowhere isn't nothing */
	if (!create && faccessat(AT_FDCWD, state_dir, F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
	    errno == ENOENT)
		return -ENOENT;
	dir = file_open_dir(state_dir, create, err);
	if (dir < 0)
		return dir;
	if (!create && faccessat(dir, "attachments", F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
	    errno == ENOENT)
		return -ENOENT;
	return file_open_subdir(dir, "attachments", create, err);
}

static int decode_state(struct json_object *v, const struct jdec_path *at, void *out,
			struct jdec_sink *sink)
{
	unsigned int choice;
	int r = jdec_choice(v, at, state_names, &choice, sink);

	if (r == 0)
		*(enum record_state *)out = (enum record_state)choice;
	return r;
}

static int decode_cidrs(struct json_object *v, const struct jdec_path *at, void *out,
			struct jdec_sink *sink)
{
	return jdec_each(v, at, sizeof(struct cidr), jdec_cidr, out, sink);
}

static int decode_options(struct json_object *v, const struct jdec_path *at, void *out,
			  struct jdec_sink *sink)
{
	return options_decode(v, at, out, sink);
}

static int decode_name(struct json_object *v, const struct jdec_path *at, void *out,
		       struct jdec_sink *sink)
{
	const char *s;
	int r = jdec_string(v, at, &s, sink);

	if (r < 0)
		return r;
	if (!name_is_cni(s))
		return jdec_finding(sink, at, "\"%s\" is not a valid name", s);
	*(const char **)out = s;
	return 0;
}

static int decode_ifname(struct json_object *v, const struct jdec_path *at, void *out,
			 struct jdec_sink *sink)
{
	const char *s;
	int r = jdec_string(v, at, &s, sink);

	if (r < 0)
		return r;
	if (!name_is_ifname(s))
		return jdec_finding(sink, at, "\"%s\" is not an interface name", s);
	*(const char **)out = s;
	return 0;
}

#define FIELD(member) offsetof(struct record, member)
static const struct jdec_field record_fields[] = {
	{ "version", jdec_u32, FIELD(version), JDEC_REQUIRED },
	{ "state", decode_state, FIELD(state), JDEC_REQUIRED },
	{ "bootId", jdec_string, FIELD(boot_id), JDEC_REQUIRED },
	{ "configDigest", jdec_string, FIELD(config_digest), JDEC_REQUIRED },
	{ "network", decode_name, FIELD(id.network), JDEC_REQUIRED },
	{ "containerId", decode_name, FIELD(id.container_id), JDEC_REQUIRED },
	{ "ifname", decode_ifname, FIELD(id.ifname), JDEC_REQUIRED },
	{ "netns", jdec_string, FIELD(netns), 0 },
	{ "hostIfname", decode_ifname, FIELD(host_ifname), JDEC_REQUIRED },
	{ "podNamespace", jdec_string, FIELD(pod_namespace), 0 },
	{ "podName", jdec_string, FIELD(pod_name), 0 },
	{ "podUid", jdec_string, FIELD(pod_uid), 0 },
	{ "mac", jdec_mac, FIELD(pod_mac), JDEC_REQUIRED },
	{ "hostMac", jdec_mac, FIELD(host_mac), JDEC_REQUIRED },
	{ "addresses", decode_cidrs, FIELD(addresses), 0 },
	{ "ipMasq", jdec_bool, FIELD(ip_masq), 0 },
	{ "masqExclude", decode_cidrs, FIELD(masq_exclude), 0 },
	{ "options", decode_options, FIELD(options), 0 },
	{ 0 },
};
#undef FIELD

int record_decode(const char *text, size_t len, struct record *ret, struct pw_error *err)
{
	_cleanup_(record_done) struct record rec = { .options = OPTIONS_DEFAULT };
	char expected[HOST_IFNAME_LEN];
	struct jdec_sink sink = {};
	struct json_object *v;
	int r;

	r = jdec_parse(text, len, "record", &rec.root, err);
	if (r < 0)
		return r;

	/* the version first: a newer record may well have other fields */
	v = jdec_member(rec.root, "version");
	if (json_object_is_type(v, json_type_int) && json_object_get_int64(v) > RECORD_VERSION)
		return pw_fail(err, EPROTONOSUPPORT, PW_E_DECODE,
			       "record is of version %d, newer than %d",
			       (int)json_object_get_int(v), RECORD_VERSION);

	if (jdec_object(rec.root, NULL, record_fields, &rec, &sink) < 0) {
		if (err)
			*err = sink.first;
		return -EINVAL;
	}
	attachment_host_ifname(&rec.id, expected);
	if (strcmp(expected, rec.host_ifname) != 0)
		return pw_fail(err, EINVAL, PW_E_CONFIG,
			       "hostIfname: %s is not the name of this attachment, %s",
			       rec.host_ifname, expected);
	*ret = rec;
	rec = (struct record){};
	return 0;
}

static struct json_object *encode_cidrs(const struct array *a)
{
	struct json_object *list = json_object_new_array();
	const struct cidr *c = a->v;

	for (size_t i = 0; i < a->n; i++) {
		if (jenc_append(list, json_object_new_string(CIDR_STR(&c[i]))) < 0) {
			json_object_put(list);
			return NULL;
		}
	}
	return list;
}

static struct json_object *encode(const struct record *rec)
{
	_cleanup_(json_object_putp) struct json_object *v = json_object_new_object();
	int r = 0;

	r |= jenc_int(v, "version", RECORD_VERSION);
	r |= jenc_string(v, "state", state_names[rec->state]);
	r |= jenc_string(v, "bootId", rec->boot_id);
	r |= jenc_string(v, "configDigest", rec->config_digest);
	r |= jenc_string(v, "network", rec->id.network);
	r |= jenc_string(v, "containerId", rec->id.container_id);
	r |= jenc_string(v, "ifname", rec->id.ifname);
	r |= jenc_string_opt(v, "netns", rec->netns);
	r |= jenc_string(v, "hostIfname", rec->host_ifname);
	r |= jenc_string_opt(v, "podNamespace", rec->pod_namespace);
	r |= jenc_string_opt(v, "podName", rec->pod_name);
	r |= jenc_string_opt(v, "podUid", rec->pod_uid);
	r |= jenc_string(v, "mac", MAC_STR(&rec->pod_mac));
	r |= jenc_string(v, "hostMac", MAC_STR(&rec->host_mac));
	r |= jenc_add(v, "addresses", encode_cidrs(&rec->addresses));
	r |= jenc_bool(v, "ipMasq", rec->ip_masq);
	if (rec->ip_masq)
		r |= jenc_add(v, "masqExclude", encode_cidrs(&rec->masq_exclude));
	r |= jenc_add(v, "options", options_encode(&rec->options));
	return r < 0 ? NULL : take_ptr(v);
}

static void file_name(const char *host_ifname, char buf[NAME_MAX + 1])
{
	snprintf(buf, NAME_MAX + 1, "%s.json", host_ifname);
}

int record_prepare(int dirfd, const struct record *rec, struct pw_error *err)
{
	_cleanup_(json_object_putp) struct json_object *v = encode(rec);
	char name[NAME_MAX + 1];
	const char *text;

	text = v ? jenc_text(v) : NULL;
	if (!text)
		return pw_oom(err);
	file_name(rec->host_ifname, name);
	return file_prepare_at(dirfd, name, text, strlen(text), 0644, err);
}

int record_commit(int dirfd, const char *host_ifname, struct pw_error *err)
{
	char name[NAME_MAX + 1];

	file_name(host_ifname, name);
	return file_commit_at(dirfd, name, err);
}

int record_write(int dirfd, const struct record *rec, struct pw_error *err)
{
	int r = record_prepare(dirfd, rec, err);

	return r < 0 ? r : record_commit(dirfd, rec->host_ifname, err);
}

int record_read(int dirfd, const char *host_ifname, struct record *ret, struct pw_error *err)
{
	_cleanup_(record_done) struct record rec = {};
	_cleanup_(freep) char *text = NULL;
	char name[NAME_MAX + 1];
	size_t len;
	int r;

	file_name(host_ifname, name);
	r = file_read_at(dirfd, name, RECORD_MAX, &text, &len, err);
	if (r == -ENOENT)
		return 0;
	if (r == 0)
		r = record_decode(text, len, &rec, err);
	if (r == 0 && strcmp(rec.host_ifname, host_ifname) != 0)
		r = pw_fail(err, EINVAL, PW_E_CONFIG, "is the one of %s", rec.host_ifname);
	if (r < 0)
		return err ? pw_context(err, "record %s", host_ifname) : r;
	*ret = rec;
	rec = (struct record){};
	return 1;
}

int record_remove(int dirfd, const char *host_ifname, struct pw_error *err)
{
	char name[NAME_MAX + 1];

	file_name(host_ifname, name);
	return file_remove_at(dirfd, name, err);
}

/* "vethpw0123abcde.json" -> "vethpw0123abcde"; other files in there aren't records. */
static bool is_record(const char *file, char host_ifname[HOST_IFNAME_LEN])
{
	size_t len = strlen(file);

	if (len != HOST_IFNAME_LEN - 1 + strlen(".json") ||
	    strcmp(file + HOST_IFNAME_LEN - 1, ".json") != 0 || !attachment_is_host_ifname(file))
		return false;
	memcpy(host_ifname, file, HOST_IFNAME_LEN - 1);
	host_ifname[HOST_IFNAME_LEN - 1] = '\0';
	return true;
}

static int read_one(int dirfd, const char *host_ifname, record_each_t each, void *arg)
{
	_cleanup_(record_done) struct record rec = {};
	struct pw_error why = {};
	int r;

	r = record_read(dirfd, host_ifname, &rec, &why);
	if (r == 0)
		return 0; /* gone in the meantime */
	return each(host_ifname, r < 0 ? NULL : &rec, r < 0 ? &why : NULL, arg);
}

int record_each(int dirfd, record_each_t each, void *arg, struct pw_error *err)
{
	_cleanup_(closedirp) DIR *dir = NULL;
	_cleanup_(closep) int fd = -EBADF;
	char host_ifname[HOST_IFNAME_LEN];
	struct dirent *e;
	int r;

	fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		dir = fdopendir(fd);
	if (!dir)
		return pw_fail(err, errno, PW_E_IO, "cannot list records: %m");
	take_fd(fd); /* the stream's now */

	for (errno = 0; (e = readdir(dir)); errno = 0) {
		if (!is_record(e->d_name, host_ifname))
			continue;
		r = read_one(dirfd, host_ifname, each, arg);
		if (r < 0)
			return r;
	}
	if (errno)
		return pw_fail(err, errno, PW_E_IO, "cannot list records: %m");
	return 0;
}

int record_boot_id(char ret[BOOT_ID_LEN], struct pw_error *err)
{
	_cleanup_(freep) char *text = NULL;
	size_t len;
	int r;

	r = file_read_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id", 4096, &text, &len, err);
	if (r < 0)
		return r;
	text[strcspn(text, "\n")] = '\0';
	if (strlen(text) != BOOT_ID_LEN - 1)
		return pw_fail(err, EINVAL, PW_E_IO, "the kernel's boot id is malformed");
	memcpy(ret, text, BOOT_ID_LEN);
	return 0;
}
