# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugin beside an agent that is stopped, starting, hung or running: no verb waits for it or fails without it."""
import fcntl
import os
import signal
import time
import unittest

from agentcase import AgentCase
from harness import traffic
from harness.case import conflist, host_local, podwire
from harness.resources import PATIENCE, wait_until

UNAVAILABLE = 50
# Of any verb. Whoever waits for a hung agent waits for 25 s (sd-bus) or for good; the rest is what sanitizers and
# a busy machine take.
SECONDS = 5.0 * PATIENCE
HEARTBEAT_LOST = 2.5  # seconds; the programs take two without a beat for the agent's death


class PluginCase(AgentCase):
    def network(self, *subnets, **keys):
        return conflist(podwire(self.node, host_local(self.node, *subnets), **keys), version="1.1.0")

    def setUp(self):
        super().setUp()
        self.net = self.network(requireAgent=True)
        self.lock = os.path.join(self.node.runtime_dir, "agent.lock")

    def verb(self, function, *arguments):
        """It succeeds, and each plugin that it takes is quick."""
        before = len(self.runtime.calls)
        answer = function(*arguments)
        for call in self.runtime.calls[before:]:
            self.assertLess(call.seconds, SECONDS, repr(call))
        return answer

    def made(self):
        pod, attachment, result = self.verb(self.attach, self.net)
        return pod, attachment, self.addresses(result), self.host_ifname(result)

    def removed(self, attachment):
        self.verb(self.runtime.delete, self.net, attachment)

    def assert_talk(self, first, second):
        for source, target in zip(first[2], second[2]):
            self.assertEqual(traffic.tcp_echo(first[0], second[0], target, source=source), source)
            self.assertEqual(traffic.udp_echo(second[0], first[0], source, source=target), target)

    def assert_all_verbs(self, neighbour=None):
        """Returns two pods that were made; one that was is gone again."""
        first, second, third = (self.made() for _ in range(3))
        for pod in (first, second, third):
            self.verb(self.runtime.check, self.net, pod[1])
        self.assert_talk(first, second)
        self.assert_talk(third, first)
        if neighbour:
            self.assert_talk(neighbour, second)
        self.removed(third[1])
        self.removed(third[1])  # as runtimes do
        self.assertNotIn(third[3], self.node.host_ends())
        kept = [pod[1] for pod in (first, second, neighbour) if pod]
        self.assertEqual(self.verb(self.runtime.gc, self.net, kept), [])
        self.assert_talk(first, second)
        self.assertIn("1.1.0", self.verb(self.runtime.version, "podwire")["supportedVersions"])
        return first, second

    def status(self):
        self.verb(self.runtime.status, self.net)

    def assert_unavailable(self, text):
        self.assert_fails(UNAVAILABLE, text, self.runtime.status, self.net)
        self.assertLess(self.runtime.calls[-1].seconds, SECONDS)
        # a network that doesn't need it never asks
        self.verb(self.runtime.status, self.network())

    def assert_agent_knows(self, *pods):
        """Them and no others: what it says, and what is pinned."""
        for pod in pods:
            self.agent.wait_for(pod[3], State="ready", PathReason="learning", SourceCheck="bpf")
        wait_until(lambda: set(self.agent.attachments()) == {pod[3] for pod in pods}, what="these pods alone")
        indices = sorted(self.node.link(pod[3])["ifindex"] for pod in pods)
        wanted = sorted(f"{index}-{program}" for index in indices for program in ("from_pod", "to_pod"))
        wait_until(lambda: self.pod_links() == wanted, what=f"links {wanted}")
        for pod in pods:
            before = self.agent.statistics(pod[3])["in-packets"]
            self.assertTrue(pod[0].ping("192.0.2.10", pod[2][0]))
            self.assertGreater(self.agent.statistics(pod[3])["in-packets"], before)

    def pod_links(self):
        return sorted(os.path.basename(pin) for pin in self.agent.bpffs.pins("podwire")
                      if pin.endswith(("from_pod", "to_pod")))

    # The states

    def down_for(self, seconds):
        then = time.time() - seconds
        os.utime(self.lock, (then, then))

    def lock_is_held(self):
        try:
            with open(self.lock, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except FileNotFoundError:
            pass
        return False

    def is_stopped(self):
        with open(f"/proc/{self.agent.process.pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "T"

    def hang(self):
        self.agent.signal(signal.SIGSTOP)
        wait_until(self.is_stopped, what="a stopped process")

    def go_on(self):
        self.agent.signal(signal.SIGCONT)


class Stopped(PluginCase):
    def test_every_verb_where_it_never_ran(self):
        first, second = self.assert_all_verbs()
        self.assert_unavailable("has not run since boot")
        self.agent.start()
        self.status()
        self.assert_agent_knows(first, second)

    def test_every_verb_after_it_ended(self):
        for end in (self.agent.stop, self.agent.kill):
            with self.subTest(end=end.__name__):
                self.agent.start()
                old, gone = self.made(), self.made()
                self.assert_agent_knows(old, gone)
                end()
                self.assertFalse(self.lock_is_held())
                self.removed(gone[1])
                first, second = self.assert_all_verbs(old)
                self.status()
                self.agent.start()
                self.assert_agent_knows(old, first, second)
                self.assert_talk(old, first)
                for pod in (old, first, second):
                    self.removed(pod[1])
                self.assert_agent_knows()
                self.agent.stop()

    def test_every_verb_after_it_was_uninstalled(self):
        self.agent.start()
        old = self.made()
        self.agent.stop()
        self.agent.uninstall()
        first, second = self.assert_all_verbs(old)
        self.assert_unavailable("has not run since boot")
        self.agent.start()
        self.assert_agent_knows(old, first, second)

    def test_all_pods_go_while_it_is_away(self):
        self.agent.start()
        pods = [self.made() for _ in range(3)]
        self.assert_agent_knows(*pods)
        self.agent.stop()
        for pod in pods:
            self.removed(pod[1])
        self.assert_clean()
        self.agent.start()
        self.assert_agent_knows()

    def test_pod_whose_namespace_went_with_its_link_while_it_was_away(self):
        self.agent.start()
        gone, kept = self.made(), self.made()
        self.assert_agent_knows(gone, kept)
        self.agent.stop()
        gone[0].vanish()
        wait_until(lambda: gone[3] not in self.node.host_ends(), what="the link's end")
        self.removed(gone[1])
        self.agent.start()
        self.assert_agent_knows(kept)


class Grace(PluginCase):
    def setUp(self):
        super().setUp()
        self.agent.start()

    def test_a_minute_without_it_is_no_outage(self):
        self.agent.stop()
        self.status()
        for seconds in (0, 1, 30, 50):
            with self.subTest(seconds=seconds):
                self.down_for(seconds)
                self.status()
        for seconds in (61, 120, 86400):
            with self.subTest(seconds=seconds):
                self.down_for(seconds)
                self.assert_unavailable("has been down for")

    def test_the_minute_begins_with_its_end(self):
        """However long ago it started; and a plugin that asks doesn't put it off."""
        self.down_for(3600)
        self.status()
        self.agent.stop()
        self.assertLess(time.time() - os.stat(self.lock).st_mtime, 10)
        self.down_for(59)
        before = os.stat(self.lock).st_mtime_ns
        self.runtime.call("STATUS", self.net, None)
        self.made()
        self.assertEqual(os.stat(self.lock).st_mtime_ns, before)

    def test_clock_that_was_set_back(self):
        self.agent.stop()
        self.down_for(-3600)
        self.status()

    def test_available_again_as_soon_as_it_runs(self):
        self.agent.stop()
        self.down_for(600)
        self.assert_unavailable("has been down for")
        self.agent.start()
        self.status()
        self.agent.kill()
        self.status()

    def test_pods_are_served_all_through_an_outage(self):
        old = self.made()
        self.agent.kill()
        self.down_for(600)
        self.assert_unavailable("has been down for")
        self.assert_all_verbs(old)
        self.assert_unavailable("has been down for")

    def test_lock_that_is_not_what_it_should_be(self):
        self.agent.stop()
        os.unlink(self.lock)
        for make in (os.mkfifo, lambda path: os.symlink("/dev/null", path), os.mkdir):
            make(self.lock)
            call = self.runtime.call("STATUS", self.net, None)
            self.assertLess(call.seconds, SECONDS, repr(call))
            self.assertIn(call.status, (0, 1), repr(call))
            pod = self.made()
            self.removed(pod[1])
            (os.rmdir if os.path.isdir(self.lock) and not os.path.islink(self.lock) else os.unlink)(self.lock)


class Starting(PluginCase):
    def test_every_verb_while_it_starts(self):
        old = self.made()
        self.agent.start(ready=False)
        first, second = self.assert_all_verbs(old)
        self.agent.wait_notice("READY=1")
        self.status()
        self.assert_agent_knows(old, first, second)

    def test_every_verb_while_its_start_hangs(self):
        """With agent.lock taken, and nothing of the rest done."""
        old, gone = self.made(), self.made()
        self.agent.start(ready=False)
        wait_until(self.lock_is_held, what="agent.lock")
        self.hang()
        self.assertEqual(self.pod_links(), [], "it was too quick to be caught")
        self.status()
        self.removed(gone[1])
        first, second = self.assert_all_verbs(old)
        self.go_on()
        self.agent.wait_notice("READY=1")
        self.assert_agent_knows(old, first, second)

    def test_every_verb_while_it_starts_again_over_what_is_pinned(self):
        self.agent.start()
        old, gone = self.made(), self.made()
        self.assert_agent_knows(old, gone)
        self.agent.kill()
        self.down_for(600)
        self.agent.start(ready=False)
        wait_until(self.lock_is_held, what="agent.lock")
        self.hang()
        self.status()
        self.removed(gone[1])
        first, second = self.assert_all_verbs(old)
        self.go_on()
        self.agent.wait_notice("READY=1")
        self.assert_agent_knows(old, first, second)

    def test_pods_that_come_and_go_all_the_while(self):
        """At each of its starts it sees all that is there and nothing that was."""
        kept = []
        for _ in range(5):
            self.agent.start(ready=False)
            gone, stays = self.made(), self.made()
            self.removed(gone[1])
            kept.append(stays)
            self.agent.wait_notice("READY=1")
            self.assert_agent_knows(*kept)
            self.agent.kill()


class Hung(PluginCase):
    def setUp(self):
        super().setUp()
        self.agent.start()
        self.old, self.gone = self.made(), self.made()
        self.assert_agent_knows(self.old, self.gone)

    def test_every_verb_and_all_is_seen_when_it_goes_on(self):
        self.hang()
        self.removed(self.gone[1])
        first, second = self.assert_all_verbs(self.old)
        self.status()
        self.go_on()
        self.assert_agent_knows(self.old, first, second)

    def test_pods_talk_however_long_it_hangs(self):
        self.hang()
        new = self.made()
        end = time.monotonic() + HEARTBEAT_LOST
        while time.monotonic() < end:
            self.assert_talk(self.old, self.gone)
            self.assert_talk(new, self.old)
        self.down_for(600)
        self.status()
        self.go_on()
        self.assert_agent_knows(self.old, self.gone, new)

    def test_killed_while_it_hangs(self):
        self.hang()
        self.removed(self.gone[1])
        first, second = self.assert_all_verbs(self.old)
        self.agent.kill()
        self.status()
        self.agent.start()
        self.assert_agent_knows(self.old, first, second)

    def test_same_pod_made_again_while_it_hangs(self):
        """The same names on another link: nothing of the former one is left."""
        pod, attachment, _, _ = self.old
        index = self.node.link(self.old[3])["ifindex"]
        self.hang()
        self.removed(attachment)
        _, attachment, result = self.verb(self.attach, self.net, pod)
        again = (pod, attachment, self.addresses(result), self.host_ifname(result))
        self.assert_talk(again, self.gone)
        self.go_on()
        self.assert_agent_knows(again, self.gone)
        self.assertNotEqual(self.agent.attachment(again[3])["IfIndex"], index)
        self.assertEqual(self.agent.attachment(again[3])["Addresses"],
                         [ip["address"] for ip in result["ips"]])


class HungAndDeaf(PluginCase):
    """With so small a buffer for events that most are lost meanwhile."""

    config = {"netlinkBuffer": 4096}

    def test_all_is_seen_when_it_goes_on(self):
        self.agent.start()
        old, gone = self.made(), self.made()
        self.assert_agent_knows(old, gone)
        self.hang()
        pods = [self.made() for _ in range(6)]
        for pod in pods[::2]:
            self.removed(pod[1])
        self.removed(gone[1])
        self.go_on()
        self.assert_agent_knows(old, *pods[1::2])
        manager = self.agent.properties("/org/podwire1", "Manager")
        self.assertGreater(manager["LostEvents"], 0)


class Running(PluginCase):
    def test_every_verb(self):
        self.agent.start()
        old = self.made()
        self.assert_agent_knows(old)
        first, second = self.assert_all_verbs(old)
        self.status()
        self.assert_agent_knows(old, first, second)
        for pod in (old, first, second):
            self.removed(pod[1])
        self.assert_agent_knows()
        self.assert_clean()

    def test_gc_of_all_pods(self):
        self.agent.start()
        kept, *gone = [self.made() for _ in range(3)]
        self.assert_agent_knows(kept, *gone)
        self.runtime.forget()
        self.assertEqual(self.verb(self.runtime.gc, self.net, [kept[1]]), [])
        self.assert_agent_knows(kept)


if __name__ == "__main__":
    unittest.main()
