/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/saved.h"

#include <json-c/linkhash.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/sysctl.h"
#include "json/jdec.h"

static bool ends_in(const char *key, const char *end)
{
	size_t n = strlen(key), m = strlen(end);

	return n >= m && strcmp(key + n - m, end) == 0;
}

/* What we set @key to; NULL: not a key of ours, whoever wrote it there. */
static const char *our_value(const char *key)
{
	if (strstr(key, ".."))
		return NULL;
	if (strcmp(key, "ipv4/ip_forward") == 0 || strcmp(key, "ipv6/conf/all/forwarding") == 0)
		return "1";
	if (strncmp(key, "ipv6/conf/", strlen("ipv6/conf/")) == 0 && ends_in(key, "/accept_ra"))
		return "2";
	return NULL;
}

static int restore_one(const char *key, struct json_object *old, struct pw_error *err)
{
	const char *ours = our_value(key);
	char now[64];
	int r;

	if (!ours || !json_object_is_type(old, json_type_string))
		return 0;
	r = sysctl_read(key, now, sizeof(now), err);
	if (r == -ENOENT) /* its device is gone */
		return 0;
	if (r < 0)
		return r;
	if (strcmp(now, ours) != 0) /* somebody else has set it since */
		return 0;
	r = sysctl_write(key, json_object_get_string(old), err);
	return r < 0 ? r : 1;
}

int saved_restore(int runtime_fd, void (*each)(const char *key, const char *value, void *arg),
		  void *arg, struct pw_error *err)
{
	_cleanup_(json_object_putp) struct json_object *saved = NULL;
	_cleanup_(freep) char *text = NULL;
	struct pw_error first = {};
	size_t len;
	int r;

	r = file_read_at(runtime_fd, SAVED_NAME, SAVED_MAX, &text, &len, err);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	if (len > 0 && jdec_parse(text, len, SAVED_NAME, &saved, NULL) == 0 &&
	    json_object_is_type(saved, json_type_object)) {
		json_object_object_foreach(saved, key, old) {
			struct pw_error one = {};

			r = restore_one(key, old, &one);
			if (r < 0)
				pw_gather(&first, &one);
			if (r > 0 && each)
				each(key, json_object_get_string(old), arg);
		}
	}
	if (first.errnum) {
		if (err)
			*err = first;
		return -first.errnum;
	}
	return file_remove_at(runtime_fd, SAVED_NAME, err);
}
