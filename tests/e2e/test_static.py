# SPDX-License-Identifier: GPL-2.0-or-later
"""podwire-static where there is nothing but itself.

In an empty directory as its root it answers VERSION, --help, --version and --validate, and says what is
wrong with a call. To wire a pod it needs what the call names: /proc, the pod's namespace, its own
directories and, where the network has one, the IPAM plugin (host-local is given its C library there).
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import unittest

from harness import resources
from harness.case import (PODWIRE_STATIC, REFERENCE_DIR, V4, V6, Case, assert_error_call, conflist, host_local,
                          podwire)
from harness.libcni import Attachment, call_plugin, plugin_environment

# All that a dynamic program, or a static one with dlopen(), would look for.
LOADED = re.compile(r"\.so(\.|\"|$)|ld\.so|nsswitch|gconv|locale-archive|/lib(64)?/")


def needs(path):
    """The loader and the libraries of a program."""
    listed = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
    return re.findall(r"(/\S+) \(0x", listed)


class Root:
    """A directory that becomes the plugin's root, with a few files and directories of ours in it."""

    def __init__(self, test):
        self.path = resources.temporary_directory("root")
        test.addCleanup(resources.remove_directory, self.path)
        shutil.copy(PODWIRE_STATIC, os.path.join(self.path, "podwire-static"))
        self.binds = []

    def bind(self, *paths):
        """These are in it as well, by their own names; only for the plugin's run, in a namespace of its own."""
        for path in paths:
            place = self.path + path
            if os.path.isdir(path):
                os.makedirs(place, exist_ok=True)
            else:
                os.makedirs(os.path.dirname(place), exist_ok=True)
                open(place, "w", encoding="ascii").close()
            self.binds.append(path)
        return self

    def command(self, *arguments, trace=None):
        """The argv that runs the plugin with this root; `trace` is strace's file."""
        tracer = ["strace", "-e", "trace=open,openat,execve", "-o", trace] if trace else []
        run = shlex.join([*tracer, "chroot", self.path, "/podwire-static", *arguments])
        mounts = [shlex.join(["mount", "--rbind", path, self.path + path]) for path in self.binds]
        return ["unshare", "--mount", "sh", "-c", "; ".join(["set -e", *mounts, f"exec {run}"])]


@unittest.skipUnless(os.path.exists(PODWIRE_STATIC), f"{PODWIRE_STATIC} is not built")
class Static(Case):
    plugin = PODWIRE_STATIC

    def launcher(self, root, trace=None):
        """The plugin as a runtime finds it: in CNI_PATH, and it changes its root first."""
        path = os.path.join(self.node.bin_dir, "podwire")
        os.unlink(path)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nexec {shlex.join(root.command(trace=trace))}\n")
        os.chmod(path, 0o755)
        return path

    def test_has_no_interpreter_and_no_dynamic_section(self):
        headers = subprocess.run(["readelf", "-lW", PODWIRE_STATIC], capture_output=True, text=True, check=True).stdout
        self.assertIn("LOAD", headers)
        self.assertNotIn("INTERP", headers)
        self.assertNotIn("DYNAMIC", headers)

    def run_alone(self, *arguments, root=None, **environment):
        return subprocess.run((root or Root(self)).command(*arguments), input="", capture_output=True, text=True,
                              timeout=30, env={"PATH": os.environ["PATH"], **environment}, check=False)

    def test_command_line_in_an_empty_root(self):
        for arguments in ["--version"], ["--help"]:
            done = self.run_alone(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done)
            self.assertIn("CNI protocol versions supported: 0.1.0", done.stdout)

    def test_validate_in_an_empty_root(self):
        root = Root(self)
        with open(os.path.join(root.path, "conf"), "w", encoding="utf-8") as file:
            json.dump(conflist({"type": "podwire", "mtu": 1}), file)
        done = self.run_alone("--validate", "/conf", root=root)
        self.assertEqual((done.returncode, done.stdout), (1, "plugins[0].mtu: 1 is not in 68..65535\n"))

    def call(self, root, command, config, **more):
        environment = plugin_environment(command, "c1", "/pod", "eth0", cni_path="/bin")
        return call_plugin(self.node, self.launcher(root), {**environment, **more}, config)

    def test_calls_in_an_empty_root(self):
        network = {"cniVersion": "1.0.0", "name": "podnet", "type": "podwire"}
        self.assertIn("1.1.0", self.call(Root(self), "VERSION", network).json["supportedVersions"])
        for code, message, config, more in (
                (4, "CNI_IFNAME", network, {"CNI_IFNAME": "a/b"}),
                (6, "not JSON", b"{", {}),
                (7, "mtu", {**network, "mtu": "1500"}, {}),
                (1, "incompatible", {**network, "cniVersion": "9.9.9"}, {}),
                (8, "/pod", network, {}),
                (102, "no-such", {**network, "ipam": {"type": "no-such"}}, {"CNI_COMMAND": "DEL"})):
            with self.subTest(code=code):
                assert_error_call(self, self.call(Root(self), "ADD", config, **more), code, message)

    def live(self, network, root, **options):
        """ADD, CHECK, GC, DEL of two pods that reach each other."""
        pods = [self.node.pod(), self.node.pod()]
        attachments = [Attachment.of(pod, capability_args={"ips": [f"10.1.0.{7 + i}/24", f"fd00:1::{7 + i}/64"]})
                       for i, pod in enumerate(pods)]
        root.bind("/proc", self.node.directory, *(pod.path for pod in pods))
        self.launcher(root, **options)
        results = [self.runtime.add(network, attachment) for attachment in attachments]
        for address in results[1]["ips"]:
            self.assertTrue(pods[0].ping(address["address"].split("/")[0]), address)
        for attachment in attachments:
            self.runtime.check(network, attachment)
        self.assertEqual(self.runtime.gc(network, attachments), [])
        for attachment in attachments:
            self.runtime.delete(network, attachment)
        self.assert_clean()

    def test_wires_pods_without_any_other_program(self):
        network = conflist(podwire(self.node, ipMasq=True, capabilities={"ips": True}), version="1.1.0")
        self.live(network, Root(self))

    def test_wires_pods_with_nothing_else_but_ipam(self):
        ipam = os.path.join(REFERENCE_DIR, "host-local")
        network = conflist(podwire(self.node, host_local(self.node, V4, V6), ipMasq=True), version="1.1.0")
        self.live(network, Root(self).bind(ipam, *needs(ipam)))

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_looks_for_no_library(self):
        trace = os.path.join(self.node.directory, "trace")
        network = conflist(podwire(self.node, ipMasq=True, capabilities={"ips": True}), version="1.0.0")
        root = Root(self)
        pod = self.node.pod()
        root.bind("/proc", self.node.directory, pod.path)
        self.launcher(root, trace=trace)
        attachment = Attachment.of(pod, capability_args={"ips": ["10.1.0.7/24", "fd00:1::7/64"]})
        for verb in self.runtime.add, self.runtime.check, self.runtime.delete:
            verb(network, attachment)
            with open(trace, encoding="utf-8", errors="replace") as file:
                calls = file.read()
            calls = calls[calls.index('execve("/podwire-static"'):].splitlines()[1:]
            self.assertTrue(any("attachments" in call for call in calls), calls)
            self.assertEqual([call for call in calls if LOADED.search(call)], [])


if __name__ == "__main__":
    unittest.main()
