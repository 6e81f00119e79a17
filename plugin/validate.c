/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "validate.h"

#include <fcntl.h>
#include <string.h>

#include "base/file.h"
#include "net/name.h"
#include "netconf.h"

#define CONFLIST_MAX (1u << 20) /* bytes */

static void print(const char *finding, void *arg)
{
	(void)fprintf(arg, "%s\n", finding);
}

static int check_version(struct json_object *v, const struct jdec_path *at, void *out,
			 struct jdec_sink *sink)
{
	char all[80];
	enum spec spec;
	const char *s;
	int r = jdec_string(v, at, &s, sink);

	(void)out;
	if (r == 0 && *s && spec_parse(s, &spec) < 0)
		return jdec_finding(sink, at, "\"%.40s\" is none of %s", s,
				    spec_list(all, sizeof(all)));
	return r;
}

static int check_name(struct json_object *v, const struct jdec_path *at, void *out,
		      struct jdec_sink *sink)
{
	const char *s;
	int r = jdec_string(v, at, &s, sink);

	(void)out;
	if (r == 0 && !name_is_cni(s))
		return jdec_finding(sink, at, "\"%.80s\" is not a valid network name", s);
	return r;
}

static int check_type(struct json_object *v, const struct jdec_path *at, void *out,
		      struct jdec_sink *sink)
{
	const char *s;
	int r = jdec_string(v, at, &s, sink);

	if (r == 0 && !name_is_plugin(s))
		return jdec_finding(sink, at, "\"%.100s\" is not the name of a plugin", s);
	if (r == 0)
		*(const char **)out = s;
	return r;
}

static const struct jdec_field plugin_fields[] = {
	{ "type", check_type, 0, JDEC_REQUIRED },
	{ 0 },
};

/* Ours in full; of others' plugins only that they can be looked for. */
static int check_plugin(struct json_object *v, const struct jdec_path *at, void *out,
			struct jdec_sink *sink)
{
	_cleanup_(netconf_done) struct netconf conf = { .options = OPTIONS_DEFAULT };
	bool *found = out;
	const char *type = "";
	int r;

	r = jdec_object(v, at, plugin_fields, &type, sink);
	if (strcmp(type, "podwire") != 0)
		return r;
	*found = true;
	return netconf_decode(v, at, &conf, sink) < 0 ? -EINVAL : r;
}

static int check_plugins(struct json_object *v, const struct jdec_path *at, void *out,
			 struct jdec_sink *sink)
{
	bool *found = out;
	int r = 0;

	if (!json_object_is_type(v, json_type_array))
		return jdec_wrong_type(sink, at, "an array", v);
	if (json_object_array_length(v) == 0)
		return jdec_finding(sink, at, "is empty");
	for (size_t i = 0; i < json_object_array_length(v); i++) {
		struct jdec_path here = { .up = at, .index = i };

		if (check_plugin(json_object_array_get_idx(v, i), &here, found, sink) < 0)
			r = -EINVAL;
	}
	if (r == 0 && !*found)
		return jdec_finding(sink, at, "none of them is of type podwire");
	return r;
}

static const struct jdec_field list_fields[] = {
	{ "cniVersion", check_version, 0, 0 },
	{ "name", check_name, 0, JDEC_REQUIRED },
	{ "disableCheck", jdec_bool, 0, 0 },
	{ "plugins", check_plugins, 0, JDEC_REQUIRED },
	{ 0 },
};

static const struct jdec_field single_fields[] = {
	{ "cniVersion", check_version, 0, 0 },
	{ "name", check_name, 0, JDEC_REQUIRED },
	{ 0 },
};

int validate_text(const char *text, size_t len, FILE *out, struct pw_error *err)
{
	_cleanup_(json_object_putp) struct json_object *v = NULL;
	struct jdec_sink sink = { .each = print, .arg = out };
	bool found = false;
	int r;

	r = jdec_parse(text, len, "config", &v, err);
	if (r < 0)
		return r;
	if (jdec_member(v, "type") && !jdec_member(v, "plugins")) {
		(void)jdec_object(v, NULL, single_fields, &found, &sink);
		(void)check_plugin(v, NULL, &found, &sink);
	} else {
		(void)jdec_object(v, NULL, list_fields, &found, &sink);
	}
	return (int)sink.count;
}

int validate_file(const char *path, FILE *out, struct pw_error *err)
{
	_cleanup_(closep) int fd = -EBADF;
	_cleanup_(freep) char *text = NULL;
	size_t len;
	int r;

	/* the operator's own path: links and pipes are as good as files here */
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return pw_fail(err, errno, PW_E_IO, "cannot open %s: %m", path);
	r = file_read_fd(fd, path, CONFLIST_MAX, &text, &len, err);
	if (r == 0)
		r = validate_text(text, len, out, err);
	return r;
}
