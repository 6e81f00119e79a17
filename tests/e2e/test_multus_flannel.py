# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls as Multus makes them (several networks, one container id) and as flannel's delegate makes them."""
from harness import flannel, traffic
from harness.case import Case, DEFAULT_V4, DEFAULT_V6, V4, V6, conflist, host_local, podwire, reserved
from harness.libcni import Attachment, Multus, PluginError

SECOND4 = {"subnet": "10.2.0.0/24", "gateway": "10.2.0.1"}
SECOND6 = {"subnet": "fd00:2::/64", "gateway": "fd00:2::1"}


def plain(result):
    return [ip["address"].split("/")[0] for ip in result["ips"]]


class MultusCase(Case):
    def setUp(self):
        super().setUp()
        self.node.uplink()

    def first(self, *subnets, version="1.0.0", **keys):
        return conflist(podwire(self.node, host_local(self.node, *subnets), **keys), name="podnet", version=version)

    def second(self, *subnets, name="second", version="1.0.0", routes=(), **keys):
        ipam = host_local(self.node, *(subnets or (SECOND4, SECOND6)), routes=routes, network=f"ipam-{name}")
        return conflist(podwire(self.node, ipam, **keys), name=name, version=version)

    def wire_up(self, *networks):
        """Two pods on all of the networks; returns [(pod, [result, ...]), ...] and the Multus."""
        multus = Multus(self.runtime, networks)
        pods = []
        for _ in range(2):
            pod = self.node.pod()
            pods.append((pod, multus.add(Attachment.of(pod))))
        return pods, multus

    def assert_each_address_answers(self, pods):
        """Pod to pod on each network. The node's probes go to the first one: an answer from a secondary
        address takes the default route, out of eth0, where a strict source check knows nothing of it."""
        (a, mine), (b, theirs) = pods
        for ours, result in zip(mine, theirs):
            for source, address in zip(plain(ours), plain(result)):
                self.assertEqual(traffic.tcp_echo(a, b, address, source=source), source)
        for address in plain(theirs[0]):
            traffic.tcp_echo(self.node, b, address)


