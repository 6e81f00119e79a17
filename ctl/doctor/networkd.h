/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A .network file, as far as it says whether it is for pods' interfaces. Pure. */
#include <stdbool.h>

struct networkd_match {
	bool any;       /* there is a condition at all */
	bool fails;     /* some condition isn't met by a pod's interface */
	bool unmanaged; /* the file says that its interfaces are to be left alone */
};

/* Adds what @text says, which it writes to: a file, or a drop-in of it. */
void networkd_read(char *text, struct networkd_match *m);
