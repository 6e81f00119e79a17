# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's plugins behind ours that change what we made: the pod stays reachable, and CHECK agrees."""
import os

from harness.case import Case, conflist, host_local, podwire

V4, V6 = "10.1.0.0/24", "fd00:1::/64"
DEFAULTS = ({"dst": "0.0.0.0/0"}, {"dst": "::/0"})


class Chained(Case):
    def setUp(self):
        super().setUp()
        self.node.bridge()
        self.node.uplink()

    def tuning(self, **keys):
        return {"type": "tuning", "dataDir": os.path.join(self.node.directory, "tuning"), **keys}

    def reach(self, *plugins, routes=DEFAULTS, **keys):
        ipam = host_local(self.node, V4, V6, routes=routes)
        network = conflist(podwire(self.node, ipam, **keys), *plugins)
        pod, attachment, result = self.attach(network)
        for ip in result["ips"]:
            address = ip["address"].split("/")[0]
            with self.subTest(address=address):
                self.assertTrue(self.node.ping(address), "node to pod")
                outside = "2001:db8::10" if ":" in address else "192.0.2.10"
                self.assertTrue(pod.ping(outside, address), "pod to node")
        with self.subTest("check"):
            self.runtime.check(network, attachment)

    # sbr moves each address's routes to a table of its own, drops their onlink mark, and leaves out
    # those that it can't tie to the address.
    def test_sbr(self):
        self.reach({"type": "sbr"})

    def test_sbr_without_default_route_from_ipam(self):
        self.reach({"type": "sbr"}, routes=())

    def test_sbr_with_a_special_route(self):
        self.reach({"type": "sbr"}, routes=(*DEFAULTS[:1], {"dst": "10.0.0.0/8"}, {"dst": "fd00::/16"}))

    def test_sbr_gateway_of_ipam(self):
        self.reach({"type": "sbr"}, gateway="ipam")

    # A new MAC flushes the pod's entry for its gateway, permanent as it is, and makes the node's wrong.
    def test_tuning_mac(self):
        self.reach(self.tuning(mac="02:00:00:00:00:77"))

    def test_tuning_mac_gateway_of_ipam(self):
        self.reach(self.tuning(mac="02:00:00:00:00:77"), gateway="ipam")

    def test_tuning_mtu_and_sysctl_and_sbr(self):
        self.reach(self.tuning(mtu=1400, sysctl={"net.ipv4.conf.eth0.log_martians": "1"}),
                   {"type": "sbr"})
