/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <json-c/linkhash.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "json/jdec.h"
#include "json/jenc.h"

/* The JSON parser's own check is one that we didn't write. */
static void require_line(const char *s)
{
	_cleanup_(json_object_putp) struct json_object *text = json_object_new_string(s);
	_cleanup_(json_object_putp) struct json_object *back = NULL;
	const char *json = jenc_text(text);

	for (const char *c = s; *c; c++)
		require((unsigned char)*c >= ' ' && *c != 0x7f);
	require(jdec_parse(json, strlen(json), "message", &back, NULL) == 0);
	require(strcmp(json_object_get_string(back), s) == 0);
}

void require_error(const struct pw_error *err, int r)
{
	require(r < 0 && r == -err->errnum);
	require(err->code != PW_E_NONE);
	require(err->msg[0] != '\0');
	require_line(err->msg);
	require_line(err->details);
}

char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	require(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

static struct json_object *reverse_list(struct json_object *v)
{
	struct json_object *ret = json_object_new_array();

	require(ret);
	for (size_t i = 0; i < json_object_array_length(v); i++)
		require(json_object_array_add(ret, fuzz_reverse(json_object_array_get_idx(v, i))) ==
			0);
	return ret;
}

static struct json_object *reverse_object(struct json_object *v)
{
	struct json_object *ret = json_object_new_object();
	const char **keys = calloc((size_t)json_object_object_length(v) + 1, sizeof(*keys));
	size_t n = 0;

	require(ret && keys);
	json_object_object_foreach(v, key, member) {
		(void)member;
		keys[n++] = key;
	}
	while (n-- > 0) {
		struct json_object *at = NULL;

		json_object_object_get_ex(v, keys[n], &at);
		require(json_object_object_add(ret, keys[n], fuzz_reverse(at)) == 0);
	}
	free(keys);
	return ret;
}

struct json_object *fuzz_reverse(struct json_object *v)
{
	if (json_object_is_type(v, json_type_object))
		return reverse_object(v);
	if (json_object_is_type(v, json_type_array))
		return reverse_list(v);
	return json_object_get(v);
}

static char directory[PATH_MAX];

static void remove_directory(void)
{
	DIR *dir = opendir(directory);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		(void)unlinkat(dirfd(dir), e->d_name, 0);
	if (dir)
		closedir(dir);
	(void)rmdir(directory);
}

int fuzz_directory(void)
{
	const char *base = getenv("TMPDIR");
	int fd;

	snprintf(directory, sizeof(directory), "%s/pw-fuzz-XXXXXX", base ? base : "/tmp");
	require(mkdtemp(directory));
	require(atexit(remove_directory) == 0);
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	require(fd >= 0);
	return fd;
}
