# SPDX-License-Identifier: GPL-2.0-or-later
"""Every verb under valgrind, what succeeds and what fails: no error, and nothing lost of any kind."""
import os
import shlex
import shutil
import subprocess
import unittest

from harness import resources
from harness.case import (PODWIRE, V4, V6, Case, assert_error_call, conflist, host_local, new_node,
                          podwire)
from harness.fakeipam import Answer, Die, Fail, FakeIpam, Print
from harness.libcni import Attachment, Runtime

LEAKS = "definite,indirect,possible"
# What a DEL leaves behind to wait for the kernel ends by _exit() with a copy of our heap: nothing is lost there.
OPTIONS = ("--quiet", "--child-silent-after-fork=yes",
           "--sim-hints=lax-ioctls", "--error-exitcode=98", "--track-origins=yes", "--leak-check=full",
           f"--show-leak-kinds={LEAKS}", f"--errors-for-leak-kinds={LEAKS}")
MODEL = {"ips": [{"address": "10.1.0.5/24", "gateway": "10.1.0.1"}, {"address": "fd00:1::5/64"}],
         "routes": [{"dst": "0.0.0.0/0"}, {"dst": "::/0"}], "dns": {"nameservers": ["10.0.0.10"]}}


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
class Verbs(Case):
    def setUp(self):
        self.node = new_node(self)
        self.logs = resources.temporary_directory("valgrind")
        self.addCleanup(resources.remove_directory, self.logs)
        self.plugin_under_valgrind = self._wrap()
        os.unlink(os.path.join(self.node.bin_dir, "podwire"))
        self.node.install_copy("podwire", self.plugin_under_valgrind)
        self.runtime = Runtime(self.node)
        self.addCleanup(self.assert_silent)

    def _wrap(self):
        path = os.path.join(self.logs, "podwire")
        command = ["valgrind", *OPTIONS, f"--log-file={self.logs}/%p.log", PODWIRE]
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
        os.chmod(path, 0o755)
        return path

    def assert_silent(self):
        """One log a call: an exit status alone would hide what a failing call did wrong."""
        logs = [name for name in os.listdir(self.logs) if name.endswith(".log")]
        self.assertTrue(logs, "valgrind has not run")
        for name in logs:
            with open(os.path.join(self.logs, name), encoding="utf-8", errors="replace") as file:
                # "--PID--" is valgrind about itself: a system call that it doesn't know.
                found = [line for line in file if not line.startswith("--")]
            self.assertEqual("".join(found), "")

    def network(self, version, ipam=None, **keys):
        ipam = ipam or host_local(self.node, V4, V6)
        return conflist(podwire(self.node, ipam, **keys), version=version)

    def fails(self, code, verb, network, pod, **environment):
        call = self.runtime.call(verb, network, Attachment.of(pod), **environment)
        assert_error_call(self, call, code)

    def test_life_of_a_pod_in_each_version(self):
        for version in "0.2.0", "0.4.0", "1.0.0", "1.1.0":
            with self.subTest(version=version):
                network = self.network(version, ipMasq=True, masqExclude=["10.0.0.0/8"])
                self.runtime.version("podwire")
                self.runtime.status(network)
                _, attachment, _ = self.attach(network)
                if version not in ("0.2.0",):
                    self.runtime.check(network, attachment)
                self.assertEqual(self.runtime.gc(network, [attachment]), [])
                self.runtime.delete(network, attachment)
                self.runtime.delete(network, attachment)
        self.assert_clean()

    def test_pods_of_which_one_is_stale(self):
        network = self.network("1.1.0", ipMasq=True)
        _, _, _ = self.attach(network)
        _, kept, result = self.attach(network)
        self.runtime.forget()
        self.assertEqual(self.runtime.gc(network, [kept]), [])
        self.assertEqual(len(self.node.records()), 1)
        self.assertEqual(self.runtime.call("CHECK", network, kept, previous=result).status, 0)
        self.runtime.delete(network, kept)

    def test_second_interface_in_a_chain(self):
        self.node.uplink()
        keys = {"gateway": "ipam", "hostAddress": ["192.0.2.10", "2001:db8::10"]}
        networks = [self.network("1.0.0", routeMetric=metric, **keys) for metric in (100, 200)]
        pod, first, _ = self.attach(networks[0])
        _, second, _ = self.attach(networks[1], pod, "net1")
        self.runtime.check(networks[1], second)
        for network, attachment in zip(reversed(networks), (second, first)):
            self.runtime.delete(network, attachment)

    def test_what_a_runtime_asks_for(self):
        network = self.network("1.0.0", capabilities={"ips": True, "mac": True, "podwire": True})
        wishes = {"ips": ["10.1.0.77", "fd00:1::77"], "mac": "02:00:00:00:00:77", "podwire": {"fastPath": "off"}}
        _, attachment, _ = self.attach(network, capability_args=wishes)
        self.runtime.delete(network, attachment)

    def test_no_ipam(self):
        network = conflist(podwire(self.node), version="1.0.0")
        pod, attachment, _ = self.attach(network)
        pod.vanish()
        self.runtime.delete(network, attachment)

    def test_faults_of_ipam(self):
        pod = self.node.pod()
        ipam = FakeIpam(self.node, "ipam")
        network = self.network("1.0.0", {"type": "ipam"})
        for add, code in ((Fail(11, "busy", "later"), 11), (Die(), 102), (Print("garbage"), 102), (Print(""), 102),
                          (Print("no error", 3), 102), (Answer({}), 102),
                          (Answer({"ips": [{"address": "banana"}]}, raw=True), 102)):
            with self.subTest(add=vars(add)):
                ipam.set(ADD=add)
                self.fails(code, "ADD", network, pod)
        ipam.set(ADD=Answer(MODEL), DEL=Fail(5, "store is gone"))
        self.assertIn("ips", self.runtime.call("ADD", network, Attachment.of(pod)).json)
        self.fails(5, "DEL", network, pod)
        self.fails(102, "ADD", self.network("1.1.0", {"type": "nowhere"}), pod)

    def test_faults_of_the_pod(self):
        network = self.network("1.1.0")
        pod, attachment, result = self.attach(network)
        self.fails(101, "ADD", network, pod)
        pod.ip("link", "set", "eth0", "down")
        call = self.runtime.call("CHECK", network, attachment, previous=result)
        assert_error_call(self, call, 103)
        pod.vanish()
        self.assertNotEqual(self.runtime.call("CHECK", network, attachment, previous=result).status, 0)
        self.runtime.delete(network, attachment)

    def test_faults_of_the_call(self):
        pod = self.node.pod()
        self.fails(7, "ADD", self.network("1.0.0", mtu="x", queues=65, masqExclude=["10.0.0.1/8"]), pod)
        self.fails(1, "ADD", self.network("9.9.9"), pod)
        self.fails(1, "GC", self.network("1.0.0"), pod)
        self.fails(4, "ADD", self.network("1.0.0"), pod, CNI_IFNAME="a/b", CNI_ARGS="IP=x", CNI_NETNS="")
        self.fails(8, "ADD", self.network("1.0.0"), pod, CNI_NETNS="/etc/passwd")

    def test_command_line(self):
        bad = os.path.join(self.logs, "bad.conflist")
        with open(bad, "w", encoding="utf-8") as file:
            file.write('{"name":"-","plugins":[{"type":"podwire","mtu":1,"hostAddress":["::1","::2"]}]}')
        for status, arguments in ((0, []), (0, ["--help"]), (0, ["--version"]), (2, ["--nonsense"]),
                                  (1, ["--validate", bad]), (2, ["--validate", "/no/such/file"])):
            with self.subTest(arguments=arguments):
                done = subprocess.run([self.plugin_under_valgrind, *arguments], capture_output=True, timeout=60,
                                      check=False)
                self.assertEqual(done.returncode, status, done)


if __name__ == "__main__":
    unittest.main()
