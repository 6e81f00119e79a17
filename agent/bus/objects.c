/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus/objects.h"

#include <assert.h>
#include <string.h>

/* Where @path is, or would have to be. */
static size_t position(const struct objects *objects, const char *path)
{
	size_t low = 0, high = objects->of.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(objects_at(objects, middle)->path, path) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t objects_count(const struct objects *objects)
{
	return objects->of.n;
}

struct object *objects_at(const struct objects *objects, size_t i)
{
	struct object **v = objects->of.v;

	return v[i];
}

struct object *objects_find(const struct objects *objects, const char *path)
{
	size_t i = position(objects, path);

	if (i == objects->of.n || strcmp(objects_at(objects, i)->path, path) != 0)
		return NULL;
	return objects_at(objects, i);
}

int objects_add(struct objects *objects, struct object *object)
{
	size_t i = position(objects, object->path), behind = objects->of.n - i;
	struct object **v;

	if (!array_grow(&objects->of, sizeof(struct object *), 1))
		return -ENOMEM;
	v = objects->of.v;
	memmove(&v[i + 1], &v[i], behind * sizeof(struct object *));
	v[i] = object;
	return 0;
}

void objects_remove(struct objects *objects, const char *path)
{
	struct object **v = objects->of.v;
	size_t i = position(objects, path);

	if (!objects_find(objects, path))
		return;
	object_free(v[i]);
	objects->of.n--;
	memmove(&v[i], &v[i + 1], (objects->of.n - i) * sizeof(struct object *));
}

void objects_done(struct objects *objects)
{
	for (size_t i = 0; i < objects->of.n; i++)
		object_free(objects_at(objects, i));
	array_done(&objects->of);
}

struct object *object_new(struct bus *bus, const struct object_kind *kind, const struct port *port)
{
	_cleanup_(object_freep) struct object *object = calloc(1, sizeof(*object));

	if (!object)
		return NULL;
	object->bus = bus;
	object->kind = kind;
	memcpy(object->ifname, port->ifname, sizeof(object->ifname));
	object->path = kind->path(kind->prefix, port->ifname);
	return object->path && kind->look(port, &object->view) >= 0 ? take_ptr(object) : NULL;
}

struct object *object_free(struct object *object)
{
	if (object) {
		view_done(&object->view);
		free(object->path);
		free(object);
	}
	return NULL;
}

static bool same_list(char *const *a, char *const *b)
{
	for (; *a && *b; a++, b++) {
		if (strcmp(*a, *b) != 0)
			return false;
	}
	return !*a && !*b;
}

/* The members of a view that properties are made of: by their D-Bus type. */
static bool same(const char *type, const void *a, const void *b)
{
	if (strcmp(type, "s") == 0)
		return strcmp(*(const char *const *)a, *(const char *const *)b) == 0;
	if (strcmp(type, "as") == 0)
		return same_list(*(char **const *)a, *(char **const *)b);
	assert(strcmp(type, "i") == 0 || strcmp(type, "b") == 0);
	return *(const int32_t *)a == *(const int32_t *)b;
}

/* The vtable is the list of properties, so that none is forgotten here. */
size_t object_changes(const struct object_kind *kind, const struct view *a, const struct view *b,
		      char *names[OBJECT_PROPERTIES_MAX])
{
	size_t n = 0;

	for (const sd_bus_vtable *v = kind->vtable; v->type != _SD_BUS_VTABLE_END; v++) {
		size_t at;

		if (v->type != _SD_BUS_VTABLE_PROPERTY)
			continue;
		at = v->x.property.offset - offsetof(struct object, view);
		if (same(v->x.property.signature, (const char *)a + at, (const char *)b + at))
			continue;
		assert(n < OBJECT_PROPERTIES_MAX - 1);
		names[n++] = (char *)v->x.property.member; /* sd-bus only reads it */
	}
	names[n] = NULL;
	return n;
}