class MultusNetworks(MultusCase):
    def test_two_networks_in_both_families(self):
        pods, multus = self.wire_up(self.first(), self.second())
        self.assert_each_address_answers(pods)
        for pod, _ in pods:
            multus.check(Attachment.of(pod))
            self.assertEqual(sorted(pod.ifnames()), ["eth0", "lo", "net1"])
            for family in (4, 6):
                defaults = [r["dev"] for r in pod.routes(family) if r["dst"] == "default"]
                self.assertEqual(defaults, ["eth0"])
        for pod, _ in pods:
            multus.delete(Attachment.of(pod))
        self.assert_clean()

    def test_two_networks_with_the_same_ipam_gateway(self):
        # The secondary's subnet lies within the first's, its gateway is the very same.
        inner4 = {"subnet": "10.1.0.0/16", "gateway": "10.1.0.1", "rangeStart": "10.1.9.1", "rangeEnd": "10.1.9.99"}
        inner6 = {"subnet": "fd00:1::/56", "gateway": "fd00:1::1", "rangeStart": "fd00:1::9:1",
                  "rangeEnd": "fd00:1::9:ff"}
        for version in ("0.4.0", "1.1.0"):
            with self.subTest(version=version):
                pods, multus = self.wire_up(self.first(gateway="ipam", version=version),
                                            self.second(inner4, inner6, gateway="ipam", version=version))
                self.assert_each_address_answers(pods)
                for pod, _ in pods:
                    multus.check(Attachment.of(pod))
                    multus.delete(Attachment.of(pod))
                self.assert_clean()

    def test_two_networks_with_the_same_subnet_and_gateway(self):
        same4 = dict(V4, rangeStart="10.1.0.100", rangeEnd="10.1.0.199")
        same6 = dict(V6, rangeStart="fd00:1::100", rangeEnd="fd00:1::1ff")
        for mode in ("linklocal", "ipam"):
            with self.subTest(gateway=mode):
                pods, multus = self.wire_up(self.first(gateway=mode), self.second(same4, same6, gateway=mode))
                (a, mine), (b, theirs) = pods
                for address in plain(theirs[0]):
                    traffic.tcp_echo(a, b, address)
                self.assertEqual(plain(mine[1])[0].rsplit(".", 1)[0], "10.1.0")
                for pod, _ in pods:
                    multus.delete(Attachment.of(pod))
                self.assert_clean()

    def test_the_twentieth_attachment_works_like_the_first(self):
        networks = [self.first()]
        for i in range(1, 20):
            networks.append(self.second({"subnet": f"10.{i + 10}.0.0/24"}, {"subnet": f"fd00:{i + 10:x}::/64"},
                                        name=f"second{i}"))
        pods, multus = self.wire_up(*networks)
        (a, mine), (b, theirs) = pods
        self.assertEqual(len(theirs), 20)
        for index in (0, 1, 19):
            for source, address in zip(plain(mine[index]), plain(theirs[index])):
                self.assertEqual(traffic.tcp_echo(a, b, address, source=source), source)
        for pod, _ in pods:
            multus.delete(Attachment.of(pod))
        self.assert_clean()

    def test_secondary_that_names_a_default_is_an_error_that_names_eth0(self):
        for family, default in ((4, DEFAULT_V4), (6, DEFAULT_V6)):
            with self.subTest(family=family):
                pod = self.node.pod()
                multus = Multus(self.runtime, [self.first(), self.second(routes=(default,))])
                error = self.assert_fails(101, "eth0", multus.add, Attachment.of(pod))
                self.assertIn("default", error.msg)
                self.assertEqual(pod.ifnames(), ["lo"])
                self.assert_clean()
                self.assertEqual(reserved(self.node), {})
                self.assertEqual(reserved(self.node, "second", "ipam-second"), {})

    def test_secondary_default_with_a_route_metric_stands_behind(self):
        pods, _ = self.wire_up(self.first(), self.second(routes=(DEFAULT_V4, DEFAULT_V6), routeMetric=200))
        for family in (4, 6):
            defaults = {r["dev"]: r.get("metric") for r in pods[0][0].routes(family) if r["dst"] == "default"}
            self.assertEqual(set(defaults), {"eth0", "net1"})
            self.assertEqual(defaults["net1"], 200)
        self.assert_each_address_answers(pods)

    def test_del_of_the_secondary_leaves_the_first_alone(self):
        pods, multus = self.wire_up(self.first(), self.second())
        pod, results = pods[0]
        self.runtime.delete(multus.networks[1], Attachment.of(pod, "net1"))
        self.assertEqual(sorted(pod.ifnames()), ["eth0", "lo"])
        self.runtime.check(multus.networks[0], Attachment.of(pod))
        traffic.tcp_echo(pods[1][0], pod, plain(results[0])[0])

    def test_same_network_twice_in_one_pod(self):
        first = self.first()
        again = self.first(routeMetric=50)
        pods, multus = self.wire_up(first, again)
        for pod, results in pods:
            self.assertEqual(len({plain(r)[0] for r in results}), 2)
            self.assertEqual(sorted(pod.ifnames()), ["eth0", "lo", "net1"])
        for pod, _ in pods:
            multus.delete(Attachment.of(pod))
        self.assert_clean()

    def test_node_reaches_a_secondary_address_without_the_source_check(self):
        pods, _ = self.wire_up(self.first(sourceCheck=False), self.second(sourceCheck=False))
        for result in pods[0][1]:
            for address in plain(result):
                traffic.tcp_echo(self.node, pods[0][0], address)

    def test_secondary_without_ipam(self):
        layer2 = conflist(podwire(self.node), name="layer2")
        pods, multus = self.wire_up(self.first(), layer2)
        self.assertEqual(pods[0][0].cidrs("net1"), [])
        for pod, _ in pods:
            multus.check(Attachment.of(pod))
            multus.delete(Attachment.of(pod))
        self.assert_clean()

    def test_del_with_all_namespaces_gone(self):
        pods, multus = self.wire_up(self.first(), self.second())
        for pod, _ in pods:
            pod.vanish()
        for pod, _ in pods:
            multus.delete(Attachment.of(pod))
        self.assert_clean()
        self.assertEqual(reserved(self.node), {})


