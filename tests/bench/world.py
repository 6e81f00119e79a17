# SPDX-License-Identifier: GPL-2.0-or-later
"""Nodes side by side, each with one CNI plugin and the same host-local."""
import atexit
import ipaddress
import itertools
import json
import os
import shutil
import tempfile

from harness import resources
from harness.case import PODWIRE, REFERENCE_DIR
from harness.netns import Node, Pod, inside

import process

SUBNETS = {4: ipaddress.ip_network("10.64.0.0/16"), 6: ipaddress.ip_network("fd00:64::/64")}
DEFAULTS = {4: "0.0.0.0/0", 6: "::/0"}
FIRST, OWN_STORES = 2, 20_000  # hosts of the subnets: where a store begins
MEMORY_FS = "/dev/shm"  # /run is in memory on every node


def _runtime_dir(node):
    if not os.access(MEMORY_FS, os.W_OK):
        return node.runtime_dir
    path = tempfile.mkdtemp(prefix=resources.unique("run") + "-", dir=MEMORY_FS)
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


class Side:
    """A node with a network of one plugin, and what a runtime keeps of its pods.

    While `own_store` is set, each new pod's host-local has a store of its own: host-local reads all of
    its store at each call, so that its time grows with the pods.
    """

    own_store = False

    def __init__(self, plugin, families=(4, 6), version="1.0.0", path=None, masquerade=False):
        self.node = Node()
        self.node.forwarding(4, True)
        self.node.forwarding(6, True)
        self.path = path or (PODWIRE if plugin == "podwire" else os.path.join(REFERENCE_DIR, plugin))
        self.families = families
        self.network = {"cniVersion": version, "name": "bench", "type": plugin, "ipMasq": masquerade}
        if plugin == "podwire":
            self.network |= {"runtimeDir": _runtime_dir(self.node), "stateDir": self.node.state_dir}
        self._count = itertools.count(OWN_STORES)
        self._attached = {}

    def _ipam(self):
        number = next(self._count) if self.own_store else FIRST
        store = os.path.join(self.node.directory, "ipam", str(number))
        ranges = [[{"subnet": str(SUBNETS[family]), "rangeStart": str(SUBNETS[family][number])}]
                  for family in self.families]
        routes = [{"dst": DEFAULTS[family]} for family in self.families]
        return {"type": "host-local", "dataDir": store, "ranges": ranges, "routes": routes}

    def _call(self, run, command, pod, config):
        environment = {
            "CNI_COMMAND": command, "CNI_CONTAINERID": pod.container_id, "CNI_NETNS": pod.path,
            "CNI_IFNAME": "eth0", "CNI_PATH": REFERENCE_DIR, "CNI_ARGS": pod.cni_args,
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        }
        with inside(self.node.path):
            return run(self.path, environment, json.dumps(config).encode())

    def add(self, pod, run=process.timed):
        """What `run` measures of an ADD."""
        config = {**self.network, "ipam": self._ipam()}
        measured, answer = self._call(run, "ADD", pod, config)
        self._attached[pod.container_id] = {**config, "prevResult": json.loads(answer)}
        return measured

    def delete(self, pod, run=process.timed):
        return self._call(run, "DEL", pod, self._attached.pop(pod.container_id))[0]

    def close(self):
        self.node.close()


def pods(count, dad=True):
    """Without `dad` the kernel doesn't look for others with the same IPv6 address."""
    made = [Pod() for _ in range(count)]
    for pod in made if not dad else ():
        pod.sysctl("net/ipv6/conf/default/accept_dad", 0)
    return made
