# SPDX-License-Identifier: GPL-2.0-or-later
"""What must hold for two pods that a real runtime made on podwire with Debian's plugins chained to it.

A test file brings the runtime: a subclass of Chain whose make_engine() returns an object with

    start()                     from here on pods can be made; networks.write() has been called
    run(name, host_port)        a new pod that serves HTTP, `host_port` (or None) of the node led to it;
                                returns its id, which is CNI's container id
    execute(id, *command)       in the pod's own container: what it printed
    remove(id)                  end the pod
    stop()                      end the runtime; whatever is still there, in any state

The node drops what it forwards unless a rule allows it, as Docker and many a firewall leave a node, and has
a docker0 with a lower ifindex than its uplink.
"""
import base64
import json
import os
import threading
import time
import unittest

import image
import networks
import state
from harness import libcni, netns, resources, traffic

CACHE = "/var/lib/cni"
HOST_PORT = 18080
NODE = {4: "192.0.2.10", 6: "2001:db8::10"}
CLIENT = {4: "192.0.2.1", 6: "2001:db8::1"}
VERSIONS = (4, 6)
# A limit holds once its bucket is empty and TCP has found its pace.
SETTLE, WINDOW, DRAIN_DEADLINE = 0.5, 1.5, 15


def _had_pods_before(node, program):
    """The chains that Debian's firewall plugin makes for a node's first pod. containerd attaches a pod to its
    networks at once, and two first calls of that plugin fall over each other: File exists."""
    for chain in ("CNI-FORWARD", "CNI-ADMIN"):
        node.run(program, "-N", chain)
    node.run(program, "-I", "FORWARD", "-m", "comment", "--comment", "CNI firewall plugin rules",
             "-j", "CNI-FORWARD")
    node.run(program, "-I", "CNI-FORWARD", "-m", "comment", "--comment",
             "CNI firewall plugin admin overrides", "-j", "CNI-ADMIN")


def make_node(test):
    node = netns.Node(test)
    node.bridge()
    node.ip("address", "add", "fd00:d0c::1/64", "dev", "docker0", "nodad")
    node.uplink()
    for program in ("iptables", "ip6tables"):
        # Others' rules in each table that the plugins use: they must still be there afterwards.
        node.run(program, "-P", "FORWARD", "DROP")
        node.run(program, "-A", "FORWARD", "-m", "conntrack", "--ctstate", "DNAT", "-j", "ACCEPT")
        node.run(program, "-A", "FORWARD", "-m", "conntrack", "--ctstate", "RELATED,ESTABLISHED",
                 "-j", "ACCEPT")
        node.run(program, "-t", "nat", "-A", "PREROUTING", "-p", "tcp", "--dport", "1", "-j", "ACCEPT")
        node.run(program, "-t", "nat", "-A", "POSTROUTING", "-o", "docker0", "-j", "ACCEPT")
        _had_pods_before(node, program)
    node.run("nft", "add table inet operator; add chain inet operator notes; "
                    "add rule inet operator notes tcp dport 1 counter")
    # A link-local address that is still being probed would show as a change later.
    resources.wait_until(lambda: not any(a.get("tentative") for a in node.addresses("eth0", family=6)),
                         what="the uplink's link-local address")
    return node


def attachments(container_id=None):
    """What libcni has cached of the container (of all) on our networks, as it uses it for CHECK and DEL."""
    directory = os.path.join(CACHE, "results")
    found = []
    for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            entry = json.load(file)
        # (containerd attaches lo as a network of its own.)
        if entry["networkName"] in networks.RANGES and container_id in (None, entry["containerId"]):
            entry["config"] = json.loads(base64.b64decode(entry["config"]))
            inside = [i for i in entry["result"]["interfaces"] if i.get("sandbox")]
            entry["netns"] = inside[0]["sandbox"]
            found.append(entry)
    return found


