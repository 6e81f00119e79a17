# SPDX-License-Identifier: GPL-2.0-or-later
"""Many pods: how soon they're seen, what the agent needs, and that nothing grows with those that have gone."""
import concurrent.futures
import json
import os
import subprocess
import time
import unittest

from harness.case import conflist, podwire
from harness.libcni import Attachment
from harness.resources import wait_until
from manypods import ManyPods

PODS, CHURN, BATCH = 250, 5000, 250
START_LIMIT, NEW_LIMIT = 1.0, 0.05  # seconds
RSS_LIMIT = 12_000_000  # bytes
IDLE_SECONDS, IDLE_LIMIT = 20, 0.001  # two checks of everything, ten seconds apart
SOURCES, SOURCES_LIMIT = 64, 1.0  # a pod; seconds of CPU


class Many(ManyPods):
    def entries(self):
        """Elements in the maps that grow with pods."""
        count = {}
        for name in ("slots", "sources"):
            path = os.path.join(self.agent.bpffs.path, "podwire", "layout-1", name)
            done = subprocess.run(["bpftool", "-j", "map", "dump", "pinned", path], capture_output=True, text=True,
                                  check=True)
            count[name] = len(json.loads(done.stdout))
        return count

    def test_250_pods_at_start(self):
        self.make(range(1, PODS + 1))
        seconds = self.agent.start()
        begin = time.monotonic()
        # Each program that is put on a device for the first time costs the kernel an RCU grace period.
        wait_until(lambda: self.pins() == PODS, 60, "all pods' programs")
        print(f"ready with {PODS} pods after {seconds * 1000:.0f} ms, all programs on "
              f"{(time.monotonic() - begin) * 1000:.0f} ms later, RSS {self.rss() / 1e6:.1f} MB", flush=True)
        self.agent.kill()
        seconds = self.agent.start()
        print(f"started again: ready after {seconds * 1000:.0f} ms", flush=True)
        self.assertEqual(self.pins(), PODS)
        self.assertLess(seconds, START_LIMIT * self.slack)
        self.assertLess(self.rss(), RSS_LIMIT * self.slack)
        before = self.cpu()
        end = time.monotonic() + IDLE_SECONDS
        wait_until(lambda: time.monotonic() > end, IDLE_SECONDS * 2, "idle time")
        share = (self.cpu() - before) / IDLE_SECONDS
        print(f"idle: {share * 100:.3f} % of a CPU", flush=True)
        self.assertLess(share, IDLE_LIMIT * self.slack)

    def test_a_new_pod_is_programmed_at_once(self):
        self.make(range(1, PODS + 1))
        self.agent.start()
        wait_until(lambda: self.pins() == PODS, 60, "all pods' programs")
        waits = []
        for number in range(PODS + 1, PODS + 21):
            self.make([number])
            begin = time.monotonic()
            wait_until(lambda: self.pins() == number, what="the pod's programs")
            waits.append(time.monotonic() - begin)
        waits.sort()
        print(f"a new pod's programs: median {waits[10] * 1000:.1f} ms, most {waits[-1] * 1000:.1f} ms", flush=True)
        self.assertLess(waits[10], NEW_LIMIT * self.slack)

    def test_what_pods_may_send_from_is_not_looked_for_among_all(self):
        self.make(range(1, PODS + 1), [f"10.200.{number}.0/24" for number in range(SOURCES)])
        self.agent.start()
        wait_until(lambda: self.pins() == PODS, 60, "all pods' programs")
        self.assertEqual(self.entries()["sources"], PODS * SOURCES)
        print(f"{PODS} pods with {SOURCES} allowed sources each: {self.cpu():.2f} s of CPU", flush=True)
        self.assertLess(self.cpu(), SOURCES_LIMIT * self.slack)
        self.remove(range(1, PODS + 1))
        wait_until(lambda: self.pins() == 0, 30, "no pods")
        wait_until(lambda: self.entries()["sources"] == 0, what="no sources")

    def call(self, pool, command, numbers):
        """ADD or DEL of pods that share a namespace, two at a time."""
        network = conflist(podwire(self.node, capabilities={"ips": True}), name="many")

        def one(number):
            address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}/32"
            attachment = Attachment(f"pod{number}", self.pods.path, f"eth{number % BATCH}",
                                    capability_args={"ips": [address]})
            call = self.runtime.call(command, network, attachment)
            self.assertEqual(call.status, 0, repr(call))

        list(pool.map(one, numbers))
        self.runtime.calls.clear()

    def round(self, pool, first):
        numbers = range(first, first + BATCH)
        self.call(pool, "ADD", numbers)
        wait_until(lambda: self.pins() == BATCH, 30, "the pods")
        self.call(pool, "DEL", numbers)
        wait_until(lambda: self.pins() == 0, 30, "no pods")

    def test_churn_brings_all_back_to_where_it_was(self):
        self.agent.start()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            self.round(pool, 1)
            baseline, rss = (self.entries(), self.fds()), self.rss()
            begin = time.monotonic()
            for first in range(BATCH + 1, CHURN + 1, BATCH):
                self.round(pool, first)
        seconds = time.monotonic() - begin
        wait_until(lambda: (self.entries(), self.fds()) == baseline, what="maps and descriptors as before")
        print(f"RSS {rss / 1e6:.1f} MB before, {self.rss() / 1e6:.1f} MB after {CHURN} pods came and went "
              f"({seconds:.0f} s)", flush=True)
        self.assertLess(self.rss(), rss * 1.1 + 500_000 * self.slack)
        self.assert_clean()


class TinyBuffer(Many):
    """Events are lost, so that all is looked at again."""

    config = {"netlinkBuffer": 4096}

    def test_churn_brings_all_back_to_where_it_was(self):
        self.agent.start()
        for _ in range(4):
            self.make(range(1, PODS + 1))
            wait_until(lambda: self.pins() == PODS, 30, "the pods")
            self.remove(range(1, PODS + 1))
            wait_until(lambda: self.pins() == 0, 30, "no pods")
        self.assertEqual(self.entries()["slots"], 1)  # the uplink

    test_250_pods_at_start = test_a_new_pod_is_programmed_at_once = None
    test_what_pods_may_send_from_is_not_looked_for_among_all = None


if __name__ == "__main__":
    unittest.main()
