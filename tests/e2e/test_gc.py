# SPDX-License-Identifier: GPL-2.0-or-later
"""GC: what is stale goes, and nothing else; a list that isn't there is no permission to delete."""
import json
import os

from harness.case import Case, conflist, host_local, ipam_store, podwire, reserved
from harness.fakeipam import Answer, Fail, FakeIpam, Sequence
from harness.libcni import call_plugin, plugin_environment

DUAL = {"ips": [{"address": "10.1.0.2/24"}, {"address": "fd00:1::2/64"}]}


class GcCase(Case):
    def setUp(self):
        super().setUp()
        self.node.uplink()

    def network(self, name="podnet", version="1.1.0", ipam=None, **keys):
        ipam = ipam or host_local(self.node, network=f"ipam-{name}")
        return conflist(podwire(self.node, ipam, **keys), name=name, version=version)

    def raw_gc(self, network, **keys):
        """GC without the runtime's own synthesised DELs: a runtime that has lost its cache."""
        config = dict(network["plugins"][0], name=network["name"], cniVersion=network["cniVersion"], **keys)
        environment = plugin_environment("GC", cni_path=os.pathsep.join(self.runtime.path))
        return call_plugin(self.node, self.runtime.find("podwire"), environment, config)

    def assert_silent(self, call):
        self.assertEqual((call.status, call.stdout), (0, b""), repr(call))

    def rewrite(self, result, **fields):
        """Change the record of an attachment behind the plugin's back."""
        path = self.record_path(result)
        with open(path, encoding="utf-8") as file:
            body = json.load(file)
        body.update(fields)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(body, file)

    def record_path(self, result):
        return os.path.join(self.node.state_dir, "attachments", f"{self.host_ifname(result)}.json")

    def held(self, name="podnet"):
        return reserved(self.node, name, f"ipam-{name}")


class Stale(GcCase):
    def test_empty_list_takes_everything(self):
        net = self.network()
        for _ in range(3):
            self.attach(net)
        self.assert_silent(self.raw_gc(net, **{"cni.dev/valid-attachments": []}))
        self.assert_clean()
        self.assertEqual(self.held(), {})

    def test_live_ones_are_kept(self):
        net = self.network()
        pods = [self.attach(net) for _ in range(3)]
        keep = [pods[1][1].key]
        self.assert_silent(self.raw_gc(net, **{"cni.dev/valid-attachments": keep}))
        self.assertEqual(list(self.node.records()), [self.host_ifname(pods[1][2])])
        self.assertEqual(self.node.host_ends(), [self.host_ifname(pods[1][2])])
        self.assertEqual({owner for owner, _ in self.held().values()}, {pods[1][1].container_id})
        self.runtime.check(net, pods[1][1])

    def test_legacy_key_counts_the_same(self):
        net = self.network()
        pods = [self.attach(net) for _ in range(2)]
        self.assert_silent(self.raw_gc(net, **{"cni.dev/attachments": [pods[0][1].key]}))
        self.assertEqual(list(self.node.records()), [self.host_ifname(pods[0][2])])

    def test_new_key_wins_where_both_are_there(self):
        net = self.network()
        pods = [self.attach(net) for _ in range(2)]
        self.assert_silent(self.raw_gc(net, **{"cni.dev/valid-attachments": [pods[0][1].key],
                                               "cni.dev/attachments": []}))
        self.assertEqual(list(self.node.records()), [self.host_ifname(pods[0][2])])

    def test_same_container_with_another_interface_is_another_attachment(self):
        net = self.network(ipam=host_local(self.node, routes=(), network="ipam-podnet"))
        pod, first, _ = self.attach(net)
        _, _, second = self.attach(net, pod, ifname="net1")
        self.assert_silent(self.raw_gc(net, **{"cni.dev/valid-attachments": [first.key]}))
        self.assertNotIn(self.host_ifname(second), self.node.records())
        self.assertEqual(sorted(pod.ifnames()), ["eth0", "lo"])

    def test_namespace_gone(self):
        net = self.network()
        pod, _, _ = self.attach(net)
        pod.vanish()
        self.assert_silent(self.raw_gc(net, **{"cni.dev/valid-attachments": []}))
        self.assert_clean()
        self.assertEqual(self.held(), {})

    def test_after_a_reboot(self):
        # Links and namespaces are gone, the runtime's cache is gone, records and reservations are not.
        net = self.network()
        for _ in range(2):
            pod, _, result = self.attach(net)
            pod.vanish()
            self.node.ip("link", "del", self.host_ifname(result), check=False)
            self.rewrite(result, bootId="00000000-0000-0000-0000-000000000000")
        self.runtime.forget()
        self.assertEqual(self.runtime.gc(net, []), [])
        self.assert_clean()
        self.assertEqual(self.held(), {})

    def test_by_the_runtime_with_its_own_dels_first(self):
        net = self.network()
        pods = [self.attach(net) for _ in range(2)]
        self.assertEqual(self.runtime.gc(net, [pods[0][1]]), [])
        self.assertEqual([c.command for c in self.runtime.calls], ["ADD", "ADD", "DEL", "GC"])
        self.assertEqual(list(self.node.records()), [self.host_ifname(pods[0][2])])

    def test_twice(self):
        net = self.network()
        self.attach(net)
        for _ in range(2):
            self.assert_silent(self.raw_gc(net, **{"cni.dev/valid-attachments": []}))
        self.assert_clean()

    def test_on_a_node_that_never_saw_a_pod(self):
        self.assert_silent(self.raw_gc(self.network(), **{"cni.dev/valid-attachments": []}))
        self.assert_clean()

    def test_attachments_without_ipam(self):
        net = conflist(podwire(self.node), version="1.1.0")
        self.attach(net)
        self.assert_silent(self.raw_gc(net, **{"cni.dev/valid-attachments": []}))
        self.assert_clean()


