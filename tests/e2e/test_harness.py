# SPDX-License-Identifier: GPL-2.0-or-later
"""The harness itself, against Debian's reference plugins: a runner that is wrong would prove nothing."""
import os
import signal
import subprocess
import sys
import unittest

from harness import flannel, netns, results, traffic
from harness.case import SOURCE_DIR, conflist, host_local, reserved
from harness.fakeipam import Answer, Die, Fail, FakeIpam, Gate, Hang, Print, Sequence
from harness.libcni import Attachment, Multus, NetworkList, PluginError, Runtime

MODEL = {"interfaces": [{"name": "h", "mac": "02:00:00:00:00:01", "mtu": 1500},
                        {"name": "eth0", "mac": "02:00:00:00:00:02", "mtu": 1500, "sandbox": "/x"}],
         "ips": [{"interface": 1, "address": "10.9.0.2/24", "gateway": "10.9.0.1"},
                 {"interface": 1, "address": "10.8.0.2/24"}, {"interface": 1, "address": "fd00::2/64"}],
         "routes": [{"dst": "0.0.0.0/0", "gw": "10.9.0.1", "mtu": 1400}, {"dst": "::/0"}],
         "dns": {"nameservers": ["10.0.0.1"]}}
IPAM = {"ips": [{"address": "10.9.0.2/24", "gateway": "10.9.0.1"}], "routes": [{"dst": "0.0.0.0/0"}]}


class Conversion(unittest.TestCase):
    def test_newest_to_oldest_keeps_the_first_address_of_a_family(self):
        self.assertEqual(results.convert(dict(MODEL, cniVersion="1.1.0"), "0.2.0"), {
            "cniVersion": "0.2.0",
            "ip4": {"ip": "10.9.0.2/24", "gateway": "10.9.0.1", "routes": [{"dst": "0.0.0.0/0", "gw": "10.9.0.1"}]},
            "ip6": {"ip": "fd00::2/64", "routes": [{"dst": "::/0"}]}, "dns": {"nameservers": ["10.0.0.1"]}})

    def test_0_4_0_has_a_version_in_each_address_and_no_mtu(self):
        converted = results.convert(dict(MODEL, cniVersion="1.1.0"), "0.4.0")
        self.assertEqual([ip["version"] for ip in converted["ips"]], ["4", "4", "6"])
        self.assertNotIn("mtu", converted["interfaces"][0])
        self.assertEqual(converted["routes"][0], {"dst": "0.0.0.0/0", "gw": "10.9.0.1"})

    def test_there_and_back_loses_only_what_the_old_version_cannot_say(self):
        back = results.convert(results.convert(dict(MODEL, cniVersion="1.1.0"), "0.3.1"), "1.1.0")
        self.assertEqual(back["ips"], MODEL["ips"])
        self.assertEqual(back["routes"], [{"dst": "0.0.0.0/0", "gw": "10.9.0.1"}, {"dst": "::/0"}])

    def test_no_address_cannot_be_said_in_0_2_0(self):
        with self.assertRaises(results.ConversionError):
            results.convert({"cniVersion": "1.0.0", "ips": []}, "0.2.0")


class NodeCase(unittest.TestCase):
    def setUp(self):
        self.node = netns.Node(self)
        self.runtime = Runtime(self.node)


