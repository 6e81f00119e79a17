/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record of an attachment, which is read from disk.
 *
 * The host end's name is a hash that no fuzzer finds, so each input is tried with the right one as
 * well. Held to: what was read and is written reads the same.
 */
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "fuzz.h"
#include "json/jenc.h"
#include "net/name.h"
#include "store/record.h"

static int directory_fd;

static char *file_of(const struct record *rec)
{
	char name[64], *text;
	size_t len;

	snprintf(name, sizeof(name), "%s.json", rec->host_ifname);
	require(file_read_at(directory_fd, name, 1u << 20, &text, &len, NULL) == 0);
	return text;
}

static void require_same_name(const char *a, const char *b)
{
	/* an empty one isn't written */
	require(strcmp(a ? a : "", b ? b : "") == 0);
}

static void require_same(const struct record *a, const struct record *b)
{
	require(a->state == b->state && a->ip_masq == b->ip_masq);
	require(strcmp(a->boot_id, b->boot_id) == 0);
	require(strcmp(a->config_digest, b->config_digest) == 0);
	require(strcmp(a->id.network, b->id.network) == 0);
	require(strcmp(a->id.container_id, b->id.container_id) == 0);
	require(strcmp(a->id.ifname, b->id.ifname) == 0);
	require_same_name(a->netns, b->netns);
	require_same_name(a->pod_namespace, b->pod_namespace);
	require_same_name(a->pod_name, b->pod_name);
	require_same_name(a->pod_uid, b->pod_uid);
	require(mac_equal(&a->pod_mac, &b->pod_mac) && mac_equal(&a->host_mac, &b->host_mac));
	require(a->addresses.n == b->addresses.n);
	for (size_t i = 0; i < a->addresses.n; i++)
		require(cidr_equal((const struct cidr *)a->addresses.v + i,
				   (const struct cidr *)b->addresses.v + i));
	require(a->options.fast_path == b->options.fast_path);
	require(a->options.queues == b->options.queues && a->options.mtu == b->options.mtu);
}

static void require_round_trip(const struct record *rec)
{
	_cleanup_(record_done) struct record back = {};
	_cleanup_(freep) char *first = NULL, *second = NULL;
	struct pw_error err = {};
	int r;

	require(record_write(directory_fd, rec, NULL) == 0);
	first = file_of(rec);
	r = record_read(directory_fd, rec->host_ifname, &back, &err);
	if (r < 0) /* only what is too large to be read comes from no writer of ours */
		require(r == -EFBIG);
	if (r == 1) {
		require_same(rec, &back);
		require(record_write(directory_fd, &back, NULL) == 0);
		second = file_of(&back);
		require(strcmp(first, second) == 0);
	}
	require(record_remove(directory_fd, rec->host_ifname, NULL) == 0);
}

static void try_text(const char *text, size_t len)
{
	_cleanup_(record_done) struct record rec = {};
	struct pw_error err = {};
	int r = record_decode(text, len, &rec, &err);

	if (r < 0) {
		require_error(&err, r);
		require(!rec.root);
		return;
	}
	require(name_is_cni(rec.id.network) && name_is_cni(rec.id.container_id));
	require(name_is_ifname(rec.id.ifname) && name_is_ifname(rec.host_ifname));
	require_round_trip(&rec);
}

static const char *string_of(struct json_object *v, const char *key)
{
	struct json_object *m = jdec_member(v, key);

	return json_object_is_type(m, json_type_string) ? json_object_get_string(m) : "";
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	directory_fd = fuzz_directory();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(json_object_putp) struct json_object *v = NULL;
	char host_ifname[HOST_IFNAME_LEN];
	struct attachment id;
	const char *text;

	try_text((const char *)data, size);
	if (jdec_parse((const char *)data, size, "", &v, NULL) < 0 ||
	    !json_object_is_type(v, json_type_object))
		return 0;
	id = (struct attachment){ string_of(v, "network"), string_of(v, "containerId"),
				  string_of(v, "ifname") };
	attachment_host_ifname(&id, host_ifname);
	require(jenc_string(v, "hostIfname", host_ifname) == 0);
	text = jenc_text(v);
	require(text);
	try_text(text, strlen(text));
	return 0;
}
