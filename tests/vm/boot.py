#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""boot.py KERNELS VERSION: the core of the tests, in another kernel under an emulator.

KERNELS is what tests/vm/fetch made. The tests are those of the build tree that PW_BUILD_DIR names, as
ctest has them; guest.py runs them there. What they print comes out here; the last line counts cases.
Exit status: as of runtests.py; 77 where there's no emulator or no kernel.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

SOURCE_DIR = os.environ.get("PW_SOURCE_DIR") or os.path.abspath(
    os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD_DIR = os.environ.get("PW_BUILD_DIR") or os.path.join(SOURCE_DIR, "build", "dev")
EMULATOR, SKIPPED = "qemu-system-x86_64", 77
MINUTES = 28  # for all: a kernel that hangs is ended

# An emulated machine takes this many times longer than a real one. Each deadline of the harness's is
# multiplied by it, and no other thing: what has to hold is the same, and so is what may not happen.
PATIENCE = 8

# A test of ctest's, and which of its cases: all of them, or those named.
CORE = {
    "bpf.source-check": [],
    "bpf.source-malformed": [],
    "bpf.count": [],
    "bpf.wire": [],
    "e2e.wire": [
        "Reach.test_pods_reach_each_other_in_both_families",
        "Reach.test_pod_reaches_the_world_and_is_reached",
        "InThePod.test_no_address_is_ever_tentative",
        "OnTheHost.test_first_packet_needs_no_neighbour_discovery",
        "OnTheHost.test_all_of_a_pods_traces_go_with_del",
        "Record.test_record_says_what_the_kernel_has",
    ],
    "e2e.check": [
        "NoFault.test_right_after_add",
        "Fault.test_v6_default_route_gone",
    ],
    "e2e.masq": [
        "Seen.test_pods_are_seen_as_the_node",
        "Seen.test_excluded_destinations_see_the_pod",
        "Table.test_allowed_sources_are_seen",
        "Table.test_what_nft_prints_can_be_loaded",
        "Leave.test_netns_gone",
    ],
    "e2e.gc": [
        "Stale.test_live_ones_are_kept",
        "Stale.test_after_a_reboot",
    ],
    "e2e.agent": [
        "Sees.test_pods_that_come_and_go",
        "Sees.test_uplinks_by_nexthop_objects",
        "Sees.test_records_that_cannot_be_used",
        "Counts.test_packets_and_bytes_of_both_directions_exactly",
        "Counts.test_spoofed_packets_are_dropped_and_counted",
        "Counts.test_allowed_sources_pass",
        "Stays.test_restart_keeps_maps_links_slots_and_counts",
        "Stays.test_uninstall_leaves_nothing",
        "Configured.test_reload_keeps_the_old_one_when_the_new_one_is_wrong",
    ],
    "e2e.agent-restart": [
        "NoPacketLost.test_upgraded_and_downgraded_ten_times",
    ],
    "e2e.agent-foreign": [
        "LeftAlone.test_native_xdp_program_on_an_uplink",
        "LeftAlone.test_filter_on_what_a_pod_sends",
        "TakenOff.test_put_on_once_and_the_second_time_left_off",
        "WithoutTcx.test_filter_that_is_taken_off_is_put_on_again_once",
        "WithoutTcx.test_chained_plugins_qdisc_comes_first",
        "WithoutTcx.test_qdisc_of_somebody_elses_stays_at_uninstall_and_ours_goes",
    ],
}

START = """#!/bin/bash
# what tests/vm/init starts
set -euo pipefail
ip link set lo up
export LC_ALL=C.UTF-8 TMPDIR=/dev/shm HOME=/root PW_PATIENCE={patience} PYTHONDONTWRITEBYTECODE=1
exec {source}/tests/lib/isolated /mnt/leaks python3 {source}/tests/vm/guest.py /mnt
"""


def environment_of(test):
    properties = {one["name"]: one["value"] for one in test["properties"]}
    return dict(line.split("=", 1) for line in properties.get("ENVIRONMENT", [])), properties.get("TIMEOUT", 120)


def plan():
    """The chosen tests: [{"name", "command", "environment", "timeout"}]."""
    pattern = "^(" + "|".join(map(re.escape, CORE)) + ")$"
    done = subprocess.run(["ctest", "--test-dir", BUILD_DIR, "--show-only=json-v1", "-R", pattern],
                          capture_output=True, text=True, check=True)
    there = {test["name"]: test for test in json.loads(done.stdout)["tests"]}
    chosen = []
    for name, cases in CORE.items():
        if name not in there:
            sys.exit(f"{BUILD_DIR} has no test {name}: the list in {__file__} is of the preset dev")
        environment, timeout = environment_of(there[name])
        chosen.append({"name": name, "command": there[name]["command"] + cases,
                       "environment": environment, "timeout": timeout * PATIENCE})
    return chosen


def command(kernel, results):
    def share(tag, path, readonly):
        # the same number of an inode on two file systems is not the same file
        return ["-virtfs", f"local,path={path},mount_tag={tag},security_model=none,readonly={readonly},"
                           "multidevs=remap"]
    # Never KVM: where it is there it may not work (a hypervisor below another), and it would be another test.
    return [EMULATOR, "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "2048",
            "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-serial", f"file:{results}/console",
            "-kernel", f"{kernel}/vmlinuz", "-initrd", f"{kernel}/initrd",
            "-append", "console=ttyS0 panic=-1 mitigations=off",
            "-device", "isa-debug-exit,iobase=0xf4,iosize=4",
            *share("root", "/", "on"), *share("results", results, "off")]


def boot(kernel, results):
    """The status that tests/vm/init gave, or None: it never got there."""
    with subprocess.Popen(command(kernel, results), stdin=subprocess.DEVNULL) as emulator:
        def stop(number, _frame):
            emulator.kill()
            sys.exit(128 + number)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)
        try:
            status = emulator.wait(MINUTES * 60)
        except subprocess.TimeoutExpired:
            emulator.kill()
            print(f"ended after {MINUTES} minutes")
            return None
    return status >> 1 if status & 1 else None


def read(results, name):
    try:
        with open(os.path.join(results, name), encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def report(results, status):
    output, leaks = read(results, "output"), read(results, "leaks")
    print(output)
    if leaks:
        print(f"left behind:\n{leaks}")
    counts = re.findall(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", output, re.M)
    passed, failed, skipped = map(int, counts[-1]) if counts else (0, 0, 0)
    if not counts or status not in (0, 1):
        print(f"the kernel under test came to no end of the tests (status {status}); its console:")
        print("\n".join(read(results, "console").splitlines()[-60:]))
        failed = max(failed, 1)
    failed += bool(leaks)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


def main(kernels, version):
    kernel = os.path.join(kernels, version)
    if not os.path.exists(os.path.join(kernel, "initrd")):
        print(f"needs Linux {version} in {kernel}, where tests/vm/fetch puts it")
        return SKIPPED
    if not shutil.which(EMULATOR):
        print(f"needs {EMULATOR} (deploy/packages, \"all\")")
        return SKIPPED
    results = tempfile.mkdtemp(prefix=f"vm-{version}-", dir=BUILD_DIR)
    try:
        with open(os.path.join(results, "plan"), "w", encoding="utf-8") as file:
            json.dump(plan(), file)
        with open(os.path.join(results, "start"), "w", encoding="utf-8") as file:
            file.write(START.format(patience=PATIENCE, source=SOURCE_DIR))
        return report(results, boot(kernel, results))
    finally:
        shutil.rmtree(results, ignore_errors=True)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
