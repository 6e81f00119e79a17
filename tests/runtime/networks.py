# SPDX-License-Identifier: GPL-2.0-or-later
"""The two networks that the pods are on, as conflists, and the directories that go with them.

`pods` is what a cluster has: podwire with ipMasq, then bandwidth, tuning, portmap and firewall.
`second` is what a pod gets beside it: the same chain with sbr, whose work is to send what comes from
an interface's address out of that interface again, and with a MAC that is tuning's idea. It names no
default route (the pod has one) and has the same gateway as `pods`.
"""
import json
import os

from harness import case, netns, results

# Shaping is by the packet's length on the wire; 20 Mbit/s are 2.5 MB in a second.
LIMIT_BITS, BURST_BITS = 20_000_000, 1_000_000
_SHAPE = {"ingressRate": LIMIT_BITS, "ingressBurst": BURST_BITS,
          "egressRate": LIMIT_BITS, "egressBurst": BURST_BITS}
MTU = 1400
SYSCTL = ("net/core/somaxconn", "517")
SECOND_MAC = "02:70:77:00:00:02"
RANGES = {"pods": ("10.1.0.0/24", "fd00:1::/64"), "second": ("10.2.0.0/24", "fd00:2::/64")}

# The plugin under test. Another one that makes a link, such as the reference ptp, shows whether it is
# podwire or the test that is wrong.
PLUGIN = os.environ.get("PW_TEST_PLUGIN") or case.PODWIRE
IS_PODWIRE = os.path.basename(PLUGIN).startswith("podwire")
TYPE = "podwire" if IS_PODWIRE else os.path.basename(PLUGIN)


def family(address):
    return results.family(address)


def directory_of_plugins(node, runtimes):
    """One CNI_PATH directory: all of Debian's plugins, and the one under test over them."""
    debian = os.path.join(runtimes, "cni")
    for name in sorted(os.listdir(debian)):
        node.install(name, os.path.join(debian, name))
    node.install(TYPE, PLUGIN)


def _first(node, name, **keys):
    ipam = {"type": "host-local", "dataDir": case.ipam_store(node),
            "ranges": [[{"subnet": subnet}] for subnet in RANGES[name]], **keys}
    plugin = {"type": TYPE, "ipMasq": True, "ipam": ipam}
    if IS_PODWIRE:
        # Between pods nobody is masqueraded, whichever of the two networks they are on.
        plugin.update(stateDir=node.state_dir, runtimeDir=node.runtime_dir,
                      masqExclude=[subnet for pair in RANGES.values() for subnet in pair])
    return plugin


def pods(node, version, shaped):
    """`shaped`: the limit is in the configuration; else the runtime passes each pod's own."""
    bandwidth = _SHAPE if shaped else {"capabilities": {"bandwidth": True}}
    return {"cniVersion": version, "name": "pods", "plugins": [
        _first(node, "pods", routes=[{"dst": "0.0.0.0/0"}, {"dst": "::/0"}]),
        {"type": "bandwidth", **bandwidth},
        {"type": "tuning", "mtu": MTU, "sysctl": {SYSCTL[0].replace("/", "."): SYSCTL[1]}},
        {"type": "portmap", "snat": True, "capabilities": {"portMappings": True}},
        {"type": "firewall", "backend": "iptables"}]}


def second(node, version):
    # No capability here: a host port leads to one address, the first network's.
    return {"cniVersion": version, "name": "second", "plugins": [
        _first(node, "second"),
        {"type": "bandwidth", **_SHAPE},
        {"type": "tuning", "mac": SECOND_MAC},
        {"type": "portmap", "snat": True},
        {"type": "sbr"},
        {"type": "firewall", "backend": "iptables"}]}


def write(directory, *conflists):
    os.makedirs(directory)
    for number, conflist in enumerate(conflists):
        path = os.path.join(directory, f"{number}0-{conflist['name']}.conflist")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(conflist, file, indent=2)


class Sandbox(netns.Namespace):
    """A namespace that the runtime made: ours to look into, not to remove."""

    def __init__(self, path):  # pylint: disable=super-init-not-called
        self.name, self.path = os.path.basename(path), path


class Pod:
    """What the runtime says of a pod: its namespace and its addresses by network."""

    def __init__(self, name, path, addresses):
        self.name, self.sandbox, self.addresses = name, Sandbox(path), addresses

    def address(self, version, network="pods"):
        return next(a for a in self.addresses[network] if family(a) == version)
