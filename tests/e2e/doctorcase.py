# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of podwirectl doctor share: a node that is fine, with an agent and a network, and ways to do
something to it for a while. Each finding is provoked, has its id, severity, text and remedy, makes the exit status
what it should be, and is gone once it is mended."""
import contextlib
import json
import os
import shutil
import struct
import subprocess
import unittest

from harness.agent import Agent
from harness.case import BUILD_DIR, PODWIRE, REFERENCE_DIR, conflist, host_local, podwire
from harness.libcni import Attachment, Runtime
from harness.netns import Node
from harness.resources import wait_until

PODWIRECTL = os.environ.get("PODWIRECTL") or os.path.join(BUILD_DIR, "ctl", "podwirectl")
STATUS = {"fine": 0, "warnings": 1, "broken": 2}
# all that its names are looked for in; a real one does as well
BTF = struct.pack("=HBB", 0xeb9f, 1, 0) + b"\0".join([
    b"", b"tcx_link", b"bpf_xdp_link", b"veth_xmit", b"nf_conntrack_in", b"nft_do_chain", b""])


class Class:
    """For what cleans up by a test: here, by the class."""

    def __init__(self, cls):
        self.addCleanup = cls.addClassCleanup
        self.assertEqual = unittest.TestCase().assertEqual


class DoctorCase(unittest.TestCase):
    """One node for all tests of a class, with an agent, a network and a pod's programs: it is fine before each test,
    and has to be after it. The node's files are below its directory."""

    longMessage = True
    maxDiff = None
    network_keys = {}

    @classmethod
    def setUpClass(cls):
        for program in (PODWIRECTL, PODWIRE):
            if not os.path.exists(program):
                raise unittest.SkipTest(f"{program} is not built")
        cls.node = node = Node(cls)
        node.uplink()
        cls.root = node.directory
        os.chmod(cls.root, 0o755)
        node.install_copy("podwire", PODWIRE)
        cls.runtime = Runtime(node)
        cls.write("sys/kernel/btf/vmlinux", BTF)
        cls.mount_bpffs()
        cls.addClassCleanup(lambda: subprocess.run(["umount", "-l", cls.path("sys/fs/bpf")], check=False,
                                                   stderr=subprocess.DEVNULL))
        os.makedirs(cls.path("opt/cni/bin"))
        for name in ("host-local", "loopback"):
            shutil.copy(os.path.join(REFERENCE_DIR, name), cls.path("opt/cni/bin"))
        shutil.copy(PODWIRE, cls.path("opt/cni/bin/podwire"))
        cls.network = conflist(podwire(node, host_local(node), **cls.network_keys))
        cls.write("etc/cni/net.d/10-podwire.conflist", json.dumps(cls.network))
        cls.agent = Agent(Class(cls), node)
        cls.agent.start()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.root, name)

    @classmethod
    def write(cls, name, text="", mode=0o644):
        path = cls.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        os.chmod(path, mode)
        return path

    @classmethod
    def mount_bpffs(cls, *options):
        os.makedirs(cls.path("sys/fs/bpf"), exist_ok=True)
        subprocess.run(["mount", "-t", "bpf", *options, "bpf", cls.path("sys/fs/bpf")], check=True)

    @contextlib.contextmanager
    def file(self, name, text="", mode=0o644):
        """There for a while; what was there before, and the directories, are as they were after it."""
        path = self.path(name)
        made = []
        directory = os.path.dirname(path)
        while not os.path.isdir(directory):
            made.append(directory)
            directory = os.path.dirname(directory)
        before = None
        if os.path.exists(path):
            before = os.path.join(self.root, "before")
            os.rename(path, before)
        try:
            yield self.write(name, text, mode)
        finally:
            os.unlink(path)
            if before:
                os.rename(before, path)
            for directory in made:
                os.rmdir(directory)

    @contextlib.contextmanager
    def running(self, service):
        """As systemd has it: a link to the service's invocation, which isn't a file."""
        path = self.path(f"run/systemd/units/invocation:{service}.service")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink("0123456789abcdef0123456789abcdef", path)
        try:
            yield
        finally:
            os.unlink(path)

    @contextlib.contextmanager
    def without(self, name):
        path, aside = self.path(name), os.path.join(self.root, "aside")
        os.rename(path, aside)
        try:
            yield
        finally:
            os.rename(aside, path)

    @contextlib.contextmanager
    def sysctl(self, name, value):
        before = self.node.sysctl(name)
        self.node.sysctl(name, value)
        try:
            yield
        finally:
            self.node.sysctl(name, before)

    @contextlib.contextmanager
    def link(self, name):
        self.node.ip("link", "add", name, "type", "veth", "peer", "name", "peer0")
        try:
            yield
        finally:
            self.node.ip("link", "delete", name, check=False)

    @contextlib.contextmanager
    def pod(self, network=None):
        """The host interface of a pod that the agent has taken up."""
        network = network or self.network
        pod = self.node.pod()
        try:
            attachment = Attachment.of(pod)
            result = self.runtime.add(network, attachment)
            name = next(i["name"] for i in result["interfaces"] if not i.get("sandbox"))
            self.agent.wait_for(name, State="ready")
            try:
                yield name
            finally:
                self.runtime.delete(network, attachment)
                self.wait_gone(name)
        finally:
            pod.close()

    def wait_gone(self, name):
        wait_until(lambda: name not in {a[3] for a in self.agent.attachments()}, what=f"the agent to forget {name}")

    def options(self, bus=None, root=None):
        return ["--bus", bus or self.agent.bus.address, "--runtime-dir", "/run", "--json", "doctor",
                "--root", root or self.root, "--state-dir", "/lib"]

    def run_doctor(self, *more, before=(), bus=None, status=None, **options):
        done = self.node.run(*before, PODWIRECTL, *self.options(bus), *more, check=False, timeout=30, **options)
        self.assertEqual(done.stderr, "")
        answer = json.loads(done.stdout)
        self.assertEqual(done.returncode, STATUS[answer["result"]], done.stdout)
        for finding in answer["findings"]:
            self.assertEqual(set(finding), {"id", "severity", "message", "remedy"})
            if finding["severity"] in ("warning", "broken"):
                self.assertTrue(finding["remedy"], finding)
        if status is not None:
            self.assertEqual(done.returncode, status, done.stdout)
        return answer["findings"]

    def assert_fine(self):
        self.assertEqual(self.run_doctor(status=0), [])

    def assert_found(self, name, severity, *texts, others=False, **options):
        """@others: what was provoked is a fault in other ways, too."""
        findings = self.run_doctor(**options)
        mine = [f for f in findings if f["id"] == name]
        self.assertEqual([f["severity"] for f in mine][:1], [severity], findings)
        for text in texts:
            self.assertIn(text, mine[0]["message"] + " -> " + mine[0]["remedy"])
        if not others:
            self.assertEqual({f["id"] for f in findings}, {name}, findings)
        worst = max(("ok", "unknown", "warning", "broken").index(f["severity"]) for f in findings)
        self.run_doctor(status=(0, 1, 1, 2)[worst], **options)
        return mine

    def setUp(self):
        self.assert_fine()
        self.addCleanup(self.assert_fine)
