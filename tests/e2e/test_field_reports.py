# SPDX-License-Identifier: GPL-2.0-or-later
"""What went wrong in other plugins and agents that do this job, one test (or more) a report.

A docstring names the projects' reports and what is right. The storm of 50 ADDs (containerd#3507,
plugins#366, romana#15) is test_churn's; what needs the node agent isn't here.
"""
import copy
import json
import os
import socket
import threading
import time

from faults import FaultCase, slow_host_local
from harness import netns, traffic
from harness.case import PODWIRE, PODWIRE_SEAM, conflist, host_local, ipam_store, podwire, reserved
from harness.fakeipam import Gate
from harness.libcni import Attachment, Runtime, call_plugin

DUAL_NODE = ("192.0.2.10", "2001:db8::10")
DUAL_WORLD = ("192.0.2.1", "2001:db8::1")


class FieldCase(FaultCase):
    plugin = PODWIRE

    def setUp(self):
        super().setUp()
        self.net = self.network()
        self.pod = self.node.pod()
        self.attachment = Attachment.of(self.pod)
        self.before = self.picture(self.pod)

    def raw(self, command, config, attachment=None, **environment):
        """A call with exactly this config and these variables, as a runtime of any kind may make it."""
        full = self.runtime.env_of(command, attachment)
        full.update(environment)
        return call_plugin(self.node, self.runtime.find("podwire"), full, config)

    def config(self, network=None, **keys):
        network = network or self.net
        return {**network["plugins"][0], "name": network["name"], "cniVersion": network["cniVersion"], **keys}

    def gc(self, network, valid):
        keep = [getattr(entry, "key", entry) for entry in valid]
        return self.raw("GC", self.config(network, **{"cni.dev/valid-attachments": keep}))


def addresses(result):
    return [ip["address"].split("/")[0] for ip in result["ips"]]


class Leaks(FieldCase):
    def test_row_1_empty_pool_leaves_no_veth(self):
        """containernetworking/plugins#29: the second ADD fails, and there is no new host link."""
        one = {"subnet": "10.1.0.0/24", "rangeStart": "10.1.0.2", "rangeEnd": "10.1.0.2"}
        net = conflist(podwire(self.node, host_local(self.node, one)))
        _, _, result = self.attach(net)
        self.assert_fails(999, "no IP addresses available", self.runtime.add, net, self.attachment)
        self.assertEqual(self.node.host_ends(), [self.host_ifname(result)])
        self.assertEqual(self.pod.ifnames(), ["lo"])
        self.assertEqual(list(reserved(self.node)), ["10.1.0.2"])

    def test_row_2_addresses_do_not_leak_over_a_reboot(self):
        """cni#204, plugins#252: namespaces, links and the runtime's cache are gone; GC with [] frees all."""
        net = self.network(version="1.1.0")
        for _ in range(3):
            pod, _, result = self.attach(net)
            pod.vanish()
            self.node.ip("link", "del", self.host_ifname(result), check=False)
            path = f"{self.node.state_dir}/attachments/{self.host_ifname(result)}.json"
            with open(path, encoding="utf-8") as file:
                body = json.load(file)
            with open(path, "w", encoding="utf-8") as file:
                json.dump({**body, "bootId": "01234567-89ab-cdef-0123-456789abcdef"}, file)
        self.runtime.forget()
        self.node.run("nft", "flush", "ruleset")
        self.assertEqual(len(reserved(self.node)), 6)
        self.assert_done(self.gc(net, []))
        self.assertEqual(reserved(self.node), {})
        self.assert_same(self.picture(self.pod), self.before)

    def test_row_3_masquerade_goes_without_a_namespace(self):
        """plugins#810, nerdctl#1872: DEL with an empty CNI_NETNS takes rules, routes and sets with it."""
        for previous in (True, False):
            with self.subTest(previous=previous):
                _, attachment, result = self.attach(self.net)
                call = self.runtime.call("DEL", self.net, attachment.replace(netns=""),
                                         result if previous else None)
                self.assert_done(call)
                self.assertEqual(self.node.nft(), [])
                self.assert_same(self.picture(self.pod), self.before)

    def test_row_4_namespace_that_is_gone_is_no_error(self):
        """cilium#40843, multus#269, ovs-cni#106: exit 0, and the address is free again."""
        pod, attachment, _ = self.attach(self.net)
        pod.vanish()
        self.assertFalse(os.path.exists(attachment.netns))
        self.runtime.delete(self.net, attachment)
        self.assertEqual(reserved(self.node), {})
        self.assert_same(self.picture(self.pod), self.before)

    def test_row_5_repeated_del(self):
        """kubernetes#44307, meshnet#70: exit 0 each time, before any ADD as well."""
        for _ in range(3):
            self.assert_done(self.runtime.call("DEL", self.net, self.attachment))
        self.runtime.add(self.net, self.attachment)
        for _ in range(3):
            self.assert_done(self.runtime.call("DEL", self.net, self.attachment))
        self.assert_same(self.picture(self.pod), self.before)

    def test_row_6_failed_add_frees_the_address(self):
        """calico/cni-plugin#325, containerd#5768: a route is refused by the kernel after IPAM's answer."""
        ipam = slow_host_local(self.node)
        net = self.network("slow", hostAddress="203.0.113.9")  # not an address of this node
        error = self.assert_fails(100, "203.0.113.9", self.runtime.add, net, self.attachment)
        self.assertIn("Invalid argument", error.msg)
        self.assertEqual([call.command for call in ipam.calls()], ["ADD", "DEL"])
        held = os.listdir(os.path.join(ipam_store(self.node), "podnet"))
        self.assertEqual([name for name in held if name[0].isdigit()], [])
        self.assert_same(self.picture(self.pod), self.before)

    def test_row_30_empty_namespace_frees_the_address(self):
        """kindnet, afxdp: a DEL that returns early without a namespace never tells IPAM."""
        ipam = slow_host_local(self.node)
        net = self.network("slow")
        _, attachment, _ = self.attach(net)
        ipam.clear()
        self.assert_done(self.runtime.call("DEL", net, attachment.replace(netns="")))
        self.assertEqual([call.command for call in ipam.calls()], ["DEL"])
        self.assertEqual(ipam.calls()[0].environment["CNI_NETNS"], "")
        self.assertEqual(reserved(self.node), {})