class FlannelDelegate(MultusCase):
    def network(self, version="1.0.0", *chained, routes=(DEFAULT_V4,), **delegate):
        delegate = {"type": "podwire", "runtimeDir": self.node.runtime_dir, "stateDir": self.node.state_dir,
                    "ipMasq": False, **delegate}
        store = host_local(self.node)["dataDir"]
        return conflist({"type": "flannel", "ipam": {"dataDir": store, "routes": list(routes)},
                         "delegate": delegate}, *chained, name="cbr0", version=version)

    def assert_pods_talk(self, network):
        pods = [self.attach(network) for _ in range(2)]
        for address in plain(pods[1][2]):
            traffic.tcp_echo(pods[0][0], pods[1][0], address)
        for _, attachment, _ in pods:
            self.runtime.delete(network, attachment)
            self.runtime.delete(network, attachment)
        self.assert_clean()
        self.assertEqual(reserved(self.node, "cbr0"), {})

    def test_delegate_in_each_version(self):
        flannel.install(self.node, ["10.244.1.0/24"], ["10.244.0.0/16"])
        for version in ("0.3.1", "0.4.0", "1.0.0", "1.1.0"):
            with self.subTest(version=version):
                self.assert_pods_talk(self.network(version))

    def test_dual_stack_delegate(self):
        flannel.install(self.node, ["10.244.1.0/24", "fd44:1::/64"], ["10.244.0.0/16", "fd44::/16"])
        self.assert_pods_talk(self.network())

    def test_delegate_gets_flannels_mtu_and_route(self):
        flannel.install(self.node, ["10.244.1.0/24"], ["10.244.0.0/16"], mtu=1450)
        pod, _, _ = self.attach(self.network())
        self.assertEqual(pod.link("eth0")["mtu"], 1450)
        self.assertEqual({r["dst"] for r in pod.routes(4) if "gateway" in r},
                         {"default", "10.244.1.0/24", "10.244.0.0/16"})

    def test_error_of_the_delegate_comes_through_unchanged(self):
        flannel.install(self.node, ["10.244.1.0/24"])
        error = self.assert_fails(7, "queues", self.attach, self.network(queues="four"))
        self.assertNotIn("flannel", error.msg)

    def test_del_with_the_namespace_gone(self):
        flannel.install(self.node, ["10.244.1.0/24"])
        pod, attachment, _ = self.attach(self.network())
        pod.vanish()
        self.runtime.delete(self.network(), attachment)
        self.assert_clean()
        self.assertEqual(reserved(self.node, "cbr0"), {})

    def test_flannel_chained_with_portmap_and_bandwidth(self):
        flannel.install(self.node, ["10.244.1.0/24"], ["10.244.0.0/16"])
        net = self.network("0.4.0", {"type": "portmap", "capabilities": {"portMappings": True}},
                           {"type": "bandwidth", "capabilities": {"bandwidth": True}})
        self.assert_pods_talk(net)

    def test_flannel_first_and_a_secondary_by_multus(self):
        flannel.install(self.node, ["10.244.1.0/24", "fd44:1::/64"], ["10.244.0.0/16"])
        pods, multus = self.wire_up(self.network(routes=(DEFAULT_V4, DEFAULT_V6)), self.second())
        self.assert_each_address_answers(pods)
        for pod, _ in pods:
            multus.delete(Attachment.of(pod))
        self.assert_clean()

    def test_failed_secondary_takes_flannels_back(self):
        flannel.install(self.node, ["10.244.1.0/24"], ["10.244.0.0/16"])
        multus = Multus(self.runtime, [self.network(), self.second(queues=65)])
        pod = self.node.pod()
        with self.assertRaises(PluginError) as caught:
            multus.add(Attachment.of(pod))
        self.assertEqual(caught.exception.code, 7)
        self.assertIn("queues", caught.exception.msg)
        self.assertEqual(pod.ifnames(), ["lo"])
        self.assert_clean()
        self.assertEqual(reserved(self.node, "cbr0"), {})
