/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * JSON into structs
 *
 * A table of fields describes an object; one loop checks types and what is required. Each fault is
 * a finding with the JSON path of the key, and decoding goes on, so that all are found at once; the
 * caller who wants an error takes the first. Strings stay the tree's: they are borrowed.
 *
 * json-c coerces: its getters turn "12" and true into 12. Every decoder asks for the type first.
 * A key whose value is null counts as absent, as in the reference library.
 */
#include <json-c/json_object.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/error.h"

DEFINE_CLEANUP(struct json_object *, json_object_put);

/* Where we are: lives on the stack of the walk and costs nothing until something is wrong. */
struct jdec_path {
	const struct jdec_path *up;
	const char *key; /* NULL: an array element, @index */
	size_t index;
};

/* Takes findings. Zeroed, it keeps the first one only. */
struct jdec_sink {
	struct pw_error first;
	size_t count;
	void (*each)(const char *finding, void *arg); /* may be NULL */
	void *arg;
};

/* Decodes @v to @out; returns 0, or -EINVAL after at least one finding. */
typedef int (*jdec_fn)(struct json_object *v, const struct jdec_path *at, void *out,
		       struct jdec_sink *sink);

enum {
	JDEC_REQUIRED = 1 << 0,
};

struct jdec_field {
	const char *key;
	jdec_fn decode;
	size_t offset; /* of the destination in the struct */
	unsigned int flags;
};

/*
 * Parses @len bytes as one JSON text: strict, valid UTF-8, nothing behind it, nesting bounded.
 * -EINVAL with code PW_E_DECODE and the byte where it ends to be JSON. @what names the text.
 */
int jdec_parse(const char *text, size_t len, const char *what, struct json_object **ret,
	       struct pw_error *err);

/* Adds a finding "PATH: text" and returns -EINVAL. */
int jdec_finding(struct jdec_sink *sink, const struct jdec_path *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The finding "expected WHAT, got a string". */
int jdec_wrong_type(struct jdec_sink *sink, const struct jdec_path *at, const char *want,
		    struct json_object *v);

/* @v must be an object. The table ends with a NULL key; keys not in it are ignored. */
int jdec_object(struct json_object *v, const struct jdec_path *at, const struct jdec_field *fields,
		void *out, struct jdec_sink *sink);

/* Member @key, or NULL where it is absent or null; @v may be NULL or of any type. */
struct json_object *jdec_member(struct json_object *v, const char *key);

/* Decodes each element into an array of elements of @size bytes. On failure @out is untouched. */
int jdec_each(struct json_object *v, const struct jdec_path *at, size_t size, jdec_fn element,
	      struct array *out, struct jdec_sink *sink);

int jdec_bool(struct json_object *v, const struct jdec_path *at, void *out /* bool */,
	      struct jdec_sink *sink);
int jdec_u32(struct json_object *v, const struct jdec_path *at, void *out /* uint32_t */,
	     struct jdec_sink *sink);
/* A borrowed string without NUL bytes. */
int jdec_string(struct json_object *v, const struct jdec_path *at, void *out /* const char * */,
		struct jdec_sink *sink);
/* Any value, borrowed. */
int jdec_any(struct json_object *v, const struct jdec_path *at, void *out /* json_object * */,
	     struct jdec_sink *sink);
int jdec_ipaddr(struct json_object *v, const struct jdec_path *at, void *out /* ipaddr */,
		struct jdec_sink *sink);
int jdec_cidr(struct json_object *v, const struct jdec_path *at, void *out /* cidr */,
	      struct jdec_sink *sink);
int jdec_cidr_or_host(struct json_object *v, const struct jdec_path *at, void *out /* cidr */,
		      struct jdec_sink *sink);
int jdec_mac(struct json_object *v, const struct jdec_path *at, void *out /* mac */,
	     struct jdec_sink *sink);
/* Index of the string in @names (NULL-terminated), or a finding that lists them. */
int jdec_choice(struct json_object *v, const struct jdec_path *at, const char *const *names,
		unsigned int *out, struct jdec_sink *sink);
