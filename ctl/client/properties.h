/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * D-Bus properties into the members of a struct, by a table
 *
 * The same table says what a property is called in JSON. What the table has not is passed over, and
 * what the answer has not stays as it was: an agent may be newer or older than its client.
 */
#include <stddef.h>
#include <systemd/sd-bus.h>

#include "base/array.h"
#include "base/error.h"

/* A D-Bus type, and the member's in C. Strings are borrowed from the message. */
enum property_type {
	PROPERTY_STRING,  /* s: const char * */
	PROPERTY_INT,     /* i: int32_t */
	PROPERTY_UINT,    /* u: uint32_t */
	PROPERTY_COUNTER, /* t: uint64_t */
	PROPERTY_BOOL,    /* b: bool */
	PROPERTY_STRINGS, /* as: struct array of const char * */
	PROPERTY_UINTS,   /* au: struct array of uint32_t */
	_PROPERTY_TYPE_MAX,
};

struct property {
	const char *name; /* NULL: the table's end */
	enum property_type type;
	size_t offset;
};

/* Strings that are missing are empty, not NULL. */
void properties_init(const struct property *table, void *object);
void properties_done(const struct property *table, void *object);

/*
 * Reads an a{sv} at @m's place into @object. @what is whose they are, for the message. -EBADMSG for
 * what isn't an a{sv}, or has a property of another type than the table's.
 */
int properties_read(sd_bus_message *m, const struct property *table, const char *what, void *object,
		    struct pw_error *err);