class NoPermission(GcCase):
    def assert_nothing_goes(self, **keys):
        net = self.network()
        _, attachment, _ = self.attach(net)
        before = (self.node.records(), self.node.host_ends(), self.held())
        call = self.raw_gc(net, **keys)
        self.assertEqual((self.node.records(), self.node.host_ends(), self.held()), before, repr(call))
        self.runtime.check(net, attachment)
        return call

    def test_missing_list(self):
        self.assert_silent(self.assert_nothing_goes())

    def test_null(self):
        self.assert_nothing_goes(**{"cni.dev/valid-attachments": None})

    def test_wrong_types(self):
        for value in ("x", 5, {}, True, [5], ["x"], [{"containerID": 5, "ifname": "eth0"}], [{"containerID": "x"}],
                      [{"ifname": "eth0"}], [{}]):
            with self.subTest(value=value):
                call = self.assert_nothing_goes(**{"cni.dev/valid-attachments": value})
                self.assertEqual(call.status, 1, repr(call))
                self.assertIn(call.json["code"], (6, 7), repr(call))
                self.assertIn("cni.dev/valid-attachments", call.json["msg"])


class NotOurs(GcCase):
    def test_another_networks_are_kept(self):
        net, other = self.network(), self.network("other")
        self.attach(net)
        _, attachment, result = self.attach(other)
        self.assert_silent(self.raw_gc(net, **{"cni.dev/valid-attachments": []}))
        self.assertEqual(list(self.node.records()), [self.host_ifname(result)])
        self.assertEqual(len(self.held("other")), 2)
        self.runtime.check(other, attachment)

    def test_same_name_and_another_config_is_reported_not_removed(self):
        net = self.network()
        _, _, result = self.attach(net)
        changed = self.network(ipam=host_local(self.node, {"subnet": "10.9.0.0/24"}, network="ipam-elsewhere"))
        call = self.raw_gc(changed, **{"cni.dev/valid-attachments": []})
        self.assertEqual(list(self.node.records()), [self.host_ifname(result)], repr(call))
        self.assertEqual(len(self.held()), 2)
        self.assertIn(self.host_ifname(result).encode(), call.stdout + call.stderr, repr(call))

    def test_links_that_only_look_like_ours(self):
        self.node.ip("link", "add", "vethpw012345678", "type", "veth", "peer", "name", "vethpw012345679")
        self.node.ip("link", "add", "vethpwmine", "type", "bridge")
        self.assert_silent(self.raw_gc(self.network(), **{"cni.dev/valid-attachments": []}))
        for name in ("vethpw012345678", "vethpw012345679", "vethpwmine"):
            self.assertIn(name, self.node.ifnames())

    def test_host_locals_own_files_and_others_reservations(self):
        net = self.network()
        self.attach(net)
        directory = os.path.join(ipam_store(self.node, "ipam-podnet"), "podnet")
        # A reservation from before interface names were kept, and one of a container that we never saw.
        for address, body in (("10.1.0.200", "0123456789abcdef"), ("10.1.0.201", "fedcba9876543210\r\neth0")):
            with open(os.path.join(directory, address), "w", encoding="ascii", newline="") as file:
                file.write(body)
        kept = {"lock", "last_reserved_ip.0", "last_reserved_ip.1", "10.1.0.200", "10.1.0.201"}
        self.assert_silent(self.raw_gc(net, **{"cni.dev/valid-attachments": []}))
        self.assertEqual(set(os.listdir(directory)), kept)

    def test_files_that_are_no_records(self):
        net = self.network()
        _, _, result = self.attach(net)
        directory = os.path.dirname(self.record_path(result))
        strange = {"README": "hello", "vethpw000000000.json": "not json", "vethpw000000001.json": "{}",
                   "vethpw000000002.json": '{"version": 99, "network": "podnet"}', ".hidden.json": "{}"}
        for name, text in strange.items():
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(text)
        call = self.raw_gc(net, **{"cni.dev/valid-attachments": []})
        self.assertNotIn(call.status, range(2, 256), repr(call))
        self.assertNotIn(self.host_ifname(result), self.node.ifnames())
        self.assertFalse(os.path.exists(self.record_path(result)))
        self.assertLessEqual({"README", "vethpw000000002.json", ".hidden.json"}, set(os.listdir(directory)))