def without_broken_checks(entry):
    """The conflist of an attachment without what no dual-stack pod passes: portmap 1.1.1 looks for each
    family's rules of a host port in the other family too (containernetworking/plugins#819)."""
    ports = (entry.get("capabilityArgs") or {}).get("portMappings")
    return {**entry["config"], "plugins": [
        plugin for plugin in entry["config"]["plugins"]
        if not (ports and plugin["type"] == "portmap" and plugin.get("capabilities"))]}


def pod_of(name, container_id):
    entries = attachments(container_id)
    addresses = {entry["networkName"]: [ip["address"].split("/")[0] for ip in entry["result"]["ips"]]
                 for entry in entries}
    return networks.Pod(name, entries[0]["netns"], addresses)


def who_called(client, address, port=image.PORT, source=None):
    """Ask a pod's HTTP service from a namespace: the client's address as the pod saw it."""
    with client.socket(traffic._family(address)) as stream:  # pylint: disable=protected-access
        stream.settimeout(traffic.TIMEOUT)
        if source:
            stream.bind((source, 0))
        stream.connect((address, port))
        stream.sendall(b"GET /cgi-bin/peer HTTP/1.0\r\n\r\n")
        answer = b""
        while block := stream.recv(4096):
            answer += block
    return peer_in(answer.decode())


def peer_in(answer):
    """The last line of the pod's answer; a server of both families writes IPv4 in IPv6's way."""
    return answer.split()[-1].strip("[]").removeprefix("::ffff:")


def bits_per_second(sender, receiver, address, bucket):
    """TCP as fast as it goes, from one namespace to `address` in another, counted at the receiver once it has
    got `bucket` bytes."""
    family = traffic._family(address)  # pylint: disable=protected-access
    with receiver.socket(family) as listener, sender.socket(family) as client:
        listener.bind((address, 0))
        listener.listen()
        listener.settimeout(traffic.TIMEOUT)
        client.settimeout(traffic.TIMEOUT)
        client.connect((address, listener.getsockname()[1]))
        connection, _ = listener.accept()
        thread = threading.Thread(target=_send_until_closed, args=(client,), daemon=True)
        thread.start()
        with connection:
            connection.settimeout(traffic.TIMEOUT)
            # Headers count as well: the last of the bucket goes while TCP finds its pace.
            _receive(connection, 0, bucket * 0.94)
            _receive(connection, SETTLE)
            count, seconds = _receive(connection, WINDOW)
        thread.join(traffic.TIMEOUT)
    return count * 8 / seconds


def _send_until_closed(stream):
    try:
        while True:
            stream.sendall(bytes(1 << 20))
    except OSError:
        pass


def _receive(stream, seconds, at_least=0):
    """For so long, and until so much has come: (bytes, seconds)."""
    buffer = bytearray(1 << 20)
    count, start = 0, time.monotonic()
    while time.monotonic() < start + seconds or count < at_least:
        count += stream.recv_into(buffer)
        if time.monotonic() > start + DRAIN_DEADLINE:
            raise AssertionError(f"{count} of {at_least:.0f} bytes in {DRAIN_DEADLINE} s")
    return count, time.monotonic() - start


