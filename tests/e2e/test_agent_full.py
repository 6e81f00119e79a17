# SPDX-License-Identifier: GPL-2.0-or-later
"""More pods than there are slots: those beyond go the kernel's way, are told so, and get the slots that come free.

Each program that is put on a device costs the kernel an RCU grace period, and there are two a pod: most of the
time that this takes is that."""
import time
import unittest

from harness import traffic
from harness.resources import wait_until
from manypods import ManyPods

SLOTS = 4096  # PW_SLOTS of bpf/include/pw_abi.h
PODS = SLOTS - 2  # slot 0 is nobody's, and the uplink has one
BEYOND, GONE = 100, 30  # pods without a slot; pods that go then
FILL_SECONDS = 400
WATCHDOG_SECONDS = 10
ANSWER_SECONDS = 0.5  # of the agent's CPU
RSS_LIMIT = 64_000_000
IDLE_SECONDS, IDLE_LIMIT = 20, 0.05  # of a CPU


class Full(ManyPods):
    bus = True

    def setUp(self):
        super().setUp()
        self.agent.environment = {"WATCHDOG_USEC": str(WATCHDOG_SECONDS * 1_000_000)}

    def status(self, pods, without):
        return f"{pods} pod interfaces, 1 uplinks, 0 not ready, {without} without a slot"

    def say(self, what, begin):
        print(f"{what}, {time.monotonic() - begin:.2f} s", flush=True)

    def timed(self, what, function, *arguments):
        """What the agent needs for an answer holds up all else that it does."""
        before, begin = self.cpu(), time.monotonic()
        answer = function(*arguments)
        busy = self.cpu() - before
        self.say(f"{what}: {busy:.2f} s of CPU", begin)
        self.assertLess(busy, ANSWER_SECONDS * self.slack)
        return answer

    def assert_alive(self):
        """It told its watchdog in time, always."""
        told = [when for when, line in self.agent.heard if line == "WATCHDOG=1"]
        gaps = [after - before for before, after in zip(told, told[1:])]
        self.assertTrue(gaps)
        print(f"{len(told)} signs of life, {max(gaps):.1f} s between two at most", flush=True)
        self.assertLess(max(gaps), WATCHDOG_SECONDS)

    def fill(self):
        begin = time.monotonic()
        self.make(range(1, PODS + 1))
        self.say(f"{PODS} pods made", begin)
        print(f"agent ready after {self.agent.start():.2f} s", flush=True)
        begin = time.monotonic()
        self.agent.wait_status(self.status(PODS, 0), FILL_SECONDS)
        self.say(f"all have their programs: {self.cpu():.2f} s of CPU since its start", begin)
        self.assertEqual(self.pins(), PODS)

    def assert_in_the_kernel(self, name):
        self.agent.wait_for(name, State="ready", Path="kernel", PathReason="slots", SourceCheck="kernel")

    def assert_they_talk(self, pods):
        (a, first), (b, second) = ((pod, self.addresses(result)) for pod, _, result, _ in pods)
        for source, target in zip(first, second):
            self.assertTrue(a.ping(target, source))
            self.assertTrue(a.ping("2001:db8::10" if ":" in source else "192.0.2.10", source))
            traffic.tcp_echo(a, b, target, source=source)

    def assert_counted(self, without):
        manager = self.timed("Manager", self.agent.manager)
        self.assertEqual((manager["Slots"], manager["FreeSlots"], manager["WithoutSlot"]), (SLOTS - 1, 0, without))

    def assert_all_are_told(self, pods, without):
        listed = self.timed("ListAttachments", self.agent.attachments)
        objects = self.timed("GetManagedObjects", self.agent.objects)
        self.assertEqual(len(listed), pods)
        seen = [objects[path]["PathReason"] for path in listed.values()]
        self.assertEqual((seen.count("slots"), seen.count("learning")), (without, pods - without))

    def assert_idle(self):
        before, end = self.cpu(), time.monotonic() + IDLE_SECONDS
        wait_until(lambda: time.monotonic() > end, IDLE_SECONDS * 2, "idle time")
        share = (self.cpu() - before) / IDLE_SECONDS
        print(f"idle: {share * 100:.2f} % of a CPU; RSS {self.rss() / 1e6:.1f} MB", flush=True)
        self.assertLess(share, IDLE_LIMIT * self.slack)
        self.assertLess(self.rss(), RSS_LIMIT * self.slack)

    def test_pods_beyond_the_slots_talk_and_wait(self):
        self.fill()
        beyond = [self.wired() for _ in range(2)]
        last = range(PODS + 1, PODS + BEYOND - 1)
        self.make(last)
        pods = PODS + BEYOND
        self.agent.wait_status(self.status(pods, BEYOND), 60)
        self.assertIn("all 4095 slots are taken", self.agent.log())
        for _, _, _, name in beyond:
            self.assert_in_the_kernel(name)
        self.assert_they_talk(beyond)
        self.assert_all_are_told(pods, BEYOND)
        self.assert_counted(BEYOND)
        self.assert_idle()

        # Those that have waited for the longest get what comes free.
        begin = time.monotonic()
        self.remove(range(1, GONE + 1))
        self.say(f"{GONE} pods gone", begin)
        pods, without = pods - GONE, BEYOND - GONE
        self.agent.wait_status(self.status(pods, without), 60)
        for _, _, _, name in beyond:
            self.agent.wait_for(name, State="ready", PathReason="learning", SourceCheck="bpf")
        self.assert_they_talk(beyond)
        self.assertGreater(self.agent.statistics(beyond[0][3])["in-packets"], 0)
        self.assert_counted(without)
        self.assertEqual(self.pins(), PODS)

        # Another agent takes all over as it is.
        before = self.agent.statistics(beyond[0][3])
        self.agent.kill()
        self.assert_they_talk(beyond)
        print(f"started again: ready after {self.agent.start():.2f} s", flush=True)
        self.agent.wait_status(self.status(pods, without), 60)
        self.assertGreater(self.agent.statistics(beyond[0][3])["in-packets"], before["in-packets"])
        self.assert_counted(without)
        self.assert_all_are_told(pods, without)
        self.assert_idle()
        self.assert_alive()
        self.assertEqual([line for line in self.agent.log().splitlines() if "slot" not in line
                          and "podwired 0." not in line], [])


if __name__ == "__main__":
    unittest.main()
