/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Every map; pw_abi.h says what is in them and who writes it
 *
 * Nothing here is pinned by name: where a map is pinned, and whether one of another layout is there
 * already, is the agent's business.
 */
#include "lib/helpers.bpf.h"
#include "pw_abi.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PW_SLOTS);
	__type(key, __u32);
	__type(value, struct pw_port);
} ports SEC(".maps");

/* Twice the devices: a new owner may come before the old one has been taken out. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PW_DEVICES_MAX * 2);
	__type(key, __u32);
	__type(value, __u32);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, PW_SOURCES_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC); /* the kernel has no other kind */
	__type(key, struct pw_source_key);
	__type(value, __u8);
} sources SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, PW_SLOTS *PW_DIRECTIONS);
	__type(key, __u32);
	__type(value, struct pw_count);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, PW_EVENT_MAX);
	__type(key, __u32);
	__type(value, __u64);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} heartbeat SEC(".maps");

/* By a hash: ifindexes only ever grow. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__uint(max_entries, PW_DEVICES_MAX);
	__type(key, __u32);
	__type(value, struct bpf_devmap_val);
} devices SEC(".maps");

/* The agent makes it as large as the machine has CPUs. */
struct {
	__uint(type, BPF_MAP_TYPE_CPUMAP);
	__uint(max_entries, PW_CPUS_MAX);
	__type(key, __u32);
	__type(value, struct bpf_cpumap_val);
} cpus SEC(".maps");