class Chain(unittest.TestCase):
    """Tests run in the order of their names: the one that removes the pods is the last."""

    longMessage = True
    cni_version = "1.0.0"
    # The bandwidth plugin's limits come by configuration; else the runtime passes each pod's.
    shaped_by_config = True
    # What a pod may send or get at once before it is held to its rate.
    bucket = networks.BURST_BITS // 8

    @classmethod
    def make_engine(cls, node, runtimes):
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        runtimes = os.environ.get("PW_RUNTIMES")
        if not runtimes:
            raise RuntimeError("run this by tests/runtime/sandbox: it starts a container runtime")
        if not os.path.exists(networks.PLUGIN):
            raise RuntimeError(f"{networks.PLUGIN} is not built")
        cls.node = make_node(cls)
        networks.directory_of_plugins(cls.node, runtimes)
        cls.conf_dir = os.path.join(cls.node.directory, "net.d")
        networks.write(cls.conf_dir, networks.pods(cls.node, cls.cni_version, cls.shaped_by_config),
                       networks.second(cls.node, cls.cni_version))
        cls.engine = cls.make_engine(cls.node, runtimes)
        cls.addClassCleanup(cls.engine.stop)
        cls.engine.start()
        cls.before = state.of(cls.node)
        cls.ids = [cls.engine.run("a", None), cls.engine.run("b", HOST_PORT)]
        cls.a, cls.b = (pod_of(name, container) for name, container in zip("ab", cls.ids))

    def each(self, *networks_of_interest):
        """(subtest, family, network) for a loop: `with subtest:` makes each a case of its own."""
        for network in networks_of_interest or ("pods",):
            for version in VERSIONS:
                yield self.subTest(network=network, family=f"IPv{version}"), version, network

    def test_check_passes_in_every_plugin_of_the_chain(self):
        environment = {key: os.environ[key] for key in ("LD_LIBRARY_PATH", "XTABLES_LIBDIR")}
        runtime = libcni.Runtime(self.node, [self.node.bin_dir], CACHE, environment)
        entries = attachments()
        self.assertEqual(len(entries), 4)
        for entry in entries:
            with self.subTest(network=entry["networkName"], container=entry["containerId"]):
                runtime.check(without_broken_checks(entry), libcni.Attachment(
                    entry["containerId"], entry["netns"], entry["ifName"],
                    ";".join("=".join(pair) for pair in entry.get("cniArgs") or []),
                    entry.get("capabilityArgs")))
        verbs = {(os.path.basename(call.plugin), call.command) for call in runtime.calls}
        self.assertGreaterEqual(verbs, {(name, "CHECK") for name in (
            networks.TYPE, "bandwidth", "tuning", "portmap", "sbr", "firewall")})

    def test_container_reaches_the_other_pod(self):
        for subtest, version, _ in self.each():
            with subtest:
                address = self.b.address(version)
                self.engine.execute(self.ids[0], "/bin/ping", "-c", "1", "-W", "5", address)
                request = f"printf 'GET /cgi-bin/peer HTTP/1.0\\r\\n\\r\\n' | nc -w 5 {address} {image.PORT}"
                answer = self.engine.execute(self.ids[0], "/bin/sh", "-c", request)
                self.assertEqual(peer_in(answer), self.a.address(version))

    def test_host_port_is_answered_from_outside(self):
        for subtest, version, _ in self.each():
            with subtest:
                self.assertEqual(who_called(self.node.peer, NODE[version], HOST_PORT), CLIENT[version])

    def test_host_port_is_answered_on_the_nodes_localhost(self):
        # IPv4 alone: the kernel has no route_localnet for ::1.
        who_called(self.node, "127.0.0.1", HOST_PORT)

    def test_masquerading_hides_the_pod_from_the_outside_only(self):
        for subtest, version, _ in self.each():
            with subtest:
                peer = traffic.tcp_echo(self.a.sandbox, self.node.peer, CLIENT[version])
                self.assertEqual(peer, NODE[version])
                peer = traffic.tcp_echo(self.a.sandbox, self.b.sandbox, self.b.address(version))
                self.assertEqual(peer, self.a.address(version))

    def test_pods_reach_each_other_on_both_networks(self):
        for subtest, version, network in self.each("pods", "second"):
            with subtest:
                # What sbr moved is only found by who says where it comes from.
                source, address = (pod.address(version, network) for pod in (self.a, self.b))
                self.assertTrue(self.a.sandbox.ping(address, source), f"ping {address}")
                for echo in (traffic.tcp_echo, traffic.udp_echo):
                    peer = echo(self.a.sandbox, self.b.sandbox, address, source=source)
                    self.assertEqual(peer, source)

    def test_probe_from_the_node_is_answered(self):
        ifindex = {link["ifname"]: link["ifindex"] for link in self.node.links()}
        self.assertLess(ifindex["docker0"], ifindex["eth0"])
        for subtest, version, network in self.each("pods", "second"):
            with subtest:
                address = self.b.address(version, network)
                self.assertTrue(self.node.ping(address), f"ping {address}")
                peer = who_called(self.node, address)
                if networks.IS_PODWIRE:
                    self.assertEqual(peer, NODE[version], "not the node's own address")

    def test_rate_limit_holds_into_the_pod_and_out_of_it(self):
        for subtest, version, _ in self.each():
            # Ways that have no other limit on them.
            ways = {"ingress": (self.node, self.b.sandbox, self.b.address(version)),
                    "egress": (self.b.sandbox, self.node.peer, CLIENT[version])}
            # The first family empties the bucket for the second.
            bucket = self.bucket if version == VERSIONS[0] else 0
            with subtest:
                for way, ends in ways.items():
                    rate = bits_per_second(*ends, bucket)
                    self.assertLess(rate, networks.LIMIT_BITS * 1.3, way)
                    self.assertGreater(rate, networks.LIMIT_BITS * 0.5, way)

    def test_record_and_alias_say_whose_link_it_is(self):
        if not networks.IS_PODWIRE:
            self.skipTest("another plugin keeps none")
        records = self.node.records()
        for entry in attachments():
            host = next(i["name"] for i in entry["result"]["interfaces"] if not i.get("sandbox"))
            record = records.pop(host)
            self.assertEqual(
                (record["state"], record["network"], record["containerId"], record["ifname"]),
                ("ready", entry["networkName"], entry["containerId"], entry["ifName"]))
            self.assertEqual(sorted(record["addresses"]),
                             sorted(ip["address"] for ip in entry["result"]["ips"]))
            self.assertTrue(self.node.link(host)["ifalias"].startswith("podwire "))
        self.assertEqual(records, {})

    def test_replies_leave_by_the_interface_that_was_asked(self):
        # Pod a asks from its first address for pod b's second one. Without sbr the answer would leave
        # pod b by its first interface, and podwire's source check would not let it.
        for subtest, version, _ in self.each():
            with subtest:
                peer = who_called(self.a.sandbox, self.b.address(version, "second"))
                if networks.IS_PODWIRE:
                    self.assertEqual(peer, self.a.address(version))

    def test_sysctl_mtu_and_mac_are_tunings(self):
        first, second = (self.b.sandbox.link(name) for name in ("eth0", "eth1"))
        self.assertEqual(first["mtu"], networks.MTU)
        self.assertEqual(second["address"], networks.SECOND_MAC)
        self.assertEqual(self.b.sandbox.sysctl(networks.SYSCTL[0]), networks.SYSCTL[1])

    def test_teardown_leaves_nothing(self):
        self.assertNotEqual(self.left_behind(), [], "what is looked for is there while pods are")
        self.engine.remove(self.ids[0])
        # What is left of the other pod must still work: nothing of it was shared.
        for version in VERSIONS:
            self.assertEqual(who_called(self.node.peer, NODE[version], HOST_PORT), CLIENT[version])
        self.engine.remove(self.ids[1])

        self.assertEqual(self.left_behind(), [])

    def left_behind(self):
        """What the pods brought: in the kernel, of podwire's, of the address pools, of the caches."""
        stores = state.files_below(os.path.join(self.node.directory, "host-local"), CACHE, "/run/cni",
                                   "/run/netns", self.node.state_dir)
        # host-local's own: which address it gave last in each range, and its lock.
        mine = [resources.netns_path(ns.name) for ns in (self.node, self.node.peer)]
        files = [path for path in stores if path not in mine and os.path.basename(path) != "lock"
                 and not os.path.basename(path).startswith("last_reserved_ip.")]
        return [*state.difference(self.before, state.of(self.node)), *self.node.leftovers(), *files]
