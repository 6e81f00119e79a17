/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The one place where tests can make a step of ADD or DEL fail, stop or be killed. What is shipped
 * has seam.c, which does nothing; the tests link another file in its place.
 */
struct pw_error;

enum seam_when {
	SEAM_BEFORE,
	SEAM_AFTER,
};

/* 0, or the failure that a test asked for. */
int seam(const char *step, enum seam_when when, struct pw_error *err);
