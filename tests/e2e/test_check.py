# SPDX-License-Identifier: GPL-2.0-or-later
"""CHECK: a difference that breaks the pod is found and named; what a later plugin changes is no fault."""
import copy
import json
import os

from harness.case import Case, conflist, host_local, podwire

DIFFERENT = 103


class CheckCase(Case):
    version = "1.0.0"

    def setUp(self):
        super().setUp()
        self.node.uplink()
        self.net = self.network()
        self.pod, self.attachment, self.result = self.attach(self.net)
        self.host = self.host_ifname(self.result)

    def network(self, *chained, **keys):
        return conflist(podwire(self.node, host_local(self.node), **keys), *chained, version=self.version)

    def check(self):
        self.runtime.check(self.net, self.attachment)
        call = self.runtime.calls[-1]
        self.assertEqual((call.stdout, call.stderr), (b"", b""), repr(call))

    def assert_found(self, *texts, code=DIFFERENT):
        return self.assert_fails(code, texts, self.check)

    def check_with(self, result):
        """CHECK with a prevResult of our own making; a Call."""
        return self.runtime.call("CHECK", self.net, self.attachment, result)


class NoFault(CheckCase):
    def test_right_after_add(self):
        self.check()

    def test_twice_and_nothing_changes(self):
        before = (self.node.ip_json("route", "show"), self.pod.ip_json("address", "show"), self.node.records())
        self.check()
        self.check()
        self.assertEqual((self.node.ip_json("route", "show"), self.pod.ip_json("address", "show"),
                          self.node.records()), before)

    def test_mac_of_the_host_end_changed_by_udev(self):
        self.node.ip("link", "set", self.host, "address", "02:00:00:00:00:aa")
        self.check()

    def test_mac_of_the_pod_end_changed_by_tuning(self):
        self.pod.ip("link", "set", "eth0", "address", "02:00:00:00:00:bb")
        self.check()

    def test_mtu_changed(self):
        self.pod.ip("link", "set", "eth0", "mtu", "1400")
        self.node.ip("link", "set", self.host, "mtu", "1400")
        self.check()

    def test_neighbours_changed(self):
        self.pod.ip("neigh", "flush", "dev", "eth0", "nud", "permanent")
        self.node.ip("neigh", "flush", "dev", self.host, "nud", "permanent")
        self.check()

    def test_more_addresses_and_routes(self):
        self.pod.ip("address", "add", "10.55.0.1/24", "dev", "eth0")
        self.pod.ip("route", "add", "10.56.0.0/16", "dev", "eth0")
        self.check()

    def test_default_route_moved_to_another_table_by_sbr(self):
        for family in ("-4", "-6"):
            route = next(r for r in self.pod.routes(int(family[1])) if r["dst"] == "default")
            self.pod.ip(family, "route", "del", "default")
            self.pod.ip(family, "route", "add", "default", "via", route["gateway"], "dev", "eth0", "onlink",
                        "table", "100")
        self.check()

    def test_same_namespace_under_another_path(self):
        holder = self.pod.popen("sleep", "60")
        self.attachment = self.attachment.replace(netns=f"/proc/{holder.pid}/ns/net")
        with open(self.runtime.cache_file(self.net, self.attachment), encoding="utf-8") as file:
            self.assertIn(self.pod.path, file.read())
        self.check()

    def test_alias_changed(self):
        self.node.ip("link", "set", self.host, "alias", "something else")
        self.check()

    def test_chain_with_tuning_and_sbr(self):
        tuning = {"type": "tuning", "dataDir": f"{self.node.directory}/tuning", "mac": "02:00:00:00:00:cc", "mtu": 1400}
        for chained in ((tuning,), ({"type": "sbr"},), (tuning, {"type": "sbr"})):
            with self.subTest(chained=[plugin["type"] for plugin in chained]):
                net = self.network(*chained)
                _, attachment, _ = self.attach(net)
                self.runtime.check(net, attachment)
                self.runtime.delete(net, attachment)

    def test_config_that_has_changed_since(self):
        self.net = self.network(queues=2, mtu=1300, routeMetric=7)
        self.check()

    def test_each_version_that_has_check(self):
        for version in ("0.4.0", "1.1.0"):
            with self.subTest(version=version):
                net = conflist(podwire(self.node, host_local(self.node)), version=version)
                _, attachment, _ = self.attach(net)
                self.runtime.check(net, attachment)


