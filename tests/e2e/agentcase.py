# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the agent share: a node with an uplink, a network, an agent."""
import ctypes
import errno
import json
import os
import struct
import subprocess

from harness.agent import Agent
from harness.case import Case, conflist, host_local, podwire
from harness.netns import inside


class AgentCase(Case):
    config = None
    bus = True

    def setUp(self):
        super().setUp()
        self.wire = self.node.uplink()
        self.agent = Agent(self, self.node, config=self.config, bus=self.bus)

    def network(self, *subnets, name="podnet", **keys):
        return conflist(podwire(self.node, host_local(self.node, *subnets), **keys), name=name)

    def wired(self, network=None, **options):
        """A pod that the agent has seen: (pod, attachment, result, host interface)."""
        pod, attachment, result = self.attach(network or self.network(), **options)
        name = self.host_ifname(result)
        self.agent.wait_for(name, State="ready")
        return pod, attachment, result, name

    def addresses(self, result):
        return [ip["address"].split("/")[0] for ip in result["ips"]]


ON_BOTH_SIDES = {"ingress": 1, "egress": 1}
_BPF_PROG_QUERY, _TCX = 16, {"ingress": 46, "egress": 47}
_SYS_BPF = {"x86_64": 321, "aarch64": 280}[os.uname().machine]


def filters(node, ifname, side):
    """The programs of a device's filters, by id, whosever."""
    done = node.run("tc", "-j", "filter", "show", "dev", ifname, side, check=False)
    entries = json.loads(done.stdout or "[]") if done.returncode == 0 else []
    return [entry["options"]["prog"]["id"] for entry in entries if "prog" in entry.get("options", {})]


def programs(node, ifname):
    """How many programs are on a device, by tcx or, where there's none, as filters, whosever: {"ingress": n,
    "egress": n}. (bpftool 7.1 knows no tcx.)"""
    libc = ctypes.CDLL(None, use_errno=True)
    index = node.link(ifname)["ifindex"]
    count = {}
    for direction, kind in _TCX.items():
        attributes = ctypes.create_string_buffer(struct.pack("=IIIIQI", index, kind, 0, 0, 0, 0), 64)
        with inside(node.path):
            failed = libc.syscall(_SYS_BPF, _BPF_PROG_QUERY, attributes, len(attributes)) < 0
        if failed and ctypes.get_errno() != errno.EINVAL:  # which is: no such thing as tcx
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), "BPF_PROG_QUERY")
        count[direction] = (len(filters(node, ifname, direction)) if failed else
                            struct.unpack_from("=I", attributes, 24)[0])
    return count


def layouts(agent):
    return sorted(name for name in os.listdir(os.path.join(agent.bpffs.path, "podwire")) if name.startswith("layout-"))


def map_ids(agent):
    """{map: id} of what is pinned; of one layout only."""
    ids = {}
    for pin in agent.bpffs.pins("podwire"):
        if "/links/" in pin:
            continue
        done = subprocess.run(["bpftool", "-j", "map", "show", "pinned", os.path.join(agent.bpffs.path, pin)],
                              capture_output=True, text=True, check=True)
        ids[os.path.basename(pin)] = json.loads(done.stdout)["id"]
    return ids
