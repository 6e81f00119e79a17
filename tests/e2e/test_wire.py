# SPDX-License-Identifier: GPL-2.0-or-later
"""A wired pod: who reaches whom, and what exactly is in the kernel afterwards."""
import json
import os
import socket
import unittest

from harness import traffic
from harness.case import (Case, DEFAULT_V4, V4, V6, conflist, host_local, podwire)
from harness.fakeipam import Answer, FakeIpam
from harness.libcni import PluginError
from harness.resources import wait_until

GATEWAY = {4: "169.254.1.1", 6: "fe80::1"}


def plain(cidr):
    return cidr.split("/")[0]


def addresses(result):
    return [plain(ip["address"]) for ip in result["ips"]]


class WireCase(Case):
    """A node with an uplink and one dual stack network; `network()` makes others."""

    def setUp(self):
        super().setUp()
        self.wire = self.node.uplink()

    def network(self, *subnets, version="1.0.0", routes=None, name="podnet", **keys):
        ipam = host_local(self.node, *subnets) if routes is None else \
            host_local(self.node, *subnets, routes=routes)
        return conflist(podwire(self.node, ipam, **keys), version=version, name=name)

    def fixed(self, model, version="1.1.0", **keys):
        """A network whose IPAM answers just this."""
        FakeIpam(self.node, "fixed", ADD=Answer(model))
        return conflist(podwire(self.node, {"type": "fixed"}, **keys), version=version)