class Fault(CheckCase):
    def test_link_gone(self):
        self.pod.ip("link", "del", "eth0")
        self.assert_found("eth0")

    def test_pod_end_down(self):
        self.pod.ip("link", "set", "eth0", "down")
        self.assert_found("eth0")

    def test_host_end_down(self):
        self.node.ip("link", "set", self.host, "down")
        self.assert_found(self.host)

    def test_v4_address_gone(self):
        self.pod.ip("address", "del", "10.1.0.2/24", "dev", "eth0")
        self.assert_found("10.1.0.2")

    def test_v6_address_gone(self):
        self.pod.ip("address", "del", "fd00:1::2/64", "dev", "eth0")
        self.assert_found("fd00:1::2")

    def test_v4_default_route_gone(self):
        self.pod.ip("route", "del", "default")
        self.assert_found("0.0.0.0/0")

    def test_v6_default_route_gone(self):
        self.pod.ip("-6", "route", "del", "default")
        self.assert_found("::/0")

    def test_default_route_by_another_device(self):
        self.pod.ip("link", "add", "other0", "type", "bridge")
        self.pod.ip("link", "set", "other0", "up")
        self.pod.ip("route", "replace", "default", "dev", "other0")
        self.assert_found("0.0.0.0/0")

    def test_host_route_gone(self):
        self.node.ip("route", "del", "10.1.0.2")
        self.assert_found("10.1.0.2")

    def test_host_route_to_another_device(self):
        self.node.ip("route", "replace", "10.1.0.2/32", "dev", "eth0")
        self.assert_found("10.1.0.2")

    def test_forwarding_switched_off(self):
        self.node.forwarding(4, False)
        self.assert_found("forward")

    def test_reservation_of_ipam_gone(self):
        directory = os.path.join(self.node.directory, "host-local", "podnet")
        for entry in os.listdir(directory):
            os.unlink(os.path.join(directory, entry))
        self.assert_fails(self.host_local_code(), "host-local", self.check)

    def host_local_code(self):
        """host-local's own code for a failed CHECK: the test asks it directly."""
        call = self.runtime.call("CHECK", self.net, self.attachment, self.result,
                                 plugin={"type": "host-local", "ipam": self.net["plugins"][0]["ipam"]})
        self.assertEqual(call.status, 1, repr(call))
        return call.json["code"]

    def test_namespace_gone(self):
        self.pod.vanish()
        self.assert_found(self.pod.path, code=self.gone_code())

    def gone_code(self):
        call = self.check_with(self.result)
        self.assertIn(call.json["code"], (3, 8, DIFFERENT), repr(call))
        return call.json["code"]

    def test_another_containers_interface(self):
        other, _, _ = self.attach(self.net)
        self.attachment = self.attachment.replace(netns=other.path)
        self.assert_found("eth0")


class OddPrevResults(CheckCase):
    def changed(self, change):
        result = copy.deepcopy(self.result)
        change(result)
        return self.check_with(result)

    def assert_error(self, call, *texts):
        self.assertEqual(call.status, 1, repr(call))
        body = json.loads(call.stdout)
        self.assertIn(body["code"], (6, 7, DIFFERENT), repr(call))
        for text in texts:
            self.assertIn(text, body["msg"], repr(call))

    def test_sandbox_stripped_by_a_later_plugin_is_a_clear_error(self):
        self.assert_error(self.changed(lambda r: [i.pop("sandbox", None) for i in r["interfaces"]]), "eth0")

    def test_sandbox_of_another_namespace(self):
        other = self.node.pod()

        def change(result):
            result["interfaces"][1]["sandbox"] = other.path
        self.assert_error(self.changed(change), "eth0")

    def test_no_interfaces(self):
        self.assert_error(self.changed(lambda r: r.pop("interfaces")))

    def test_interface_renamed(self):
        def change(result):
            result["interfaces"][1]["name"] = "eth9"
        self.assert_error(self.changed(change), "eth0")

    def test_address_that_we_never_had(self):
        self.assert_error(self.changed(lambda r: r["ips"].append({"interface": 1, "address": "10.1.0.99/24"})),
                          "10.1.0.99")

    def test_address_of_another_plugins_interface_is_not_ours_to_judge(self):
        def change(result):
            result["interfaces"].append({"name": "tap0", "sandbox": self.pod.path})
            result["ips"].append({"interface": 2, "address": "10.9.9.9/24"})
        self.assertEqual(self.changed(change).status, 0)

    def test_routes_left_out(self):
        self.assertEqual(self.changed(lambda r: r.pop("routes", None)).status, 0)
