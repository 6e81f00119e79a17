/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/tally.h"

#include <stdio.h>

void tally_add(struct tally *tally, const char *name)
{
	const char **last;

	if (!*name)
		return;
	last = array_grow(&tally->names, sizeof(*last), 1);
	if (last)
		*last = name;
	else
		tally->failed = true;
}

void tally_done(struct tally *tally)
{
	array_done(&tally->names);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* How many are called as the one at @i, of those that are sorted. */
static size_t count(const struct tally *tally, size_t i)
{
	const char *const *names = tally->names.v;
	size_t n = 1;

	while (i + n < tally->names.n && strcmp(names[i], names[i + n]) == 0)
		n++;
	return n;
}

static const char *const *sorted(struct tally *tally)
{
	if (tally->names.n > 1)
		qsort(tally->names.v, tally->names.n, sizeof(const char *), by_name);
	return tally->names.v;
}

char *tally_text(struct tally *tally)
{
	const char *const *names = sorted(tally);
	char *text = NULL;
	size_t len;
	FILE *f = tally->failed ? NULL : open_memstream(&text, &len);

	if (!f)
		return NULL;
	for (size_t i = 0; i < tally->names.n; i += count(tally, i))
		(void)fprintf(f, "%s%zu %s", i > 0 ? ", " : "", count(tally, i), names[i]);
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

struct json_object *tally_json(struct tally *tally)
{
	const char *const *names = sorted(tally);
	struct json_object *v = tally->failed ? NULL : json_object_new_object();

	for (size_t i = 0; v && i < tally->names.n; i += count(tally, i)) {
		if (jenc_int(v, names[i], (int64_t)count(tally, i)) < 0) {
			json_object_put(v);
			return NULL;
		}
	}
	return v;
}
