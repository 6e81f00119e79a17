/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf_lab.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/pkt_cls.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "cases.h"
#include "ns.h"

static struct bpf_lab the_lab;

int bpf_lab_open(struct bpf_lab *lab)
{
	int r = ns_isolate();

	if (r)
		return r;
	*lab = (struct bpf_lab){ .skel = podwire_bpf__open() };
	if (!lab->skel) {
		printf("cannot open the programs: %s\n", strerror(errno));
		return 1;
	}
	/* The kernel takes no more than it could have. */
	bpf_map__set_max_entries(lab->skel->maps.cpus, (uint32_t)libbpf_num_possible_cpus());
	r = podwire_bpf__load(lab->skel);
	if (r == 0)
		return 0;
	printf("%scannot load the programs: %s\n", r == -EPERM ? "skipped: " : "", strerror(-r));
	bpf_lab_close(lab);
	return r == -EPERM ? TEST_SKIP : 1;
}

void bpf_lab_close(struct bpf_lab *lab)
{
	podwire_bpf__destroy(lab->skel);
	lab->skel = NULL;
}

int bpf_lab_run_tests(const struct CMUnitTest *tests, size_t n)
{
	int r = bpf_lab_open(&the_lab);

	if (r)
		return r;
	r = _cmocka_run_group_tests("bpf", tests, n, NULL, NULL);
	bpf_lab_close(&the_lab);
	return r;
}

static void put(const struct bpf_map *map, const void *key, const void *value)
{
	assert_int_equal(bpf_map_update_elem(bpf_map__fd(map), key, value, BPF_ANY), 0);
}

void lab_put_port(struct bpf_lab *lab)
{
	uint32_t slot = LAB_SLOT;

	put(lab->skel->maps.ports, &slot, &lab->port);
}

void lab_put_slot(struct bpf_lab *lab, uint32_t ifindex, uint32_t slot)
{
	put(lab->skel->maps.slots, &ifindex, &slot);
}

void lab_remove_slot(struct bpf_lab *lab, uint32_t ifindex)
{
	assert_int_equal(bpf_map_delete_elem(bpf_map__fd(lab->skel->maps.slots), &ifindex), 0);
}

struct pw_address lab_address(const char *text)
{
	struct pw_address a = { .b = { [10] = 0xff, [11] = 0xff } };

	if (inet_pton(AF_INET, text, a.b + 12) != 1)
		assert_int_equal(inet_pton(AF_INET6, text, a.b), 1);
	return a;
}

void lab_put_source(struct bpf_lab *lab, uint32_t slot, const char *address, uint32_t bits)
{
	struct pw_source_key key = { .prefixlen = PW_SOURCE_PREFIX + bits, .slot = slot };
	uint8_t family = strchr(address, ':') ? 6 : 4;

	key.address = lab_address(address);
	put(lab->skel->maps.sources, &key, &family);
}

static void clear_sources(struct bpf_lab *lab)
{
	int fd = bpf_map__fd(lab->skel->maps.sources);
	struct pw_source_key key;

	while (bpf_map_get_next_key(fd, NULL, &key) == 0)
		assert_int_equal(bpf_map_delete_elem(fd, &key), 0);
}

static void clear_counts(struct bpf_lab *lab)
{
	size_t cpus = (size_t)libbpf_num_possible_cpus();
	_cleanup_(freep) void *zero = calloc(cpus, sizeof(struct pw_count));
	uint32_t i;

	assert_non_null(zero);
	for (i = 0; i < PW_SLOTS * PW_DIRECTIONS; i++)
		put(lab->skel->maps.counts, &i, zero);
	for (i = 0; i < PW_EVENT_MAX; i++)
		put(lab->skel->maps.events, &i, zero);
}

int bpf_lab_setup(void **state)
{
	struct bpf_lab *lab = &the_lab;

	lab->skb = (struct __sk_buff){ .ifindex = LAB_IFINDEX };
	lab->port = (struct pw_port){
		.generation = 1,
		.ifindex = LAB_IFINDEX,
		.flags = PW_PORT_SOURCE_CHECK | PW_PORT_MORE_SOURCES | PW_PORT_CHECK_MAC,
		.kind = PW_PORT_POD,
		.n_own = 2,
		.mac = { 2, 0, 0, 0, 0, OWN },
		.own = { lab_address("10.1.0.2"), lab_address("fd00::2") },
	};
	lab_put_port(lab);
	lab_put_slot(lab, LAB_IFINDEX, LAB_SLOT);
	clear_sources(lab);
	lab_put_source(lab, LAB_SLOT, "10.7.0.0", 96 + 16);
	lab_put_source(lab, LAB_SLOT, "2001:db8:7::", 48);
	clear_counts(lab);
	*state = lab;
	return 0;
}