class Kernel(FieldCase):
    def test_row_12_interrupted_dumps(self):
        """netlink#1057: addresses change while they are listed; no EBUSY, no failure, no half list."""
        batch = "".join(f"address add 198.18.{n // 250}.{n % 250 + 1}/32 dev lo\n" for n in range(2000))
        self.node.run("ip", "-batch", "-", input=batch)
        stop = threading.Event()
        flapper = self.node.popen("ip", "-batch", "-", stdin=-1, text=True)

        def flap():
            while not stop.is_set():
                for verb in ("add", "del"):
                    flapper.stdin.write(f"address {verb} 198.19.0.1/32 dev lo\n")
                flapper.stdin.flush()
            flapper.stdin.close()

        thread = threading.Thread(target=flap, daemon=True)
        thread.start()
        try:
            for _ in range(10):
                _, attachment, _ = self.attach(self.net)
                self.runtime.check(self.net, attachment)
                self.runtime.delete(self.net, attachment)
        finally:
            stop.set()
            thread.join(10)
            self.assertEqual(flapper.wait(10), 0)
        self.assert_nothing_left()

    def test_row_13_host_mac_changed_behind_our_back(self):
        """ocicni#74, cni#1057: CHECK doesn't mind another MAC on the host's side."""
        _, attachment, result = self.attach(self.net)
        self.node.ip("link", "set", self.host_ifname(result), "address", "02:00:00:00:00:99")
        self.runtime.check(self.net, attachment)

    def test_row_14_both_macs_are_set_from_the_first_moment(self):
        """systemd#21185, lxd#11399, spiderpool#2580: NET_ADDR_SET (3), before udev can have seen the link."""
        self.node.install("podwire", PODWIRE_SEAM)
        gate = Gate(self.node.directory)
        running = self.runtime.start("ADD", self.net, self.attachment, PW_SEAM=f"link:after:hold={gate.path}")
        gate.wait()
        host = self.node.host_ends()[0]
        early = [self.node.mac(host), self.pod.mac("eth0")]
        read = "mount -t sysfs none /sys && cat /sys/class/net/{}/addr_assign_type"
        for namespace, ifname in ((self.node, host), (self.pod, "eth0")):
            done = namespace.run("unshare", "-m", "sh", "-c", read.format(ifname))
            self.assertEqual(done.stdout.strip(), "3", ifname)
        gate.release()
        result = running.wait().json
        self.assertEqual([interface["mac"] for interface in result["interfaces"]], early)
        for mac in early:
            self.assertEqual(int(mac[:2], 16) & 3, 2, "locally administered, unicast")

    def test_row_23_no_duplicate_address_detection(self):
        """plugins#680, containerd/cri#563: nothing is tentative, the address can be used at once."""
        seconds = []
        for _ in range(5):
            pod, _, result = self.attach(self.net)
            with pod.socket(socket.AF_INET6, socket.SOCK_DGRAM) as at_once:
                at_once.bind((addresses(result)[1], 0))
            seconds.append(self.runtime.calls[-1].seconds)
            for space, ifname in ((pod, "eth0"), (self.node, self.host_ifname(result))):
                flags = space.ip("-6", "address", "show", "dev", ifname).stdout
                self.assertIn("inet6", flags)
                self.assertNotIn("tentative", flags)
        # the kernel's takes a second at least (RFC 4862: one probe, a second)
        self.assertLess(min(seconds), 0.9, seconds)

    def test_row_26_udp_flows_of_a_pod_that_is_gone(self):
        """plugins#123, #1190: a client keeps its port, the pod behind the hostPort is another one."""
        ports = [{"hostPort": 5353, "containerPort": 5300, "protocol": "udp"}]
        net = conflist(podwire(self.node, host_local(self.node, "10.1.0.0/24"), ipMasq=True),
                       {"type": "portmap", "capabilities": {"portMappings": True}})
        world = self.node.peer
        with world.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.settimeout(5)
            client.bind((DUAL_WORLD[0], 40000))
            for _ in range(3):
                pod, attachment, result = self.attach(net, capability_args={"portMappings": ports})
                with pod.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
                    server.settimeout(5)
                    server.bind((addresses(result)[0], 5300))
                    client.sendto(b"question", (DUAL_NODE[0], 5353))
                    question, peer = server.recvfrom(100)
                    server.sendto(b"answer", peer)
                    self.assertEqual((question, client.recv(100)), (b"question", b"answer"))
                self.assertTrue(self.flows(addresses(result)[0]))
                self.runtime.delete(net, attachment)
                self.assertEqual(self.flows(addresses(result)[0]), [])

    def test_row_26_udp_flows_that_the_pod_began(self):
        """The same without portmap and in both families: the next pod with this address has a clean slate."""
        pod, attachment, result = self.attach(self.net)
        stays, _, others = self.attach(self.net)
        for who, theirs in ((pod, result), (stays, others)):
            for address, there, node in zip(addresses(theirs), DUAL_WORLD, DUAL_NODE):
                self.assertEqual(traffic.udp_echo(who, self.node.peer, there, source=address), node)
                self.assertTrue(self.flows(address), address)
        self.runtime.delete(self.net, attachment)
        for address in addresses(result):
            self.assertEqual(self.flows(address), [])
        for address in addresses(others):
            self.assertTrue(self.flows(address), "a neighbour's flow is gone")

    def flows(self, address):
        """UDP entries of conntrack with this address on any side; the file has no short form for IPv6."""
        long = ":".join(f"{part:04x}" for part in _words(address)) if ":" in address else address
        with netns.inside(self.node.path), open("/proc/thread-self/net/nf_conntrack", encoding="ascii") as lines:
            return [line for line in lines if " udp " in line and f"={long} " in line]


