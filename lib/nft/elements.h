/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the kernel has in the sets of podwire's table. A set that isn't there is empty. */
#include "nft/prefixes.h"

struct nlsock;
struct pw_error;

/* 1 if @set holds exactly the bounds of @prefixes' @family, 0 if not. */
int elements_match(struct nlsock *sock, const char *set, int family,
		   const struct prefixes *prefixes, struct pw_error *err);