class Runner(NodeCase):
    def test_reference_ptp_through_its_life(self):
        self.node.bridge()
        self.node.uplink()
        net = conflist({"type": "ptp", "ipam": host_local(self.node, "10.1.0.0/24")},
                       {"type": "tuning", "dataDir": f"{self.node.directory}/tuning",
                        "sysctl": {"net.ipv4.conf.all.accept_redirects": "0"}})
        pods = [self.node.pod() for _ in range(2)]
        answers = [self.runtime.add(net, Attachment.of(pod)) for pod in pods]
        address = answers[1]["ips"][0]["address"].split("/")[0]
        self.assertTrue(pods[0].ping(address))
        traffic.tcp_echo(pods[0], pods[1], address)
        self.assertEqual(len(reserved(self.node)), 2)
        self.runtime.check(net, Attachment.of(pods[0]))
        for pod in pods:
            for _ in range(2):
                self.runtime.delete(net, Attachment.of(pod))
        self.assertEqual(reserved(self.node), {})

    def test_order_and_prev_result_of_a_chain(self):
        stubs = [FakeIpam(self.node, name, ADD=Answer(dict(MODEL, dns={"domain": name}))) for name in ("one", "two")]
        net = conflist({"type": "one"}, {"type": "two", "capabilities": {"ips": True, "mac": False}}, version="0.4.0")
        attachment = Attachment("id", "/x", capability_args={"ips": ["10.0.0.1"], "mac": "x"})
        self.runtime.add(net, attachment)
        first, second = (stub.calls("ADD")[0].config for stub in stubs)
        self.assertNotIn("prevResult", first)
        self.assertEqual(second["prevResult"]["dns"], {"domain": "one"})
        self.assertEqual(second["prevResult"]["ips"][0]["version"], "4")
        self.assertEqual((first.get("runtimeConfig"), second["runtimeConfig"]), (None, {"ips": ["10.0.0.1"]}))
        self.runtime.check(net, attachment)
        self.runtime.delete(net, attachment)
        order = [(os.path.basename(c.plugin), c.command) for c in self.runtime.calls]
        self.assertEqual(order, [("one", "ADD"), ("two", "ADD"), ("one", "CHECK"), ("two", "CHECK"),
                                 ("two", "DEL"), ("one", "DEL")])
        self.assertEqual(stubs[0].calls("DEL")[0].config["prevResult"]["dns"], {"domain": "two"})
        self.assertIsNone(self.runtime.cached_result(net, attachment))

    def test_gc_deletes_what_is_stale_and_then_calls_gc(self):
        stub = FakeIpam(self.node, "one", ADD=Answer(MODEL))
        net = conflist({"type": "one"}, version="1.1.0")
        keep, stale = Attachment("keep", "/x"), Attachment("stale", "/y")
        for attachment in (keep, stale):
            self.runtime.add(net, attachment)
        self.assertEqual(self.runtime.gc(net, [keep]), [])
        self.assertEqual([c.command for c in stub.calls()], ["ADD", "ADD", "DEL", "GC"])
        self.assertEqual(stub.calls("DEL")[0].environment["CNI_CONTAINERID"], "stale")
        config = stub.calls("GC")[0].config
        self.assertEqual(config["cni.dev/valid-attachments"], [{"containerID": "keep", "ifname": "eth0"}])
        self.assertEqual(config["cni.dev/attachments"], config["cni.dev/valid-attachments"])

    def test_single_configuration_and_versions_offered(self):
        self.assertEqual(len(NetworkList({"name": "n", "cniVersion": "0.2.0", "type": "ptp"}).plugins), 1)
        offered = NetworkList({"name": "n", "cniVersion": "0.4.0", "cniVersions": ["1.0.0", "9.9.9"], "plugins": []})
        self.assertEqual(offered.version, "1.0.0")

    def test_multus_takes_back_what_it_added(self):
        good = FakeIpam(self.node, "good", ADD=Answer(MODEL))
        FakeIpam(self.node, "bad", ADD=Fail(7, "no"))
        multus = Multus(self.runtime, [conflist({"type": "good"}, name="a"), conflist({"type": "bad"}, name="b")])
        with self.assertRaises(PluginError):
            multus.add(Attachment("id", "/x"))
        self.assertEqual([c.command for c in good.calls()], ["ADD", "DEL"])
        self.assertEqual(good.calls("ADD")[0].environment["CNI_IFNAME"], "eth0")

    def test_flannel_fills_its_delegate_and_remembers_it(self):
        flannel.install(self.node, ["10.244.1.0/24"], ["10.244.0.0/16"], mtu=1450)
        stub = FakeIpam(self.node, "delegate", ADD=Answer(MODEL))
        net = conflist({"type": "flannel", "delegate": {"type": "delegate"}}, name="cbr0")
        self.runtime.add(net, Attachment("id", "/x"))
        self.runtime.delete(net, Attachment("id", "/x"))
        added, deleted = stub.calls()
        self.assertEqual((added.config["mtu"], added.config["name"]), (1450, "cbr0"))
        self.assertEqual(added.config["ipam"]["ranges"], [[{"subnet": "10.244.1.0/24"}]])
        self.assertEqual(deleted.config["ipam"], added.config["ipam"])