def _words(address):
    packed = socket.inet_pton(socket.AF_INET6, address)
    return [int.from_bytes(packed[n:n + 2], "big") for n in range(0, 16, 2)]


class Protocol(FieldCase):
    def test_row_15_sandbox_stripped_by_a_later_plugin(self):
        """nomad#25510: CHECK says which interface of prevResult it means, and doesn't crash."""
        result = self.runtime.add(self.net, self.attachment)
        stripped = copy.deepcopy(result)
        for interface in stripped["interfaces"]:
            interface.pop("sandbox", None)
        call = self.runtime.call("CHECK", self.net, self.attachment, stripped)
        self.assertEqual((call.status, call.json["code"]), (1, 103), repr(call))
        self.assertIn("eth0", call.json["msg"])

    def test_row_15_namespaces_are_compared_by_what_they_are(self):
        """The same namespace by another path is no difference; another namespace is one."""
        result = self.runtime.add(self.net, self.attachment)
        link = os.path.join(self.node.directory, "other-path")
        os.symlink(self.pod.path, link)
        self.assert_done(self.runtime.call("CHECK", self.net, self.attachment.replace(netns=link), result))
        other = self.node.pod()
        call = self.runtime.call("CHECK", self.net, self.attachment.replace(netns=other.path), result)
        self.assertEqual((call.status, call.json["code"]), (1, 103), repr(call))

    def test_row_17_gc_of_another_runtime(self):
        """cni#1086: only the network that is named, in this config, is touched."""
        ours = self.network(version="1.1.0")
        theirs = conflist(podwire(self.node, host_local(self.node, "10.2.0.0/24"), ipMasq=True), name="theirs",
                          version="1.1.0")
        # The same name, by another runtime, with another config.
        namesake = self.network(version="1.1.0", mtu=1400)
        other = Runtime(self.node, cache_dir=os.path.join(self.node.directory, "other-cache"))
        kept = []
        for net in (theirs, namesake):
            attachment = Attachment.of(self.node.pod())
            other.add(net, attachment)
            kept.append((net, attachment))
        _, live, _ = self.attach(ours)
        _, gone, result = self.attach(ours)
        held = {owner for owner, _ in reserved(self.node).values()}
        self.runtime.forget()

        call = self.gc(ours, [live])
        self.assertEqual((call.status, call.stdout), (0, b""), repr(call))
        self.assertNotIn(self.host_ifname(result), self.node.host_ends())
        self.assertEqual({owner for owner, _ in reserved(self.node).values()}, held - {gone.container_id})
        for net, attachment in kept:
            other.check(net, attachment)
        self.assertEqual(len(self.node.records()), 3)
        # Said, so that somebody can look: the namesake's.
        self.assertIn(b"another config", call.stderr)

    def test_row_18_gc_with_host_local(self):
        """plugins#1289: its lock, its last_reserved files and reservations of an older form stay."""
        net = self.network(version="1.1.0")
        _, live, _ = self.attach(net)
        self.attach(net)
        directory = os.path.join(ipam_store(self.node), "podnet")
        for name, body in (("10.1.0.77", "f00dface"), ("10.1.0.78", "cafef00d\r\neth0")):
            with open(os.path.join(directory, name), "w", encoding="ascii", newline="") as file:
                file.write(body)
        mine = {address for address, owner in reserved(self.node).items() if owner[0] == live.container_id}
        self.assert_done(self.gc(net, [live]))
        self.assertEqual(set(os.listdir(directory)),
                         {"lock", "last_reserved_ip.0", "last_reserved_ip.1", "10.1.0.77", "10.1.0.78"} | mine)
        self.attach(net)

    def test_row_19_unknown_cni_args(self):
        """kubernetes#23049, cni#560, pelagos#482: no IgnoreUnknown, keys of others, a UID that we know."""
        attachment = self.attachment.replace(cni_args="FOO=BAR;K8S_POD_UID=x")
        result = self.runtime.add(self.net, attachment)
        self.assertEqual(self.node.records()[self.host_ifname(result)]["podUid"], "x")
        self.runtime.check(self.net, attachment)
        self.runtime.delete(self.net, attachment)
        self.assert_same(self.picture(self.pod), self.before)

    def test_row_20_unknown_version(self):
        """plugins#359, #425, #652: code 1, and both sides' versions are said."""
        for version in ("9.9.9", "1.2.0", "0.9.0", "banana"):
            with self.subTest(version=version):
                call = self.raw("ADD", self.config(cniVersion=version), self.attachment)
                self.assertEqual((call.status, call.json["code"]), (1, 1), repr(call))
                self.assertIn(version, call.json["details"])
                self.assertIn("1.1.0", call.json["details"])
                self.assertEqual(call.json["cniVersion"], "1.1.0")
        self.assert_same(self.picture(self.pod), self.before)

    def test_row_20_absent_version(self):
        """A config without cniVersion gets a result of 0.2.0's shape, and its DEL works."""
        config = self.config()
        del config["cniVersion"]
        call = self.raw("ADD", config, self.attachment)
        self.assertEqual(call.status, 0, repr(call))
        self.assertIn(call.json["cniVersion"], ("0.1.0", "0.2.0"))
        self.assertEqual(call.json["ip4"]["ip"], "10.1.0.2/24")
        self.assertEqual(call.json["ip6"]["ip"], "fd00:1::2/64")
        self.assertNotIn("interfaces", call.json)
        self.assert_done(self.raw("DEL", config, self.attachment))
        self.assert_same(self.picture(self.pod), self.before)

    def test_row_21_asked_by_hand(self):
        """nomad#23229: --version, --help and no environment at all give an about text and exit 0."""
        for arguments in ((), ("--version",), ("--help",)):
            with self.subTest(arguments=arguments):
                done = self.node.run("env", "-i", self.runtime.find("podwire"), *arguments, check=False)
                self.assertEqual(done.returncode, 0, done)
                self.assertIn("1.1.0", done.stdout + done.stderr)
                self.assertIn("podwire", done.stdout + done.stderr)

    def test_row_27_agent_that_is_not_there(self):
        """cilium#22067, #6556: ADD, CHECK and DEL don't need it; STATUS speaks up only where it is required."""
        for required in (False, True):
            with self.subTest(required=required):
                net = self.network(version="1.1.0", requireAgent=required)
                if required:
                    self.assert_fails(50, "agent", self.runtime.status, net)
                else:
                    self.runtime.status(net)
                started = time.monotonic()
                self.runtime.add(net, self.attachment)
                self.runtime.check(net, self.attachment)
                self.runtime.delete(net, self.attachment)
                self.assertLess(time.monotonic() - started, 10, "something waits for the agent")
                self.assert_same(self.picture(self.pod), self.before)

    def test_row_27_agent_that_has_been_down_for_a_minute(self):
        """One that restarts isn't one that is down: the node is drained after 60 s only."""
        net = self.network(version="1.1.0", requireAgent=True)
        self.assert_fails(50, "has not run", self.runtime.status, net)
        lock = os.path.join(self.node.runtime_dir, "agent.lock")
        with open(lock, "w", encoding="ascii"):
            pass
        self.runtime.status(net)
        os.utime(lock, (time.time() - 55, time.time() - 55))
        self.runtime.status(net)
        os.utime(lock, (time.time() - 65, time.time() - 65))
        self.assert_fails(50, "down for", self.runtime.status, net)
        holder = self.node.popen("flock", "--exclusive", lock, "cat", stdin=-1, stdout=-1)
        holder.stdin.write(b"held\n")
        holder.stdin.flush()
        self.assertEqual(holder.stdout.read(1), b"h")
        self.runtime.status(net)


