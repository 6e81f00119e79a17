/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's configuration, podwire's network, and the names of the other networks. */
#include <dirent.h>
#include <fcntl.h>
#include <json-c/linkhash.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/utf8.h"
#include "install/conflist.h"
#include "json/jdec.h"
#include "json/jenc.h"
#include "report/report.h"

#define FILES_MAX 64 /* of a directory */

/* Names of domains and the like, which nothing can tell from other text. */
static void know_texts(struct report *report, struct json_object *v, bool secret)
{
	if (json_object_is_type(v, json_type_string) && secret)
		(void)redact_name(report->redact, REDACT_TEXT, json_object_get_string(v));
	if (json_object_is_type(v, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(v); i++)
			know_texts(report, json_object_array_get_idx(v, i), secret);
	}
	if (json_object_is_type(v, json_type_object)) {
		json_object_object_foreach(v, key, member) {
			know_texts(report, member,
				   strcmp(key, "domain") == 0 || strcmp(key, "search") == 0);
		}
	}
}

/* What is no JSON isn't told, since nothing can be found in it to be left out. */
static int add_json(struct report *report, int dirfd, const char *name, const char *what,
		    struct json_object *to)
{
	_cleanup_(closep) int fd = openat(dirfd, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	_cleanup_(freep) char *text = NULL;
	struct json_object *v = NULL;
	struct pw_error err = {};
	struct stat st;
	size_t len;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		if (fd >= 0 || errno != ENOENT)
			report_omit(report, "%s, which can't be opened", what);
		return 0;
	}
	r = file_read_fd(fd, what, REPORT_FILE_MAX, &text, &len, &err);
	if (r == 0)
		r = jdec_parse(text, len, what, &v, &err);
	if (r < 0) {
		report_omit(report, "%s: %s", what, err.msg);
		return r == -ENOMEM ? r : 0;
	}
	if (report->redact)
		know_texts(report, v, false);
	return jenc_add(to, what, v);
}

static int is_json(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && dot && strcmp(dot, ".json") == 0;
}

static int is_network(const struct dirent *entry)
{
	return conflist_is_name(entry->d_name);
}

struct names {
	struct dirent **v;
	int n;
};

static void names_done(struct names *all)
{
	for (int i = 0; i < all->n; i++)
		free(all->v[i]);
	free(all->v);
}

static void list(const char *path, int (*wanted)(const struct dirent *), struct names *ret)
{
	ret->n = scandir(path, &ret->v, wanted, alphasort);
	if (ret->n < 0)
		*ret = (struct names){};
}

/* agent.json, and agent.d beside it. */
static int add_agent(struct report *report, struct json_object *to)
{
	_cleanup_(names_done) struct names all = {};
	size_t len = strlen(report->config);
	char dir[PATH_MAX], path[PATH_MAX + NAME_MAX + 2];
	int r = add_json(report, AT_FDCWD, report->config, report->config, to);

	if (len > 5 && strcmp(report->config + len - 5, ".json") == 0)
		len -= 5;
	if ((size_t)snprintf(dir, sizeof(dir), "%.*s.d", (int)len, report->config) >= sizeof(dir))
		return r;
	list(dir, is_json, &all);
	for (int i = 0; r == 0 && i < all.n && i < FILES_MAX; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", dir, all.v[i]->d_name);
		r = add_json(report, AT_FDCWD, path, path, to);
	}
	if (all.n > FILES_MAX)
		report_omit(report, "%d of %d files of %s", all.n - FILES_MAX, all.n, dir);
	return r;
}

static int add_networks(struct report *report, struct json_object *to)
{
	struct json_object *names = json_object_new_array();
	_cleanup_(names_done) struct names all = {};
	char path[PATH_MAX];
	int r = 0;

	list(report->conf_dir, is_network, &all);
	for (int i = 0; i < all.n && i < FILES_MAX; i++) {
		char name[NAME_MAX + 1];

		utf8_copy(name, sizeof(name), all.v[i]->d_name);
		r |= jenc_append(names, json_object_new_string(name));
	}
	if (all.n > FILES_MAX)
		report_omit(report, "%d of %d networks", all.n - FILES_MAX, all.n);
	r |= jenc_add(to, "networks", names);
	if ((size_t)snprintf(path, sizeof(path), "%s/" CONFLIST_NAME, report->conf_dir) <
	    sizeof(path))
		r |= add_json(report, AT_FDCWD, path, path, to);
	return r;
}

struct json_object *report_files(struct report *report)
{
	struct json_object *v = json_object_new_object();
	int r = add_agent(report, v);

	r |= add_networks(report, v);
	if (r == 0)
		return v;
	json_object_put(v);
	return NULL;
}