struct lab_counts lab_counts(struct bpf_lab *lab, uint32_t slot, enum pw_direction direction)
{
	uint32_t i = slot * PW_DIRECTIONS + direction, event = PW_EVENT_NO_SLOT;
	size_t cpus = (size_t)libbpf_num_possible_cpus();
	_cleanup_(freep) struct pw_count *n = calloc(cpus, sizeof(*n));
	_cleanup_(freep) uint64_t *events = calloc(cpus, sizeof(*events));
	struct lab_counts sum = {};

	assert_true(n && events);
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(lab->skel->maps.counts), &i, n), 0);
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(lab->skel->maps.events), &event, events),
			 0);
	for (size_t cpu = 0; cpu < cpus; cpu++) {
		sum.packets += n[cpu].packets;
		sum.bytes += n[cpu].bytes;
		sum.spoofed += n[cpu].spoofed;
		sum.unparsed += n[cpu].unparsed;
		sum.no_slot += events[cpu];
	}
	return sum;
}

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = { "passed", "unparsed", "spoofed", "no slot" };

	return names[verdict];
}

enum verdict lab_verdict(const struct lab_counts *before, const struct lab_counts *after,
			 size_t len, uint64_t n, const char *name)
{
	struct lab_counts want[] = {
		[PASSED] = { .packets = n, .bytes = len },
		[UNPARSED] = { .packets = n, .bytes = len, .unparsed = n },
		[SPOOFED] = { .spoofed = n },
		[NO_SLOT] = { .no_slot = n },
	};
	struct lab_counts more = {
		.packets = after->packets - before->packets,
		.bytes = after->bytes - before->bytes,
		.spoofed = after->spoofed - before->spoofed,
		.unparsed = after->unparsed - before->unparsed,
		.no_slot = after->no_slot - before->no_slot,
	};

	for (size_t i = 0; i < TEST_COUNT(want); i++) {
		if (memcmp(&more, &want[i], sizeof(more)) == 0)
			return (enum verdict)i;
	}
	fail_msg("%s, %zu bytes: counted %lu packets, %lu bytes, %lu spoofed, %lu unparsed, %lu "
		 "without a slot",
		 name, len, more.packets, more.bytes, more.spoofed, more.unparsed, more.no_slot);
	return NO_SLOT;
}

size_t lab_least_len(const struct packet *p)
{
	switch (p->b[12] << 8 | p->b[13]) {
	case ETH_P_IP:
		return ETH_HLEN + sizeof(struct iphdr);
	case ETH_P_IPV6:
		return ETH_HLEN + sizeof(struct ipv6hdr);
	default:
		return ETH_HLEN;
	}
}

enum verdict lab_run(struct bpf_lab *lab, const struct bpf_program *program,
		     enum pw_direction direction, const struct packet *p, const char *name)
{
	uint64_t n = lab->skb.gso_segs ? lab->skb.gso_segs : 1;
	struct lab_counts before = lab_counts(lab, LAB_SLOT, direction), after;
	static struct packet out;
	enum verdict verdict;

	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = p->b, .data_size_in = (uint32_t)p->len,
		    .data_out = out.b, .data_size_out = sizeof(out.b), .ctx_in = &lab->skb,
		    .ctx_size_in = sizeof(lab->skb));
	if (bpf_prog_test_run_opts(bpf_program__fd(program), &run) < 0)
		fail_msg("%s, %zu bytes: cannot run: %s", name, p->len, strerror(errno));
	if (run.data_size_out != p->len || memcmp(p->b, out.b, p->len) != 0)
		fail_msg("%s, %zu bytes: came out as another packet", name, p->len);
	after = lab_counts(lab, LAB_SLOT, direction);
	verdict = lab_verdict(&before, &after, p->len, n, name);
	if ((int)run.retval != (verdict == SPOOFED ? TC_ACT_SHOT : TC_ACT_UNSPEC))
		fail_msg("%s, %zu bytes: returned %d", name, p->len, (int)run.retval);
	return verdict;
}

void lab_expect(struct bpf_lab *lab, const struct packet *p, enum verdict verdict, const char *name)
{
	enum verdict is = lab_run(lab, lab->skel->progs.from_pod, PW_IN, p, name);

	if (is != verdict)
		fail_msg("%s, %zu bytes: %s instead of %s", name, p->len, verdict_name(is),
			 verdict_name(verdict));
}