class IpamInGc(GcCase):
    def test_ipam_that_knows_gc_gets_it_with_the_list(self):
        ipam = FakeIpam(self.node, "modern", ADD=Answer(DUAL))
        net = self.network(ipam={"type": "modern"})
        self.attach(net)
        ipam.clear()
        keep = [{"containerID": "someone", "ifname": "eth0"}]
        self.assert_silent(self.raw_gc(net, **{"cni.dev/valid-attachments": keep}))
        calls = ipam.calls("GC")
        self.assertEqual(len(calls), 1, ipam.calls())
        self.assertEqual(calls[0].config["cni.dev/valid-attachments"], keep)
        self.assert_clean()

    def test_ipam_that_knows_no_gc_gets_a_del_for_each_stale_record(self):
        ipam = FakeIpam(self.node, "old", versions=("0.4.0", "1.0.0"), ADD=Answer(DUAL))
        net = self.network(ipam={"type": "old"})
        _, attachment, _ = self.attach(net)
        ipam.clear()
        self.assert_silent(self.raw_gc(net, **{"cni.dev/valid-attachments": []}))
        calls = ipam.calls()
        self.assertEqual([c.command for c in calls], ["DEL"])
        self.assertEqual(calls[0].environment["CNI_CONTAINERID"], attachment.container_id)
        self.assertEqual(calls[0].environment["CNI_IFNAME"], "eth0")
        self.assertEqual(calls[0].config["cniVersion"], "1.0.0")

    def test_goes_on_after_an_error_and_reports_it(self):
        ipam = FakeIpam(self.node, "fails", versions=("1.0.0",),
                        ADD=Sequence(*[Answer({"ips": [{"address": f"10.1.0.{n}/24"}]}) for n in (2, 3, 4)]))
        net = self.network(ipam={"type": "fails"})
        for _ in range(3):
            self.attach(net)
        ipam.clear()
        ipam.set(DEL=Sequence(Fail(11, "store is busy"), Answer()))
        call = self.raw_gc(net, **{"cni.dev/valid-attachments": []})
        self.assertEqual(call.status, 1, repr(call))
        self.assertEqual(call.json["code"], 11, repr(call))
        self.assertIn("store is busy", call.json["msg"])
        self.assertEqual(len(ipam.calls("DEL")), 3)
        self.assertEqual(self.node.host_ends(), [])
        # The one that failed is still known, and the next GC finishes it.
        self.assertEqual(len(self.node.records()), 1)
        ipam.set()
        self.assert_silent(self.raw_gc(net, **{"cni.dev/valid-attachments": []}))
        self.assert_clean()
