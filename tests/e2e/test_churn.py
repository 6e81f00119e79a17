# SPDX-License-Identifier: GPL-2.0-or-later
"""Many pods at once, the same calls again and again, and an address that moves from pod to pod."""
import json
import os
import random

from faults import FaultCase
from harness import traffic
from harness.case import PODWIRE, conflist, podwire, reserved
from harness.fakeipam import Answer, FakeIpam
from harness.libcni import Attachment
from harness.netns import Pod

PODS = 50
ROUNDS = 10


class ChurnCase(FaultCase):
    plugin = PODWIRE

    def setUp(self):
        super().setUp()
        self.net = self.network()

    def finish(self, running):
        """Of calls that were started: all must succeed and say nothing but their results."""
        calls = [one.wait() for one in running]
        for call in calls:
            self.assertEqual((call.status, call.stderr), (0, b""), repr(call))
            if call.command != "ADD":
                self.assertEqual(call.stdout, b"", repr(call))
        return calls

    def together(self, command, attachments):
        return self.finish([self.runtime.start(command, self.net, attachment) for attachment in attachments])


def addresses(result):
    return [ip["address"].split("/")[0] for ip in result["ips"]]


def sandboxes(pods):
    """The pods restarted: a new container id each, in the namespace that is there."""
    return [Attachment(os.urandom(32).hex(), pod.path, cni_args=pod.cni_args) for pod in pods]