class Reach(WireCase):
    def test_pods_reach_each_other_in_both_families(self):
        a, _, _ = self.attach(self.network())
        b, _, result = self.attach(self.network())
        for address in addresses(result):
            self.assertTrue(a.ping(address), address)
            traffic.tcp_echo(a, b, address)
            traffic.udp_echo(a, b, address)

    def test_pods_see_each_others_own_address(self):
        a, _, first = self.attach(self.network())
        b, _, second = self.attach(self.network())
        for mine, theirs in zip(addresses(first), addresses(second)):
            self.assertEqual(traffic.tcp_echo(a, b, theirs), mine)

    def test_node_reaches_the_pod_and_the_pod_the_node(self):
        pod, _, result = self.attach(self.network())
        for address, own in zip(addresses(result), ("192.0.2.10", "2001:db8::10")):
            self.assertTrue(self.node.ping(address), address)
            self.assertEqual(traffic.tcp_echo(self.node, pod, address), own)
            self.assertEqual(traffic.tcp_echo(pod, self.node, own), address)

    def test_pod_reaches_the_world_and_is_reached(self):
        self.wire.ip("route", "add", "10.1.0.0/24", "via", "192.0.2.10")
        self.wire.ip("-6", "route", "add", "fd00:1::/64", "via", "2001:db8::10")
        pod, _, result = self.attach(self.network())
        for address, far in zip(addresses(result), ("192.0.2.1", "2001:db8::1")):
            self.assertEqual(traffic.tcp_echo(pod, self.wire, far), address)
            self.assertEqual(traffic.tcp_echo(self.wire, pod, address), far)

    def test_v6_only_pods_reach_each_other(self):
        a, _, _ = self.attach(self.network(V6))
        b, _, result = self.attach(self.network(V6))
        self.assertEqual(len(result["ips"]), 1)
        traffic.tcp_echo(a, b, addresses(result)[0])
        traffic.tcp_echo(self.node, b, addresses(result)[0])

    def test_each_of_several_addresses_a_family_is_reached(self):
        net = self.network(V4, "10.2.0.0/16", V6, "fd00:2::/112")
        a, _, _ = self.attach(net)
        b, _, result = self.attach(net)
        self.assertEqual(len(result["ips"]), 4)
        for address in addresses(result):
            traffic.tcp_echo(a, b, address)
            traffic.tcp_echo(self.node, b, address)

    def test_probe_comes_from_the_node_address_with_a_docker0_of_lower_ifindex(self):
        # The bridge comes first, so that a kernel left alone would choose 172.17.0.1.
        other = type(self.node)(self)
        other.bridge("docker0")
        other.uplink()
        other.install("podwire", self.plugin)
        self.node, self.runtime = other, type(self.runtime)(other)
        pod, _, result = self.attach(self.network())
        self.assertLess(other.link("docker0")["ifindex"], other.link("eth0")["ifindex"])
        self.assertEqual(traffic.tcp_echo(other, pod, addresses(result)[0]), "192.0.2.10")
        self.assertEqual(traffic.tcp_echo(other, pod, addresses(result)[1]), "2001:db8::10")

    def test_pods_of_the_ipam_gateway_mode_reach_each_other_and_the_node(self):
        net = self.network(gateway="ipam")
        a, _, _ = self.attach(net)
        b, _, result = self.attach(net)
        self.assertEqual([ip["gateway"] for ip in result["ips"]], ["10.1.0.1", "fd00:1::1"])
        for address, own in zip(addresses(result), ("192.0.2.10", "2001:db8::10")):
            traffic.tcp_echo(a, b, address)
            self.assertEqual(traffic.tcp_echo(b, self.node, own), address)

    def test_pods_with_the_reference_static_ipam_reach_each_other(self):
        pods = []
        for n in (2, 3):
            ipam = {"type": "static", "addresses": [{"address": f"10.8.0.{n}/24"}, {"address": f"fd00:8::{n}/64"}],
                    "routes": [DEFAULT_V4, {"dst": "::/0"}], "dns": {"nameservers": ["10.0.0.10"]}}
            net = conflist(podwire(self.node, ipam))
            pods.append((net, *self.attach(net)))
        self.assertEqual(pods[0][3]["dns"], {"nameservers": ["10.0.0.10"]})
        traffic.tcp_echo(pods[0][1], pods[1][1], "10.8.0.3")
        traffic.tcp_echo(pods[0][1], pods[1][1], "fd00:8::3")
        for net, _, attachment, _ in pods:
            self.runtime.check(net, attachment)
            self.runtime.delete(net, attachment)
        self.assert_clean()

    def test_pods_with_a_host_prefix_reach_each_other(self):
        pods = []
        for last in (2, 3):
            net = self.fixed({"ips": [{"address": f"10.7.0.{last}/32"}, {"address": f"fd00:7::{last}/128"}],
                              "routes": [DEFAULT_V4, {"dst": "::/0"}]})
            pods.append(self.attach(net)[0])
        traffic.tcp_echo(pods[0], pods[1], "10.7.0.3")
        traffic.tcp_echo(pods[0], pods[1], "fd00:7::3")

    def test_large_packets_pass_at_a_large_mtu(self):
        net = self.network(mtu=9000)
        a, _, _ = self.attach(net)
        _, _, result = self.attach(net)
        for address in addresses(result):
            self.assertTrue(a.ping(address, size=8000), address)

    def test_a_node_without_any_default_route_still_serves_pods(self):
        lonely = type(self.node)(self)
        lonely.install("podwire", self.plugin)
        self.node, self.runtime = lonely, type(self.runtime)(lonely)
        a, _, _ = self.attach(self.network())
        b, _, result = self.attach(self.network())
        for address in addresses(result):
            traffic.tcp_echo(a, b, address)