class Stubs(NodeCase):
    def call(self, stub, command="ADD", version="1.0.0"):
        return self.runtime.call(command, conflist({"type": stub.name}, version=version), Attachment("id", "/x"))

    def test_answers_in_the_version_asked(self):
        stub = FakeIpam(self.node, "stub", ADD=Answer(IPAM))
        self.assertIn("ip4", self.call(stub, version="0.2.0").json)
        self.assertEqual(self.call(stub, version="0.4.0").json["ips"][0]["version"], "4")
        stub.set(versions=("0.3.1",))
        self.assertEqual(self.call(stub).json["code"], 1)

    def test_fails_dies_and_prints_as_told(self):
        stub = FakeIpam(self.node, "stub", ADD=Fail(11, "it's \"busy\""), DEL=Die(signal.SIGSEGV), CHECK=Print("x", 3))
        self.assertEqual(self.call(stub).json["msg"], "it's \"busy\"")
        self.assertEqual(self.call(stub, "DEL").status, -signal.SIGSEGV)
        call = self.call(stub, "CHECK")
        self.assertEqual((call.status, call.stdout), (3, b"x"))

    def test_sequence_and_log(self):
        stub = FakeIpam(self.node, "stub", ADD=Sequence(Fail(1, "first"), Answer(IPAM)))
        self.assertEqual([self.call(stub).status for _ in range(3)], [1, 0, 0])
        self.assertEqual([c.command for c in stub.calls()], ["ADD"] * 3)

    def test_gate_holds_until_released(self):
        gate = Gate(self.node.directory)
        stub = FakeIpam(self.node, "stub", ADD=Hang(gate, Answer(IPAM)))
        running = self.runtime.start("ADD", conflist({"type": "stub"}), Attachment("id", "/x"))
        gate.wait()
        self.assertIsNone(running.process.poll())
        gate.release()
        self.assertEqual(running.wait().status, 0)
        self.assertEqual(len(stub.calls("ADD")), 1)


class Ends(unittest.TestCase):
    """Nothing stays of a run that is stopped in the middle."""

    SCRIPT = ("import sys; sys.path.insert(0, sys.argv[1])\n"
              "from harness import netns\n"
              "node = netns.Node(); node.uplink(); node.popen('sleep', '1000')\n"
              "print(node.name, node.directory, flush=True)\n"
              "sys.stdin.read()\n")

    def start(self):
        child = subprocess.Popen([sys.executable, "-c", self.SCRIPT, os.path.join(SOURCE_DIR, "tests")],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.stdin.close)
        return child, child.stdout.readline().split()

    def gone(self, name, directory):
        return not os.path.exists(netns.resources.netns_path(name)) and not os.path.exists(directory)

    def test_sigterm_cleans_up(self):
        child, names = self.start()
        child.terminate()
        self.assertEqual(child.wait(30), -signal.SIGTERM)
        self.assertTrue(self.gone(*names))

    def test_end_of_the_script_cleans_up(self):
        child, names = self.start()
        child.stdin.close()
        self.assertEqual(child.wait(30), 0)
        self.assertTrue(self.gone(*names))

    def test_the_next_run_sweeps_after_sigkill(self):
        child, names = self.start()
        child.kill()
        child.wait(30)
        self.assertFalse(self.gone(*names))
        other, _ = self.start()
        other.stdin.close()
        other.wait(30)
        self.assertTrue(self.gone(*names))


if __name__ == "__main__":
    unittest.main()
