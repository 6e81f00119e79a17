# SPDX-License-Identifier: GPL-2.0-or-later
"""Pods by the thousand, for the agent: veth pairs and records as the plugin makes them, without IPAM, and all in
one namespace."""
import json
import os
import subprocess

from agentcase import AgentCase
from harness.resources import PATIENCE

SANITIZED = 4  # how much slower and larger a build with sanitizers may be


def host_ifname(*identity):
    """As lib/store/attachment.c makes it: FNV-1a with a final mix."""
    value, mask = 0xcbf29ce484222325, (1 << 64) - 1
    for byte in b"".join(part.encode() + b"\0" for part in identity):
        value = (value ^ byte) * 0x100000001b3 & mask
    for factor in 0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53:
        value = (value ^ value >> 33) * factor & mask
    return f"vethpw{(value ^ value >> 33) >> 28:09x}"


class ManyPods(AgentCase):
    bus = False

    def setUp(self):
        self.addCleanup(self.await_kernel)  # the last of all
        super().setUp()
        self.records = os.path.join(self.node.state_dir, "attachments")
        os.makedirs(self.records, exist_ok=True)
        os.chmod(self.node.state_dir, 0o755)
        os.chmod(self.records, 0o755)
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            self.boot = file.read().strip()
        with open(self.agent.program, "rb") as file:
            self.slack = SANITIZED if b"__asan_init" in file.read() else 1
        self.pods = self.node.pod()

    @staticmethod
    def await_kernel():
        """A namespace's links go after it, each with a grace period, and nobody gets another until they are gone."""
        subprocess.run(["unshare", "--net", "true"], check=True, timeout=300 * PATIENCE)

    def name(self, number):
        return host_ifname("many", f"pod{number}", "eth0")

    def links(self, command, numbers):
        self.node.run("ip", "-batch", "-", input="".join(f"{command.format(self.name(n), n)}\n" for n in numbers))

    def make_records(self, numbers, allowed=()):
        for number in numbers:
            name = self.name(number)
            record = {"version": 1, "state": "ready", "bootId": self.boot, "configDigest": "0" * 16,
                      "network": "many", "containerId": f"pod{number}", "ifname": "eth0", "netns": "/run/netns/x",
                      "hostIfname": name, "mac": "02:00:00:00:00:01", "hostMac": "02:00:00:00:00:02",
                      "addresses": [f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}/32"],
                      "ipMasq": False, "masqExclude": [],
                      "options": {"fastPath": "auto", "netfilter": "respect", "sourceCheck": True,
                                  "allowedSources": list(allowed), "queues": 1, "mtu": 1500}}
            path = os.path.join(self.records, f"{name}.json")
            with open(f"{self.records}/.{name}.json.tmp", "w", encoding="ascii") as file:
                json.dump(record, file)
            os.rename(file.name, path)

    def make(self, numbers, allowed=()):
        self.make_records(numbers, allowed)
        self.links(f"link add {{0}} type veth peer name p{{1}} netns {self.pods.name}", numbers)

    def remove(self, numbers):
        # Both ends go, and their namespace's cleanup is not what is measured.
        self.links("link del {0}", numbers)
        for number in numbers:
            os.unlink(os.path.join(self.records, f"{self.name(number)}.json"))

    def pins(self):
        return sum("from_pod" in name for name in os.listdir(self.agent.bpffs.path + "/podwire/layout-1/links"))

    def rss(self):
        with open(f"/proc/{self.agent.process.pid}/status", encoding="ascii") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))

    def cpu(self):
        """Seconds, to the nanosecond: the clock's ticks are too coarse for a process that idles."""
        with open(f"/proc/{self.agent.process.pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[0]) / 1e9

    def fds(self):
        return len(os.listdir(f"/proc/{self.agent.process.pid}/fd"))