class InThePod(WireCase):
    def test_addresses_keep_ipams_prefix_and_make_no_prefix_route(self):
        pod, _, _ = self.attach(self.network())
        self.assertEqual(pod.cidrs("eth0"), ["10.1.0.2/24", "fd00:1::2/64"])
        for address in pod.addresses("eth0", scope="global"):
            self.assertTrue(address.get("noprefixroute"), address)

    def test_no_address_is_ever_tentative(self):
        pod, _, _ = self.attach(self.network())
        for address in pod.addresses("eth0", family=6, scope="global"):
            self.assertTrue(address.get("nodad"), address)
            self.assertFalse(address.get("tentative"), address)
        host = self.node.host_ends()[0]
        for address in self.node.addresses(host, family=6):
            self.assertFalse(address.get("tentative"), address)

    def test_dual_stack_add_does_not_wait_for_address_detection(self):
        """Which takes a second at least (RFC 4862: one probe, a second)."""
        times = []
        for _ in range(5):
            self.attach(self.network())
            times.append(self.runtime.calls[-1].seconds)
        self.assertLess(min(times), 0.9)

    def test_routes_are_onlink_by_the_gateway(self):
        pod, _, _ = self.attach(self.network())
        for family, prefixes in ((4, {"default", "10.1.0.0/24"}), (6, {"default", "fd00:1::/64"})):
            routes = [r for r in pod.routes(family) if "gateway" in r]
            self.assertEqual({r["dst"] for r in routes}, prefixes)
            for route in routes:
                self.assertEqual(route["gateway"], GATEWAY[family], route)
                self.assertIn("onlink", route["flags"], route)
                self.assertEqual(route["dev"], "eth0")
                self.assertIn(route["prefsrc"], ("10.1.0.2", "fd00:1::2"), route)

    def test_the_only_route_on_the_link_is_to_the_gateway(self):
        """sbr drops the onlink mark of what it moves: then the gateway must be known to be on the link."""
        pod, _, _ = self.attach(self.network())
        direct = [r for r in pod.routes(4) if "gateway" not in r]
        self.assertEqual([(r["dst"], r["dev"], r["scope"], r["prefsrc"]) for r in direct],
                         [(GATEWAY[4], "eth0", "link", "10.1.0.2")])
        self.assertEqual([r["dst"] for r in pod.routes(6) if "gateway" not in r], ["fe80::/64"])

    def test_no_default_route_where_ipam_names_none(self):
        pod, _, _ = self.attach(self.network(routes=()))
        self.assertEqual({r["dst"] for r in pod.routes(4)}, {"10.1.0.0/24", GATEWAY[4]})
        self.assertNotIn("default", [r["dst"] for r in pod.routes(6)])

    def test_gateway_neighbours_are_permanent_and_lead_to_the_host_end(self):
        pod, _, result = self.attach(self.network())
        mac = self.node.mac(self.host_ifname(result))
        for family, gateway in GATEWAY.items():
            entries = [n for n in pod.neighbours("eth0", family) if n["dst"] == gateway]
            self.assertEqual([(n["lladdr"], n["state"]) for n in entries], [(mac, ["PERMANENT"])])

    def test_route_attributes_of_ipam_reach_the_kernel(self):
        routes = [{"dst": "192.168.0.0/16", "mtu": 1300, "priority": 77},
                  {"dst": "192.169.0.0/16", "advmss": 1200, "table": 100},
                  {"dst": "fd99::/48", "mtu": 1350, "priority": 78}]
        pod, _, _ = self.attach(self.fixed({"ips": [{"address": "10.7.0.2/24"}, {"address": "fd00:7::2/64"}],
                                            "routes": routes}))
        first = next(r for r in pod.routes(4) if r["dst"] == "192.168.0.0/16")
        self.assertEqual((first["metrics"][0]["mtu"], first["metric"]), (1300, 77))
        second = next(r for r in pod.routes(4, table="100") if r["dst"] == "192.169.0.0/16")
        self.assertEqual(second["metrics"][0]["advmss"], 1200)
        third = next(r for r in pod.routes(6) if r["dst"] == "fd99::/48")
        self.assertEqual((third["metrics"][0]["mtu"], third["metric"]), (1350, 78))

    def test_ipv6_is_switched_on_where_the_runtime_switched_it_off(self):
        pod = self.node.pod()
        for name in ("all", "default"):
            pod.sysctl(f"net/ipv6/conf/{name}/disable_ipv6", 1)
        self.attach(self.network(), pod)
        self.assertEqual(pod.sysctl("net/ipv6/conf/eth0/disable_ipv6"), "0")
        self.assertIn("fd00:1::2/64", pod.cidrs("eth0"))
        self.assertTrue(self.node.ping("fd00:1::2"))

    def test_ipv6_stays_off_in_a_v4_pod(self):
        pod = self.node.pod()
        for name in ("all", "default"):
            pod.sysctl(f"net/ipv6/conf/{name}/disable_ipv6", 1)
        self.attach(self.network(V4), pod)
        self.assertEqual(pod.sysctl("net/ipv6/conf/eth0/disable_ipv6"), "1")

    def test_existing_default_route_is_an_error_that_names_its_device(self):
        for family in (4, 6):
            with self.subTest(family=family):
                pod = self.node.pod()
                pod.ip("link", "add", "other0", "type", "bridge")
                pod.ip("link", "set", "other0", "up")
                pod.ip(f"-{family}", "route", "add", "default", "dev", "other0")
                before = pod.routes(family)
                self.assert_fails(101, "other0", self.attach, self.network(), pod)
                self.assertEqual(pod.routes(family), before)
                self.assertNotIn("eth0", pod.ifnames())
                self.assert_clean()

    def test_route_metric_puts_ours_beside_an_existing_default(self):
        pod = self.node.pod()
        pod.ip("link", "add", "other0", "type", "bridge")
        pod.ip("link", "set", "other0", "up")
        pod.ip("route", "add", "default", "dev", "other0")
        self.attach(self.network(routeMetric=500), pod)
        defaults = {r["dev"]: r.get("metric") for r in pod.routes(4) if r["dst"] == "default"}
        self.assertEqual(defaults, {"other0": None, "eth0": 500})

    def test_route_metric_holds_for_each_of_our_routes(self):
        pod, _, _ = self.attach(self.network(routeMetric=321))
        for family in (4, 6):
            ours = [r for r in pod.routes(family) if r.get("gateway") == GATEWAY[family]]
            self.assertTrue(ours)
            self.assertEqual({r["metric"] for r in ours}, {321})

    def test_no_ipam_makes_a_link_and_nothing_else(self):
        pod, _, result = self.attach(conflist(podwire(self.node)))
        self.assertEqual(pod.cidrs("eth0"), [])
        self.assertEqual(pod.routes(4), [])
        self.assertEqual(pod.link("eth0")["operstate"], "UP")
        self.assertEqual(self.node.link(self.host_ifname(result))["operstate"], "UP")
        self.assertFalse(self.node.forwarding(4))
        self.assertFalse(self.node.forwarding(6))


