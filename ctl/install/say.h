/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What install and uninstall did, a line each as it happens, or one JSON document at the end. */
#include <json-c/json_object.h>
#include <stdbool.h>

struct say {
	bool json;
	bool changed;              /* something is not as it was before */
	struct json_object *steps; /* for JSON; owned */
};

void say_done(struct say *say);

/*
 * @what: "plugin", "conflist"; @done: "written", "kept", in JSON part of the interface. @fmt, which
 * may be NULL, is for people.
 */
void say(struct say *say, const char *what, const char *path, const char *done, const char *fmt,
	 ...) __attribute__((format(printf, 5, 6)));

/* Prints the document. */
void say_end(struct say *say);
