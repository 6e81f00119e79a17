# SPDX-License-Identifier: GPL-2.0-or-later
"""The agent: what it sees, what it shows, what it counts and drops, what it leaves."""
import errno
import json
import os
import shutil
import signal
import socket
import threading
import time
import unittest

from agentcase import ON_BOTH_SIDES, AgentCase, map_ids, programs
from harness import traffic
from harness.case import V4
from harness.resources import PATIENCE, wait_until
from harness.seccomp import BPF_LINK_CREATE, refuse_bpf


class Sees(AgentCase):
    def test_pods_that_were_there_before_it(self):
        made = [self.attach(self.network()) for _ in range(3)]
        self.agent.start()
        names = {self.host_ifname(result) for _, _, result in made}
        self.assertEqual(set(self.agent.attachments()), names)
        for name in names:
            self.agent.wait_for(name, State="ready", SourceCheck="bpf", Path="kernel", PathReason="learning")

    def test_pods_that_come_and_go(self):
        self.agent.start()
        pod, attachment, result, name = self.wired()
        seen = self.agent.attachment(name)
        self.assertEqual(seen["Addresses"], [ip["address"] for ip in result["ips"]])
        self.assertEqual((seen["Namespace"], seen["Name"], seen["Uid"]), (pod.pod_namespace, pod.pod_name, pod.uid))
        self.assertEqual((seen["ContainerId"], seen["Network"], seen["Interface"]),
                         (attachment.container_id, "podnet", "eth0"))
        self.assertEqual(seen["IfIndex"], self.node.link(name)["ifindex"])
        self.runtime.delete(self.network(), attachment)
        wait_until(lambda: not self.agent.attachments(), what="no attachment")
        self.assertEqual([pin for pin in self.agent.bpffs.pins("podwire") if "_pod" in pin], [])

    def test_uplinks_are_the_devices_of_default_routes(self):
        self.agent.start()
        self.assertEqual(set(self.agent.devices()), {"eth0"})
        self.node.ip("link", "add", "other0", "type", "bridge")
        self.node.ip("link", "set", "other0", "up")
        self.node.ip("route", "add", "default", "dev", "other0", "metric", "500")
        wait_until(lambda: set(self.agent.devices()) == {"eth0", "other0"}, what="a second uplink")
        self.node.ip("link", "del", "other0")
        wait_until(lambda: set(self.agent.devices()) == {"eth0"}, what="one uplink again")

    def assert_uplinks(self, *names):
        wait_until(lambda: set(self.agent.devices()) == {"eth0", *names}, what=f"uplinks eth0 {names}")

    def test_uplinks_by_nexthop_objects(self):
        for compatible in "1", "0":  # "0": routes name nothing but the object
            with self.subTest(compatible=compatible):
                self.node.sysctl("net/ipv4/nexthop_compat_mode", compatible)
                for number in "1", "2", "3":
                    self.node.ip("link", "add", f"other{number}", "type", "bridge")
                    self.node.ip("link", "set", f"other{number}", "up")
                    self.node.ip("nexthop", "add", "id", number, "dev", f"other{number}")
                self.node.ip("route", "add", "default", "nhid", "1", "metric", "500")
                self.agent.start()
                self.assert_uplinks("other1")
                # what the object stands for changes, and not a word about the route
                self.node.ip("nexthop", "replace", "id", "1", "dev", "other2")
                self.assert_uplinks("other2")
                self.node.ip("nexthop", "add", "id", "10", "group", "2/3")
                self.node.ip("route", "add", "default", "nhid", "10", "metric", "600")
                self.assert_uplinks("other2", "other3")
                self.node.ip("nexthop", "replace", "id", "10", "group", "2")
                self.assert_uplinks("other2")
                self.node.ip("nexthop", "del", "id", "1")
                self.node.ip("nexthop", "del", "id", "10")
                self.assert_uplinks()
                for number in "1", "2", "3":
                    self.node.ip("link", "del", f"other{number}")
                self.agent.stop()

    def test_an_uplink_has_its_drivers_name(self):
        self.agent.start()
        self.assertEqual(self.agent.device("eth0")["Driver"], "veth")

    def test_a_link_without_a_record_and_a_record_without_a_link(self):
        self.agent.start()
        _, _, _, name = self.wired()
        record = os.path.join(self.node.state_dir, "attachments", f"{name}.json")
        with open(record, encoding="utf-8") as file:
            text = file.read()
        for _ in range(5):
            os.unlink(record)
            self.agent.wait_for(name, State="no-record", PathReason="record", SourceCheck="none")
            with open(record, "w", encoding="utf-8") as file:
                file.write(text)
            self.agent.wait_for(name, State="ready", PathReason="learning", SourceCheck="bpf")
        self.node.ip("link", "del", name)
        self.agent.wait_for(name, State="pending", IfIndex=0)

    def test_a_link_that_has_not_been_up_yet(self):
        self.agent.start()
        pod, _, _, name = self.wired()
        self.node.ip("link", "del", name)
        self.agent.wait_for(name, State="pending")
        self.node.ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", pod.name)
        self.agent.wait_for(name, State="ready", PathReason="learning", PathDetail="")

    def test_records_in_a_directory_that_was_made_anew(self):
        """Nobody tells of its end to who has it open, so it's found by looking, each ten seconds."""
        self.agent.start()
        self.wired()
        records = os.path.join(self.node.state_dir, "attachments")
        for remove in (lambda: shutil.rmtree(records),
                       lambda: os.rename(self.node.state_dir, f"{self.node.state_dir}.old")):
            remove()
            pod, _, result = self.attach(self.network())
            self.agent.wait_for(self.host_ifname(result), deadline=15, State="ready", SourceCheck="bpf")
            self.assertTrue(pod.ping("192.0.2.10", self.addresses(result)[0]))

    def test_records_that_cannot_be_used(self):
        self.agent.start()
        pod, _, result, name = self.wired()
        record = os.path.join(self.node.state_dir, "attachments", f"{name}.json")
        with open(record, encoding="utf-8") as file:
            good = file.read()
        for bad in ("", good[:len(good) // 2], '{"version": 99}', "[]", "\0"):
            with self.subTest(bad=bad[:20]):
                with open(record, "w", encoding="utf-8") as file:
                    file.write(bad)
                self.agent.wait_for(name, State="no-record", Path="kernel", PathReason="record")
                self.assertTrue(pod.ping("192.0.2.10", self.addresses(result)[0]))
                with open(record, "w", encoding="utf-8") as file:
                    file.write(good)
                self.agent.wait_for(name, State="ready", PathReason="learning")

    def test_pod_found_by_each_of_its_names(self):
        self.agent.start()
        pod, attachment, _, name = self.wired()
        for key in (name, f"{pod.pod_namespace}/{pod.pod_name}", attachment.container_id):
            self.assertEqual(self.agent.attachment(key)["HostInterface"], name)
        self.assertIsNone(self.agent.attachment("nobody"))


class Counts(AgentCase):
    def test_packets_and_bytes_of_both_directions_exactly(self):
        self.agent.start()
        pod, _, result, name = self.wired(self.network(V4))
        address = self.addresses(result)[0]
        # what the pod's kernel says of itself by IPv6, whenever it likes, is counted as well
        pod.sysctl("net/ipv6/conf/eth0/disable_ipv6", 1)
        before = self.agent.statistics(name)
        with pod.socket(socket.AF_INET, socket.SOCK_DGRAM) as stream:
            stream.bind((address, 0))
            for _ in range(50):
                stream.sendto(b"x" * 100, ("192.0.2.1", 9))
        after = self.agent.statistics(name)
        # Ethernet, IP and UDP headers; what comes back is the wire's ICMP: nobody listens there.
        self.assertEqual(after["in-packets"] - before["in-packets"], 50)
        self.assertEqual(after["in-bytes"] - before["in-bytes"], 50 * (14 + 20 + 8 + 100))
        self.assertEqual(after["in-spoofed"], before["in-spoofed"])

    def test_spoofed_packets_are_dropped_and_counted(self):
        self.agent.start()
        # rp_filter would drop most of them as well, and silently.
        pod, _, _, name = self.wired()
        self.node.sysctl(f"net/ipv4/conf/{name}/rp_filter", 0)
        pod.ip("address", "add", "10.1.0.200/32", "dev", "eth0")
        pod.ip("-6", "address", "add", "fd00:1::bad/128", "dev", "eth0", "nodad")
        for source, target in (("10.1.0.200", "192.0.2.1"), ("fd00:1::bad", "2001:db8::1")):
            with self.subTest(source=source):
                before = self.agent.statistics(name)["in-spoofed"]
                self.assertFalse(pod.ping(target, source, count=2, deadline=1))
                self.assertEqual(self.agent.statistics(name)["in-spoofed"] - before, 2)

    def test_allowed_sources_pass(self):
        self.agent.start()
        pod, _, _, name = self.wired(self.network(V4, allowedSources=["10.1.0.192/28"]))
        self.node.ip("route", "add", "10.1.0.200/32", "dev", name)
        pod.ip("address", "add", "10.1.0.200/32", "dev", "eth0")
        self.assertTrue(pod.ping("192.0.2.10", "10.1.0.200"))
        self.assertEqual(self.agent.statistics(name)["in-spoofed"], 0)

    def test_sources_that_were_allowed_before_the_agent_died(self):
        self.agent.start()
        pod, _, _, name = self.wired(self.network(V4, allowedSources=["10.1.0.192/28", "10.2.0.0/16"]))
        self.node.ip("route", "add", "10.1.0.200/32", "dev", name)
        pod.ip("address", "add", "10.1.0.200/32", "dev", "eth0")
        self.assertTrue(pod.ping("192.0.2.10", "10.1.0.200"))
        self.agent.kill()
        path = os.path.join(self.node.state_dir, "attachments", f"{name}.json")
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
        record["options"]["allowedSources"] = ["10.2.0.0/16"]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(record, file)
        self.agent.start()
        self.agent.wait_for(name, State="ready")
        self.assertFalse(pod.ping("192.0.2.10", "10.1.0.200", deadline=1))
        self.assertGreater(self.agent.statistics(name)["in-spoofed"], 0)

    def test_a_pod_without_the_check_may_send_from_anything(self):
        self.agent.start()
        pod, _, _, name = self.wired(self.network(V4, sourceCheck=False))
        self.agent.wait_for(name, SourceCheck="none")
        self.node.ip("route", "add", "10.9.9.9/32", "dev", name)
        pod.ip("address", "add", "10.9.9.9/32", "dev", "eth0")
        self.assertTrue(pod.ping("192.0.2.10", "10.9.9.9"))

    def test_a_pod_whose_mac_was_changed_goes_on(self):
        self.agent.start()
        pod, _, result, name = self.wired()
        pod.ip("link", "set", "eth0", "address", "02:00:00:00:77:77")
        for address in self.addresses(result):
            target = "2001:db8::10" if ":" in address else "192.0.2.10"
            wait_until(lambda t=target, a=address: pod.ping(t, a, deadline=1), 5, f"{address} reaches the node")


class Stays(AgentCase):
    def test_restart_keeps_maps_links_slots_and_counts(self):
        self.agent.start()
        pod, _, result, name = self.wired()
        self.assertTrue(pod.ping("192.0.2.10", self.addresses(result)[0], count=3))
        ids, pins = map_ids(self.agent), self.agent.bpffs.pins("podwire")
        counted = self.agent.statistics(name)["in-packets"]
        for end in (self.agent.stop, self.agent.kill):
            end()
            self.assertTrue(pod.ping("192.0.2.10", self.addresses(result)[0]))
            self.agent.start()
            self.agent.wait_for(name, State="ready")
            self.assertEqual(map_ids(self.agent), ids)
            self.assertEqual(self.agent.bpffs.pins("podwire"), pins)
            self.assertGreater(self.agent.statistics(name)["in-packets"], counted)

    def test_pods_that_went_while_it_was_away(self):
        self.agent.start()
        _, attachment, _, _ = self.wired()
        _, _, _, kept = self.wired()
        self.agent.kill()
        self.runtime.delete(self.network(), attachment)
        self.agent.start()
        self.assertEqual(set(self.agent.attachments()), {kept})
        self.assertEqual(programs(self.node, kept), ON_BOTH_SIDES)
        links = [pin for pin in self.agent.bpffs.pins("podwire") if "_pod" in pin]
        self.assertEqual(len(links), 2 if self.agent.has_tcx() else 0)

    def test_another_agent_is_refused(self):
        self.agent.start()
        done = self.node.run(self.agent.program, *self.agent.options(), check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("another podwired", done.stderr)

    def test_uninstall_leaves_nothing(self):
        kernels = self.agent.bpffs.pins()
        _, attachment, result = self.attach(self.network())
        self.agent.start()
        self.assertEqual(programs(self.node, self.host_ifname(result)), ON_BOTH_SIDES)
        self.agent.stop()
        self.assertIn("forwarding stays on", self.agent.uninstall())
        self.assertEqual(self.agent.bpffs.pins(), kernels)
        self.assertFalse(os.path.exists(os.path.join(self.agent.bpffs.path, "podwire")))
        for ifname in (self.host_ifname(result), "eth0"):
            self.assertEqual(programs(self.node, ifname), {"ingress": 0, "egress": 0})
        self.assertNotIn("clsact", self.node.run("tc", "qdisc", "show").stdout)
        self.assertEqual(self.node.sysctl("net/ipv4/ip_forward"), "1")
        self.runtime.delete(self.network(), attachment)
        self.agent.uninstall()
        self.assertEqual(self.node.sysctl("net/ipv4/ip_forward"), "0")
        self.assertEqual(self.node.sysctl("net/ipv6/conf/all/forwarding"), "0")
        self.assertEqual(sorted(os.listdir(self.node.runtime_dir)), ["lock"])


class Configured(AgentCase):
    config = {"uplinks": ["eth0"]}

    def test_bad_configuration_ends_it_with_file_line_and_key(self):
        self.agent.configure('{\n  "uplinks": ["eth0"],\n  "cpuQueue": 0\n}\n')
        self.agent.start(ready=False)
        self.assertEqual(self.agent.process.wait(10 * PATIENCE), 1)
        self.assertIn(f"{self.agent.config}:3: cpuQueue: ", self.agent.log())

    def test_reload_keeps_the_old_one_when_the_new_one_is_wrong(self):
        self.agent.start()
        self.agent.configure('{"uplinks": 5}')
        self.agent.signal(signal.SIGHUP)
        self.agent.wait_notice("READY=1")
        self.assertIn("keeping the old configuration", self.agent.log())
        self.assertEqual(set(self.agent.devices()), {"eth0"})
        self.agent.configure('{"uplinks": ["nothere0"]}')
        self.agent.signal(signal.SIGHUP)
        self.agent.wait_notice("READY=1")
        wait_until(lambda: not self.agent.devices(), what="no uplink")


class WithoutTcx(AgentCase):
    """A kernel before 6.6: chained plugins have five seconds for theirs."""

    def setUp(self):
        super().setUp()
        self.agent.prepare = refuse_bpf(errno.EINVAL, BPF_LINK_CREATE)
        self.agent.start()
        self.assertIn("clsact", self.agent.manager()["Features"])

    def test_a_new_pod_waits_and_its_changes_do_not(self):
        pod, _, result = self.attach(self.network())
        name, begin = self.host_ifname(result), time.monotonic()
        self.agent.wait_for(name, deadline=10, State="ready", SourceCheck="bpf")
        self.assertGreater(time.monotonic() - begin, 4)
        pod.ip("link", "set", "eth0", "address", "02:00:00:00:77:77")
        for address in self.addresses(result):
            target = "2001:db8::10" if ":" in address else "192.0.2.10"
            wait_until(lambda t=target, a=address: pod.ping(t, a, deadline=1), 4, f"{address} reaches the node")

    def test_events_all_the_time_do_not_keep_a_pod_waiting(self):
        done = threading.Event()

        def busy():
            number = 0
            while not done.wait(0.3):
                number += 1
                self.node.ip("link", "set", "noise", "mtu", 1280 + number)
        self.node.ip("link", "add", "noise", "type", "bridge")
        noise = threading.Thread(target=busy)
        noise.start()
        self.addCleanup(noise.join)
        self.addCleanup(done.set)
        _, _, result = self.attach(self.network())
        self.agent.wait_for(self.host_ifname(result), deadline=10, State="ready", SourceCheck="bpf")


class WithoutBus(AgentCase):
    bus = False

    def test_pods_are_served_all_the_same(self):
        self.agent.start()
        a, _, first = self.attach(self.network())
        b, _, second = self.attach(self.network())
        wait_until(lambda: all(programs(self.node, self.host_ifname(pod)) == ON_BOTH_SIDES for pod in (first, second)),
                   what="both pods' programs")
        traffic.tcp_echo(a, b, self.addresses(second)[0], source=self.addresses(first)[0])


if __name__ == "__main__":
    unittest.main()