class OnTheHost(WireCase):
    def host(self, **keys):
        pod, attachment, result = self.attach(self.network(**keys))
        return pod, attachment, self.host_ifname(result)

    def test_forwarding_is_switched_on_for_the_families_in_use(self):
        for subnets, expected in (((V4,), (True, False)), ((V6,), (False, True)), ((V4, V6), (True, True))):
            with self.subTest(expected=expected):
                for family in (4, 6):
                    self.node.forwarding(family, False)
                self.attach(self.network(*subnets))
                self.assertEqual((self.node.forwarding(4), self.node.forwarding(6)), expected)

    def test_old_values_of_changed_sysctls_are_kept_for_uninstall(self):
        self.attach(self.network())
        with open(os.path.join(self.node.runtime_dir, "sysctl.lock"), encoding="utf-8") as file:
            kept = json.dumps(json.load(file))
        self.assertIn("ip_forward", kept)
        self.assertIn("forwarding", kept)
        # A second ADD finds them on, and must not take that for the old value.
        self.attach(self.network())
        with open(os.path.join(self.node.runtime_dir, "sysctl.lock"), encoding="utf-8") as file:
            self.assertEqual(json.dumps(json.load(file)), kept)

    def test_ra_uplink_keeps_its_default_route(self):
        self.node.ip("-6", "route", "del", "default")
        self.wire.ip("address", "add", "fe80::beef/64", "dev", "wire0", "nodad", check=False)
        wait_until(lambda: [a for a in self.wire.addresses("wire0", 6, "link") if not a.get("tentative")],
                   what="a usable link-local address")
        traffic.router_advertisement(self.wire, "wire0", lifetime=1800)
        wait_until(self.ra_default, what="a default route from the RA")
        self.attach(self.network())
        self.assertTrue(self.node.forwarding(6))
        self.assertEqual(self.node.sysctl("net/ipv6/conf/eth0/accept_ra"), "2")
        self.assertTrue(self.ra_default(), "switching on forwarding took the RA's default route")
        # The next RA is still heard.
        self.node.ip("-6", "route", "flush", "default")
        traffic.router_advertisement(self.wire, "wire0", lifetime=1800)
        wait_until(self.ra_default, what="a default route from the next RA")

    def ra_default(self):
        return [r for r in self.node.routes(6) if r["dst"] == "default" and r.get("protocol") == "ra"]

    def test_uplink_without_an_ra_keeps_its_accept_ra(self):
        before = self.node.sysctl("net/ipv6/conf/eth0/accept_ra")
        self.attach(self.network())
        self.assertEqual(self.node.sysctl("net/ipv6/conf/eth0/accept_ra"), before)

    def test_host_routes_have_the_node_address_as_source(self):
        _, _, host = self.host()
        for family, address, source in ((4, "10.1.0.2", "192.0.2.10"), (6, "fd00:1::2", "2001:db8::10")):
            routes = [r for r in self.node.routes(family, ifname=host) if r["dst"] == address]
            self.assertEqual(len(routes), 1, self.node.routes(family))
            self.assertEqual(routes[0].get("prefsrc"), source)
            self.assertNotIn("gateway", routes[0])
        route = next(r for r in self.node.routes(4, ifname=host) if r["dst"] == "10.1.0.2")
        self.assertEqual(route["scope"], "link")

    def test_host_address_is_the_source_when_named(self):
        self.node.ip("address", "add", "198.51.100.7/32", "dev", "lo")
        self.node.ip("address", "add", "2001:db8:7::7/128", "dev", "lo")
        pod, _, host = self.host(hostAddress=["198.51.100.7", "2001:db8:7::7"])
        self.assertEqual(next(r for r in self.node.routes(4, ifname=host) if r["dst"] == "10.1.0.2")["prefsrc"],
                         "198.51.100.7")
        self.assertEqual(traffic.tcp_echo(self.node, pod, "10.1.0.2"), "198.51.100.7")
        self.assertEqual(traffic.tcp_echo(self.node, pod, "fd00:1::2"), "2001:db8:7::7")

    def test_host_address_that_the_node_lacks_is_an_error_that_names_it(self):
        network = self.network(hostAddress="198.51.100.99")
        with self.assertRaises(PluginError) as caught:
            self.attach(network)
        self.assert_clean()
        self.assertIn(caught.exception.code, (7, 100))
        self.assertIn("198.51.100.99", caught.exception.msg)

    def test_host_end_has_no_v4_address_and_fe80_1_for_v6(self):
        _, _, host = self.host()
        self.assertEqual(self.node.addresses(host, family=4), [])
        self.assertIn("fe80::1/64", self.node.cidrs(host, scope="link"))

    def test_host_end_of_a_v4_pod_has_no_fe80_1(self):
        _, _, result = self.attach(self.network(V4))
        self.assertNotIn("fe80::1/64", self.node.cidrs(self.host_ifname(result), scope="link"))

    def test_pod_neighbours_on_the_host_are_known_and_not_collected(self):
        """Reachable for weeks and externally learned: beyond gc_thresh, and open to a new MAC of the pod."""
        pod, _, host = self.host()
        entries = {n["dst"]: n for n in self.node.neighbours(host)}
        for family, address in ((4, "10.1.0.2"), (6, "fd00:1::2")):
            entry = entries.get(address, {})
            self.assertEqual((entry.get("lladdr"), entry.get("state")), (pod.mac("eth0"), ["REACHABLE"]), entries)
            self.assertIn("extern_learn", entry)
            key = f"net/ipv{family}/neigh/{host}/base_reachable_time_ms"
            self.assertGreaterEqual(int(self.node.sysctl(key)), 10 * 86400 * 1000)

    def test_first_packet_needs_no_neighbour_discovery(self):
        pod, _, _ = self.host()
        silence = ("table arp quiet { chain in { type filter hook input priority 0; policy drop; }; }\n"
                   "table ip6 quiet { chain in { type filter hook input priority 0; policy accept;"
                   " icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } drop; }; }")
        for namespace in (pod, self.node):
            namespace.run("nft", "-f", "-", input=silence)
        for ours, theirs in (("192.0.2.10", "10.1.0.2"), ("2001:db8::10", "fd00:1::2")):
            self.assertTrue(pod.ping(ours), ours)
            self.assertTrue(self.node.ping(theirs), theirs)

    def test_host_end_of_a_v4_pod_has_no_ipv6(self):
        """The kernel would walk over all IPv6 routes for it, and tell the pod of multicast groups."""
        for number, (subnet, off) in enumerate(((V4, "1"), (V6, "0"))):
            with self.subTest(subnet=subnet):
                _, _, result = self.attach(self.network(subnet, name=f"net{number}"))
                name = result["interfaces"][0]["name"]
                self.assertEqual(self.node.sysctl(f"net/ipv6/conf/{name}/disable_ipv6"), off)

    def known(self, place, ifname):
        return {entry["dst"]: entry.get("lladdr") for entry in place.neighbours(ifname)}

    def test_neighbours_that_knew_the_address_hear_of_its_move(self):
        """A node that answers for pods on its own subnet: the wire and the node knew another MAC."""
        networks = {"192.0.2.130": self.network("192.0.2.128/25"), "2001:db8::8005": self.network("2001:db8::8000/113")}
        self.node.sysctl("net/ipv4/conf/eth0/proxy_arp", 1)
        self.node.sysctl("net/ipv6/conf/eth0/proxy_ndp", 1)
        self.wire.sysctl("net/ipv4/neigh/wire0/locktime", 0)
        mac = self.node.link("eth0")["address"]
        for number, (address, network) in enumerate(networks.items()):
            with self.subTest(address=address):
                for place, ifname in ((self.node, "eth0"), (self.wire, "wire0")):
                    place.ip("neigh", "add", address, "lladdr", "02:00:00:00:00:99", "dev", ifname, "nud", "stale")
                network["name"] = f"net{number}"
                network["plugins"][0]["ipam"]["ranges"][0][0]["rangeStart"] = address
                _, _, result = self.attach(network)
                self.assertEqual(addresses(result), [address])
                self.assertNotIn(address, self.known(self.node, "eth0"))
                wait_until(lambda address=address: self.known(self.wire, "wire0")[address] == mac,
                           what="the wire's neighbour entry")

    def test_alias_names_the_pod(self):
        pod, _, host = self.host()
        self.assertEqual(self.node.link(host)["ifalias"], f"podwire default/{pod.pod_name}")

    def test_alias_is_cut_to_what_the_kernel_takes(self):
        pod = self.node.pod(name="p" * 300)
        _, _, result = self.attach(self.network(), pod)
        alias = self.node.link(self.host_ifname(result))["ifalias"]
        self.assertGreaterEqual(len(alias), 254)
        self.assertTrue(f"podwire default/{'p' * 300}".startswith(alias), alias)

    def test_macs_are_set_so_that_udev_leaves_them_alone(self):
        pod, _, host = self.host()
        read = "mount -t sysfs none /sys && cat /sys/class/net/{}/addr_assign_type"
        for namespace, ifname in ((self.node, host), (pod, "eth0")):
            done = namespace.run("unshare", "-m", "sh", "-c", read.format(ifname))
            self.assertEqual(done.stdout.strip(), "3", ifname)

    def test_mtu_is_the_default_routes_devices(self):
        other = type(self.node)(self)
        other.uplink(mtu=1420)
        other.install("podwire", self.plugin)
        self.node, self.runtime = other, type(self.runtime)(other)
        pod, _, host = self.host()
        self.assertEqual((pod.link("eth0")["mtu"], other.link(host)["mtu"]), (1420, 1420))

    def test_mtu_and_queues_of_the_config(self):
        pod, _, host = self.host(mtu=4000, queues=3)
        for link in (pod.link("eth0"), self.node.link(host)):
            self.assertEqual((link["mtu"], link["num_tx_queues"], link["num_rx_queues"]), (4000, 3, 3), link)

    def test_strict_rp_filter_stands_in_for_source_check(self):
        default = self.node.sysctl("net/ipv4/conf/default/rp_filter")
        for keys, expected in (({}, "1"), ({"sourceCheck": True}, "1"), ({"sourceCheck": False}, default),
                               ({"allowedSources": ["10.77.0.0/16"]}, default)):
            with self.subTest(**keys):
                _, _, host = self.host(**keys)
                self.assertEqual(self.node.sysctl(f"net/ipv4/conf/{host}/rp_filter"), expected)

    def test_spoofed_source_reaches_nobody_unless_allowed(self):
        for name in ("all", "wire0"):
            self.wire.sysctl(f"net/ipv4/conf/{name}/rp_filter", 0)
        self.wire.ip("route", "add", "10.0.0.0/8", "via", "192.0.2.10")
        for keys, passes in (({}, False), ({"sourceCheck": False}, True),
                             ({"allowedSources": ["10.77.0.0/16"]}, True)):
            with self.subTest(**keys):
                pod, _, _ = self.host(**keys)
                pod.ip("address", "add", "10.77.0.9/32", "dev", "eth0")
                sources = self.sources_seen(pod, ("10.77.0.9", None))
                self.assertEqual("10.77.0.9" in sources, passes, sources)

    def sources_seen(self, pod, sources):
        """Who the world hears when the pod sends from each; the last one, the pod's own, ends it."""
        seen = []
        with self.wire.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
            listener.settimeout(5)
            listener.bind(("192.0.2.1", 0))
            for source in sources:
                with pod.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                    sender.bind((source or "0.0.0.0", 0))
                    sender.sendto(b"last" if source is None else b"spoofed", listener.getsockname())
            while True:
                data, peer = listener.recvfrom(100)
                seen.append(peer[0])
                if data == b"last":
                    return seen

    def test_all_of_a_pods_traces_go_with_del(self):
        _, attachment, _ = self.attach(self.network())
        self.runtime.delete(self.network(), attachment)
        self.assert_clean()

    def test_firewalls_of_others_are_not_touched(self):
        rules = "table ip filter { chain forward { type filter hook forward priority 0; policy accept; counter; }; }"
        self.node.run("nft", "-f", "-", input=rules)
        before = [e for e in self.node.nft() if "rule" not in e]
        _, attachment, _ = self.attach(self.network())
        self.runtime.delete(self.network(), attachment)
        self.assertEqual([e for e in self.node.nft() if "rule" not in e], before)


