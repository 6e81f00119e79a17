/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The programs in the kernel, run on packets of the test's own
 *
 * lo of the test's network namespace is the device: it has slot LAB_SLOT, which is the pod's that
 * cases.h tells of, with every check on. A test changes `port` and calls lab_put_port().
 */
#include "test.h"

#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <stdint.h>

#include "packet.h"
#include "podwire_bpf.skel.h"
#include "pw_abi.h"

#define LAB_SLOT 7
#define LAB_IFINDEX 1

enum verdict {
	PASSED,
	UNPARSED,
	SPOOFED,
	NO_SLOT,
};

/* What a program has counted: of one slot and direction, and besides. */
struct lab_counts {
	uint64_t packets, bytes, spoofed, unparsed, no_slot;
};

struct bpf_lab {
	struct podwire_bpf *skel;
	struct pw_port port;
	struct __sk_buff skb; /* what packets come with */
};

/* Isolates the process and loads the programs: 0, or TEST_SKIP and a reason on stdout. */
int bpf_lab_open(struct bpf_lab *lab);
void bpf_lab_close(struct bpf_lab *lab);

/* For each test: the lab as it was at first, with nothing counted. */
int bpf_lab_setup(void **state);
/* Runs @tests with an open lab for the state: an exit status. */
#define bpf_lab_run(tests) bpf_lab_run_tests(tests, TEST_COUNT(tests))
int bpf_lab_run_tests(const struct CMUnitTest *tests, size_t n);

void lab_put_port(struct bpf_lab *lab);
/* Packets of @ifindex belong to @slot, or to none. */
void lab_put_slot(struct bpf_lab *lab, uint32_t ifindex, uint32_t slot);
void lab_remove_slot(struct bpf_lab *lab, uint32_t ifindex);
/* @bits of @address (text): as long as the IPv6 form, so 96 and more for IPv4. */
void lab_put_source(struct bpf_lab *lab, uint32_t slot, const char *address, uint32_t bits);
struct pw_address lab_address(const char *text);

/* "passed", "unparsed", "spoofed", "no slot" */
const char *verdict_name(enum verdict verdict);

struct lab_counts lab_counts(struct bpf_lab *lab, uint32_t slot, enum pw_direction direction);

/*
 * What became of @n packets (segments of one that is @len bytes long) between two looks at the
 * counters; anything but one of the verdicts fails the test.
 */
enum verdict lab_verdict(const struct lab_counts *before, const struct lab_counts *after,
			 size_t len, uint64_t n, const char *name);

/* Newer kernels run no program on an IP packet whose header is cut: wire tests have those. */
size_t lab_least_len(const struct packet *p);

/*
 * Gives @p to @program. The packet must come out as it went in, and the counters must have gone up
 * by exactly what the verdict says. @name: of the packet, for messages.
 */
enum verdict lab_run(struct bpf_lab *lab, const struct bpf_program *program,
		     enum pw_direction direction, const struct packet *p, const char *name);
/* Is it this verdict that from_pod comes to? */
void lab_expect(struct bpf_lab *lab, const struct packet *p, enum verdict verdict,
		const char *name);