class ManyAtOnce(ChurnCase):
    def setUp(self):
        super().setUp()
        self.pods = [Pod(self) for _ in range(PODS)]
        self.chance = random.Random(4)
        self.before = self.picture()

    def assert_as_before(self):
        """What pods had goes with their interfaces."""
        self.assert_same(self.picture(), self.before)
        self.assertEqual([name for pod in self.pods for name in pod.ifnames() if name != "lo"], [])

    def assert_all_differ(self, results):
        """No two have an address, a link name or a MAC in common, and the node has what the results say."""
        ips = [address for result in results for address in addresses(result)]
        names = [self.host_ifname(result) for result in results]
        macs = [interface["mac"] for result in results for interface in result["interfaces"]]
        for values, each in ((ips, 2), (names, 1), (macs, 2)):
            self.assertEqual(len(set(values)), each * len(results), values)
        self.assertEqual(set(reserved(self.node)), set(ips))
        self.assertEqual(self.node.host_ends(), sorted(names))
        records = self.node.records()
        self.assertEqual(sorted(records), sorted(names))
        self.assertEqual({record["state"] for record in records.values()}, {"ready"})

    def assert_connected(self, pods, results, samples=3):
        for _ in range(samples):
            a, b = self.chance.sample(range(len(pods)), 2)
            for mine, theirs in zip(addresses(results[a]), addresses(results[b])):
                self.assertEqual(traffic.tcp_echo(pods[a], pods[b], theirs, size=5000), mine)

    def test_fifty_adds_then_fifty_dels_ten_times(self):
        """field-reports 6.1, row 10, from a node that doesn't forward yet."""
        for _ in range(ROUNDS):
            attachments = sandboxes(self.pods)
            results = [call.json for call in self.together("ADD", attachments)]
            self.assert_all_differ(results)
            self.assert_connected(self.pods, results)
            self.chance.shuffle(attachments)
            self.together("DEL", attachments)
            self.assert_nothing_left()
        self.assert_as_before()
        with open(f"{self.node.runtime_dir}/sysctl.lock", encoding="ascii") as file:
            self.assertEqual(json.load(file), {"ipv4/ip_forward": "0", "ipv6/conf/all/forwarding": "0"})

    def test_adds_and_dels_at_once(self):
        """What a node sees whose pods are replaced: the old ones go while the new ones come."""
        here, there = self.pods[:PODS // 2], self.pods[PODS // 2:]
        old = sandboxes(here)
        self.together("ADD", old)
        for _ in range(3):
            new = sandboxes(there)
            running = []
            for going, coming in zip(old, new):
                running += [self.runtime.start("DEL", self.net, going), self.runtime.start("ADD", self.net, coming)]
            results = [call.json for call in self.finish(running) if call.command == "ADD"]
            self.assert_all_differ(results)
            self.assert_connected(there, results)
            old, here, there = new, there, here
        self.together("DEL", old)
        self.assert_as_before()

    def test_check_of_all_at_once(self):
        attachments = sandboxes(self.pods)
        results = [call.json for call in self.together("ADD", attachments)]
        self.finish([self.runtime.start("CHECK", self.net, attachment, result)
                     for attachment, result in zip(attachments, results)])
        self.together("DEL", attachments)
        self.assert_as_before()


class TheSameAgain(ChurnCase):
    """One attachment, called more often than a runtime should."""

    def setUp(self):
        super().setUp()
        self.pod = self.node.pod()
        self.attachment = Attachment.of(self.pod)
        self.before = self.picture(self.pod)

    def start(self, command, **environment):
        return self.runtime.start(command, self.net, self.attachment, **environment)

    def call(self, command):
        return self.start(command).wait()

    def test_del_before_any_add(self):
        for _ in range(3):
            self.assert_done(self.call("DEL"))
        self.assert_same(self.picture(self.pod), self.before)
        self.runtime.add(self.net, self.attachment)
        self.runtime.check(self.net, self.attachment)

    def test_del_three_times_with_and_without_what_the_runtime_kept(self):
        for previous in (True, False):
            with self.subTest(previous=previous):
                result = self.runtime.add(self.net, self.attachment) if previous else None
                for _ in range(3):
                    self.assert_done(self.runtime.call("DEL", self.net, self.attachment, result))
                    self.assert_same(self.picture(self.pod), self.before)

    def test_del_with_the_namespace_gone(self):
        """By its path, which is gone too, and without a path at all; three times each."""
        for netns in (None, ""):
            with self.subTest(netns=netns):
                pod, attachment, result = self.attach(self.net)
                pod.vanish()
                if netns is not None:
                    attachment = attachment.replace(netns=netns)
                for previous in (result, result, None):
                    self.assert_done(self.runtime.call("DEL", self.net, attachment, previous))
                self.assert_same(self.picture(self.pod), self.before)

    def test_del_whose_path_is_another_pods_namespace_by_now(self):
        pod, attachment, _ = self.attach(self.net)
        other, another, _ = self.attach(self.net)
        pod.vanish()
        before = {line for line in self.picture(other) if line.startswith("pod ")}
        self.assert_done(self.runtime.call("DEL", self.net, attachment.replace(netns=other.path)))
        self.assertEqual({line for line in self.picture(other) if line.startswith("pod ")}, before)
        self.runtime.check(self.net, another)

    def test_dels_at_once(self):
        self.runtime.add(self.net, self.attachment)
        self.finish([self.start("DEL") for _ in range(8)])
        self.assert_same(self.picture(self.pod), self.before)

    def test_adds_at_once_make_one(self):
        calls = [running.wait() for running in [self.start("ADD") for _ in range(8)]]
        made = [call for call in calls if call.status == 0]
        self.assertEqual(len(made), 1, calls)
        for call in calls:
            if call.status:
                self.assertEqual(call.json["code"], 101, repr(call))
        self.assertEqual(set(reserved(self.node)), set(addresses(made[0].json)))
        self.assert_done(self.runtime.call("CHECK", self.net, self.attachment, made[0].json))
        self.assert_done(self.call("DEL"))
        self.assert_same(self.picture(self.pod), self.before)

    def test_add_and_del_at_once(self):
        for _ in range(10):
            add, delete = self.start("ADD"), self.start("DEL")
            self.assert_done(delete.wait())
            self.assertEqual(add.wait().status, 0)
            self.assert_done(self.call("DEL"))
            self.assert_same(self.picture(self.pod), self.before)


class MovingAddress(ChurnCase):
    """A fixed address goes from an old pod to a new one while both are there, in either order."""

    def setUp(self):
        super().setUp()
        self.ipam = FakeIpam(self.node, "fixed", ADD=Answer({
            "ips": [{"address": "10.1.0.50/24"}, {"address": "fd00:1::50/64"}],
            "routes": [{"dst": "0.0.0.0/0"}, {"dst": "::/0"}]}))
        self.client, _, _ = self.attach(self.net)
        self.before = self.picture(self.client)

    def move(self, order, ip_masq, record_lost=False):
        net = conflist(podwire(self.node, {"type": "fixed"}, ipMasq=ip_masq), name="fixed")
        old, new = self.node.pod(), self.node.pod()
        one, other = Attachment.of(old), Attachment.of(new)
        first = self.runtime.call("ADD", net, one).json
        if record_lost:
            os.unlink(f"{self.node.state_dir}/attachments/{self.host_ifname(first)}.json")
        running = {}
        for command in order.replace("+", " ").split():
            running[command] = (self.runtime.start("ADD", net, other) if command == "ADD"
                                else self.runtime.start("DEL", net, one, first))
            if "+" not in order:
                running[command] = running[command].wait()
        if "+" in order:
            running = {command: one.wait() for command, one in running.items()}
        self.assert_done(running["DEL"])
        self.assertEqual(running["ADD"].status, 0, repr(running["ADD"]))
        second = running["ADD"].json

        self.assert_has_it(new, ip_masq)
        self.assert_done(self.runtime.call("CHECK", net, other, second))
        # The DEL of the old one once more, as late as can be.
        self.assert_done(self.runtime.call("DEL", net, one, first))
        self.assert_has_it(new, ip_masq)
        self.assert_done(self.runtime.call("DEL", net, other, second))
        self.assert_same(self.picture(self.client), self.before)

    def assert_has_it(self, pod, ip_masq):
        for address, node, world in (("10.1.0.50", "192.0.2.10", "192.0.2.1"),
                                     ("fd00:1::50", "2001:db8::10", "2001:db8::1")):
            traffic.tcp_echo(self.client, pod, address, size=5000)
            traffic.tcp_echo(self.node, pod, address, size=5000)
            if ip_masq:
                self.assertEqual(traffic.udp_echo(pod, self.node.peer, world), node)

    def test_add_of_the_new_then_del_of_the_old(self):
        self.move("ADD DEL", ip_masq=False)

    def test_add_of_the_new_then_del_of_the_old_with_masquerade(self):
        self.move("ADD DEL", ip_masq=True)

    def test_add_of_the_new_then_del_of_the_old_whose_record_is_lost(self):
        self.move("ADD DEL", ip_masq=True, record_lost=True)

    def test_del_of_the_old_then_add_of_the_new(self):
        self.move("DEL ADD", ip_masq=False)

    def test_del_of_the_old_then_add_of_the_new_with_masquerade(self):
        self.move("DEL ADD", ip_masq=True)

    def test_both_at_once(self):
        for n in range(10):
            with self.subTest(round=n):
                self.move("ADD+DEL" if n % 2 else "DEL+ADD", ip_masq=True)

    def test_old_one_goes_by_gc(self):
        net = conflist(podwire(self.node, {"type": "fixed"}, ipMasq=True), name="fixed", version="1.1.0")
        self.attach(net)
        new, attachment, _ = self.attach(net)
        self.runtime.forget()
        self.assertEqual(self.runtime.gc(net, [attachment]), [])
        self.assert_has_it(new, True)
