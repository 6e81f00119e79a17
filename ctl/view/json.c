/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/json.h"

#include <ctype.h>

#include "base/cleanup.h"
#include "base/utf8.h"
#include "view/text.h"

/* "HostInterface": "hostInterface". */
static int add(struct json_object *to, const char *name, struct json_object *v)
{
	char key[64];

	utf8_copy(key, sizeof(key), name);
	key[0] = (char)tolower(key[0]);
	return jenc_add(to, key, v);
}

static struct json_object *strings(const struct array *of)
{
	struct json_object *v = json_object_new_array();
	const char *const *texts = of->v;

	for (size_t i = 0; i < of->n; i++) {
		if (jenc_append(v, json_object_new_string(texts[i])) < 0) {
			json_object_put(v);
			return NULL;
		}
	}
	return v;
}

static struct json_object *numbers(const struct array *of)
{
	struct json_object *v = json_object_new_array();
	const uint32_t *values = of->v;

	for (size_t i = 0; i < of->n; i++) {
		if (jenc_append(v, json_object_new_int64(values[i])) < 0) {
			json_object_put(v);
			return NULL;
		}
	}
	return v;
}

static struct json_object *value_of(enum property_type type, const void *member)
{
	switch (type) {
	case PROPERTY_STRING:
		return json_object_new_string(*(const char *const *)member);
	case PROPERTY_INT:
		return json_object_new_int64(*(const int32_t *)member);
	case PROPERTY_UINT:
		return json_object_new_int64(*(const uint32_t *)member);
	case PROPERTY_COUNTER:
		return json_object_new_uint64(*(const uint64_t *)member);
	case PROPERTY_BOOL:
		return json_object_new_boolean(*(const bool *)member);
	case PROPERTY_STRINGS:
		return strings(member);
	case PROPERTY_UINTS:
		return numbers(member);
	case _PROPERTY_TYPE_MAX:
		break;
	}
	return NULL;
}

struct json_object *json_of_properties(const struct property *table, const void *object)
{
	struct json_object *v = json_object_new_object();

	for (const struct property *p = table; p->name; p++) {
		const void *member = (const char *)object + p->offset;

		if (add(v, p->name, value_of(p->type, member)) < 0) {
			json_object_put(v);
			return NULL;
		}
	}
	return v;
}

struct json_object *json_of_statistics(const struct agent_statistics *statistics)
{
	struct json_object *v = json_object_new_object();

	for (size_t i = 0; i < statistics->n; i++) {
		const struct agent_counter *c = &statistics->counters[i];

		/* a counter's name is its own, and not one of ours */
		if (jenc_add(v, c->name, json_object_new_uint64(c->value)) < 0) {
			json_object_put(v);
			return NULL;
		}
	}
	return v;
}

/* Only texts have such characters: json-c has escaped those below a blank itself. */
static void print_escaped(const char *s, FILE *f)
{
	while (*s) {
		size_t n = utf8_character(s);
		uint32_t c = n ? text_character(s, n) : 0xfffd;

		if (n && !text_is_hidden(c))
			(void)fwrite(s, 1, n, f);
		else if (c < 0x10000)
			(void)fprintf(f, "\\u%04x", c);
		else
			(void)fprintf(f, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
				      0xdc00 + ((c - 0x10000) & 0x3ff));
		s += n ? n : 1;
	}
	(void)fputc('\n', f);
}

int json_print(struct json_object *v, FILE *f, struct pw_error *err)
{
	const char *text = v ? jenc_text(v) : NULL;

	if (text)
		print_escaped(text, f);
	json_object_put(v);
	return text ? 0 : pw_oom(err);
}