class Record(WireCase):
    def test_record_says_what_the_kernel_has(self):
        pod, attachment, result = self.attach(self.network(queues=2))
        host = self.host_ifname(result)
        record = self.node.records()[host]
        link = self.node.link(host)
        self.assertEqual(record["version"], 1)
        self.assertEqual(record["state"], "ready")
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            self.assertEqual(record["bootId"], file.read().strip())
        expected = {"network": "podnet", "containerId": attachment.container_id, "ifname": "eth0",
                    "netns": pod.path, "hostIfname": host, "podNamespace": "default", "podName": pod.pod_name,
                    "podUid": pod.uid, "mac": pod.mac("eth0"), "hostMac": link["address"],
                    "addresses": ["10.1.0.2/24", "fd00:1::2/64"], "ipMasq": False}
        self.assertEqual({key: record.get(key) for key in expected}, expected)
        self.assertEqual(record["options"]["queues"], 2)
        self.assertEqual(record["options"]["mtu"], 1500)
        self.assertTrue(record["configDigest"])

    def test_pod_annotation_reaches_the_record(self):
        net = self.network(capabilities={"podwire": True})
        _, _, result = self.attach(net, capability_args={"podwire": {"fastPath": "off"}})
        self.assertEqual(self.node.records()[self.host_ifname(result)]["options"]["fastPath"], "off")

    def test_host_end_is_the_same_for_the_same_attachment_and_unlike_for_others(self):
        pod = self.node.pod()
        _, attachment, first = self.attach(self.network(), pod)
        self.runtime.delete(self.network(), attachment)
        _, _, second = self.attach(self.network(), pod)
        self.assertEqual(self.host_ifname(first), self.host_ifname(second))
        _, _, third = self.attach(self.network(routes=()), pod, ifname="net1")
        self.assertNotEqual(self.host_ifname(second), self.host_ifname(third))

    def test_second_add_of_the_same_attachment_is_an_error_and_the_first_stays(self):
        pod, attachment, result = self.attach(self.network())
        before = (self.node.records(), pod.ip_json("address", "show"))
        self.assert_fails(101, "eth0", self.runtime.add, self.network(), attachment)
        self.assertEqual((self.node.records(), pod.ip_json("address", "show")), before)
        self.assertTrue(self.node.ping(addresses(result)[0]))


