/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Packets of a pod, and what is to become of each
 *
 * The pod has OWN as its MAC, 10.1.0.2 and fd00::2 as addresses, and may send for 10.7.0.0/16 and
 * 2001:db8:7::/48 as well.
 */
#include "bpf_lab.h"
#include "packet.h"

#define OWN 2
#define OTHER 9

struct packet_case {
	const char *name;
	enum verdict verdict;
	/*
	 * As many bytes show what it is; with fewer it is let through as cut. A foreign MAC shows
	 * in any packet.
	 */
	size_t needs;
	struct layer layers[14];
};

extern const struct packet_case packet_cases[];
extern const size_t n_packet_cases;

/* What becomes of the first @len bytes of it. */
enum verdict case_verdict(const struct packet_case *c, size_t len);

/* What becomes of any packet of the pod: the rules once more, read off the bytes one by one. */
enum verdict oracle_verdict(const struct packet *p);
