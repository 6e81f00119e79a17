/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/properties.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

static const char *const signatures[_PROPERTY_TYPE_MAX] = {
	[PROPERTY_STRING] = "s",  [PROPERTY_INT] = "i",  [PROPERTY_UINT] = "u",
	[PROPERTY_COUNTER] = "t", [PROPERTY_BOOL] = "b", [PROPERTY_STRINGS] = "as",
	[PROPERTY_UINTS] = "au",
};

static void *member(const struct property *p, void *object)
{
	return (char *)object + p->offset;
}

void properties_init(const struct property *table, void *object)
{
	for (const struct property *p = table; p->name; p++) {
		if (p->type == PROPERTY_STRING)
			*(const char **)member(p, object) = "";
	}
}

void properties_done(const struct property *table, void *object)
{
	for (const struct property *p = table; p->name; p++) {
		if (p->type == PROPERTY_STRINGS || p->type == PROPERTY_UINTS)
			array_done(member(p, object));
	}
}

static const struct property *find(const struct property *table, const char *name)
{
	for (const struct property *p = table; p->name; p++) {
		if (strcmp(p->name, name) == 0)
			return p;
	}
	return NULL;
}

/* The whole of an array at once, as it isn't known how long it is. */
static int read_array(sd_bus_message *m, char type, size_t size, struct array *ret)
{
	struct array a = {};
	int r = sd_bus_message_enter_container(m, 'a', (const char[]){ type, '\0' });

	while (r > 0) {
		union {
			const char *s;
			uint32_t u;
		} value;
		void *last;

		r = sd_bus_message_read_basic(m, type, &value);
		if (r <= 0)
			break;
		last = array_grow(&a, size, 1);
		if (last)
			memcpy(last, &value, size);
		else
			r = -ENOMEM;
	}
	if (r >= 0)
		r = sd_bus_message_exit_container(m);
	if (r < 0) {
		array_done(&a);
		return r;
	}
	array_done(ret); /* of a property that came twice */
	*ret = a;
	return 0;
}

static int read_bool(sd_bus_message *m, bool *ret)
{
	int value, r = sd_bus_message_read_basic(m, 'b', &value);

	if (r >= 0)
		*ret = value;
	return r;
}

static int read_value(sd_bus_message *m, const struct property *p, void *to)
{
	switch (p->type) {
	case PROPERTY_STRING:
	case PROPERTY_INT:
	case PROPERTY_UINT:
	case PROPERTY_COUNTER:
		return sd_bus_message_read_basic(m, signatures[p->type][0], to);
	case PROPERTY_BOOL:
		return read_bool(m, to);
	case PROPERTY_STRINGS:
		return read_array(m, 's', sizeof(const char *), to);
	case PROPERTY_UINTS:
		return read_array(m, 'u', sizeof(uint32_t), to);
	case _PROPERTY_TYPE_MAX:
		break;
	}
	return -EINVAL;
}

/* Between the braces of a "{sv}". */
static int read_entry(sd_bus_message *m, const struct property *table, const char *what,
		      void *object, struct pw_error *err)
{
	const struct property *p;
	const char *name, *contents;
	int r = sd_bus_message_read_basic(m, 's', &name);

	if (r < 0)
		return r;
	p = find(table, name);
	if (!p)
		return sd_bus_message_skip(m, "v");
	r = sd_bus_message_peek_type(m, NULL, &contents);
	if (r < 0)
		return r;
	if (strcmp(contents, signatures[p->type]) != 0)
		return pw_fail(err, EBADMSG, PW_E_DECODE,
			       "%s: %s is of the type \"%.32s\", not \"%s\"", what, name, contents,
			       signatures[p->type]);
	r = sd_bus_message_enter_container(m, 'v', contents);
	if (r >= 0)
		r = read_value(m, p, member(p, object));
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

int properties_read(sd_bus_message *m, const struct property *table, const char *what, void *object,
		    struct pw_error *err)
{
	struct pw_error cause = {};
	int r = sd_bus_message_enter_container(m, 'a', "{sv}");

	while (r >= 0) {
		r = sd_bus_message_enter_container(m, 'e', "sv");
		if (r <= 0)
			break;
		r = read_entry(m, table, what, object, &cause);
		if (r >= 0)
			r = sd_bus_message_exit_container(m);
	}
	if (r >= 0)
		r = sd_bus_message_exit_container(m);
	if (r >= 0)
		return 0;
	if (cause.errnum == 0)
		pw_fail(&cause, r == -ENOMEM ? ENOMEM : EBADMSG, PW_E_DECODE,
			"%s: these aren't properties: %m", what);
	return pw_gather(err, &cause);
}