class Requested(WireCase):
    """Addresses and MACs that the runtime asks for, with a real IPAM behind."""

    def network(self, *subnets, **keys):
        return super().network(*(subnets or (V4,)), capabilities={"ips": True, "mac": True}, **keys)

    def test_runtime_config_ips(self):
        _, _, result = self.attach(self.network(), capability_args={"ips": ["10.1.0.77"]})
        self.assertEqual(addresses(result), ["10.1.0.77"])

    def test_runtime_config_ips_with_a_prefix(self):
        _, _, result = self.attach(self.network(), capability_args={"ips": ["10.1.0.78/24"]})
        self.assertEqual(addresses(result), ["10.1.0.78"])

    def test_args_cni_ips(self):
        _, _, result = self.attach(self.network(args={"cni": {"ips": ["10.1.0.79"]}}))
        self.assertEqual(addresses(result), ["10.1.0.79"])

    def test_cni_args_ip(self):
        pod = self.node.pod()
        _, _, result = self.attach(self.network(), pod, cni_args=f"{pod.cni_args};IP=10.1.0.80")
        self.assertEqual(addresses(result), ["10.1.0.80"])

    def test_runtime_config_wins_over_cni_args(self):
        pod = self.node.pod()
        _, _, result = self.attach(self.network(), pod, cni_args=f"{pod.cni_args};IP=10.1.0.81",
                                   capability_args={"ips": ["10.1.0.82"]})
        self.assertEqual(addresses(result), ["10.1.0.82"])

    def test_args_cni_wins_over_cni_args(self):
        pod = self.node.pod()
        _, _, result = self.attach(self.network(args={"cni": {"ips": ["10.1.0.83"]}}), pod,
                                   cni_args=f"{pod.cni_args};IP=10.1.0.84")
        self.assertEqual(addresses(result), ["10.1.0.83"])

    def test_requested_mac_is_the_pods(self):
        pod, _, _ = self.attach(self.network(), capability_args={"mac": "02:11:22:33:44:55"})
        self.assertEqual(pod.mac("eth0"), "02:11:22:33:44:55")


if __name__ == "__main__":
    unittest.main()