class PeersMistakes(FieldCase):
    """Read in the code of others: kinds of mistakes that a test of one case wouldn't show."""

    def test_del_opens_nothing_that_may_be_gone(self):
        for path in ("", "/proc/1234567/ns/net", "/run/netns/never-was", self.node.directory):
            with self.subTest(path=path):
                _, attachment, _ = self.attach(self.net)
                self.assert_done(self.runtime.call("DEL", self.net, attachment.replace(netns=path)))
                self.assert_same(self.picture(self.pod), self.before)

    def test_check_says_something_of_routes(self):
        result = self.runtime.add(self.net, self.attachment)
        self.pod.ip("route", "del", "default")
        call = self.runtime.call("CHECK", self.net, self.attachment, result)
        self.assertEqual((call.status, call.json["code"]), (1, 103), repr(call))
        self.assertIn("0.0.0.0/0", call.json["msg"])

    def test_rollback_looks_at_the_error_that_happened(self):
        """IPAM succeeds, then the interface can't be made: what is undone is decided by that."""
        ipam = slow_host_local(self.node)
        self.pod.ip("link", "add", "eth0", "type", "bridge")
        before = self.picture(self.pod)
        net = self.network("slow")
        self.assert_fails(101, "eth0", self.runtime.add, net, self.attachment)
        self.assertEqual([call.command for call in ipam.calls()].count("ADD"),
                         [call.command for call in ipam.calls()].count("DEL"))
        self.assert_same(self.picture(self.pod), before)
