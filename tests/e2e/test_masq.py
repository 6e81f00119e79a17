# SPDX-License-Identifier: GPL-2.0-or-later
"""ipMasq: whom the world sees, what the table holds, and that nothing of it stays behind."""
import collections
import concurrent.futures
import os
import unittest

from harness import traffic
from harness.case import V4, V6, Case, conflist, host_local, podwire
from harness.fakeipam import Answer, FakeIpam
from harness.libcni import Attachment

WORLD = {4: "192.0.2.1", 6: "2001:db8::1"}
NODE = {4: "192.0.2.10", 6: "2001:db8::10"}
EXCLUDED = {4: "198.51.100.1", 6: "2001:db8:1::1"}
EXCLUDE = ["198.51.100.0/24", "2001:db8:1::/64"]


class MasqCase(Case):
    """The world has routes to the pods, so that a pod that isn't masqueraded is seen and heard."""

    def setUp(self):
        super().setUp()
        self.wire = self.node.uplink()
        for family, prefix, address in ((4, "10.1.0.0/16", EXCLUDED[4]), (6, "fd00::/16", EXCLUDED[6])):
            self.wire.ip("address", "add", address, "dev", "lo")
            self.wire.ip(f"-{family}", "route", "add", prefix, "via", NODE[family])

    def network(self, *subnets, version="1.0.0", ipam=None, **keys):
        keys.setdefault("ipMasq", True)
        return conflist(podwire(self.node, ipam or host_local(self.node, *subnets), **keys), version=version)

    def fixed(self, *addresses, **keys):
        FakeIpam(self.node, "fixed", ADD=Answer({"ips": [{"address": a} for a in addresses], "routes": [
            {"dst": "0.0.0.0/0"}, {"dst": "::/0"}]}))
        return self.network(ipam={"type": "fixed"}, **keys)

    def sets(self):
        return (self.node.nft_table("podwire") or {}).get("set", [])

    def groups(self):
        """Of the pods' links: {host end: group}."""
        return {link["ifname"]: link["group"] for link in self.node.ip_json("link", "show")
                if link["ifname"].startswith("vethpw")}

    def ruled(self):
        """The groups that rules are for, each with how many."""
        rules = (self.node.nft_table("podwire") or {}).get("rule", [])
        return collections.Counter(str(match["match"]["right"]) for rule in rules for match in rule["expr"]
                                   if match.get("match", {}).get("left") == {"meta": {"key": "iifgroup"}})

    def assert_in_force(self, *results):
        """These pods and no others are there, and their rules and no others: one a family and list."""
        self.assertEqual(set(self.groups()), {self.host_ifname(result) for result in results})
        self.assertEqual(self.ruled(), {group: 2 for group in self.groups().values()})

    def lists(self):
        """How many lists of exclusions there are."""
        return len([found for found in self.sets() if found["name"].startswith("to4_")])

    def assert_sources(self, pod, seen, destinations=None):
        """Whom the world sees, by TCP and by UDP."""
        for family, destination in (destinations or WORLD).items():
            self.assertEqual(traffic.tcp_echo(pod, self.wire, destination), seen[family])
            self.assertEqual(traffic.udp_echo(pod, self.wire, destination), seen[family])

    def own(self, result):
        return {int(ip.get("version", 6 if ":" in ip["address"] else 4)): ip["address"].split("/")[0]
                for ip in result["ips"]}


class Seen(MasqCase):
    def test_pods_are_seen_as_the_node(self):
        pod, _, _ = self.attach(self.network())
        self.assert_sources(pod, NODE)

    def test_without_ip_masq_pods_are_seen_and_there_is_no_table(self):
        pod, _, result = self.attach(self.network(ipMasq=False))
        self.assert_sources(pod, self.own(result))
        self.assertIsNone(self.node.nft_table("podwire"))

    def test_excluded_destinations_see_the_pod(self):
        pod, _, result = self.attach(self.network(masqExclude=EXCLUDE))
        self.assert_sources(pod, self.own(result), EXCLUDED)
        self.assert_sources(pod, NODE)

    def test_pods_of_the_network_see_each_other(self):
        a, _, first = self.attach(self.network())
        b, _, second = self.attach(self.network())
        for mine, theirs in zip(self.own(first).values(), self.own(second).values()):
            self.assertEqual(traffic.tcp_echo(a, b, theirs), mine)

    def test_the_node_itself_is_not_masqueraded_towards_pods(self):
        pod, _, result = self.attach(self.network())
        for family, address in self.own(result).items():
            self.assertEqual(traffic.tcp_echo(self.node, pod, address), NODE[family])

    def test_one_family_alone(self):
        pod, _, _ = self.attach(self.network({"subnet": "fd00:1::/64"}))
        self.assert_sources(pod, NODE, {6: WORLD[6]})

    def test_a_pod_that_took_over_the_address_is_masqueraded_after_the_old_ones_del(self):
        net = self.fixed("10.1.0.9/24", "fd00:1::9/64")
        _, old, _ = self.attach(net)
        pod, new, result = self.attach(net)
        self.runtime.delete(net, old)
        self.assert_in_force(result)
        self.assert_sources(pod, NODE)
        self.runtime.check(net, new)
        self.runtime.delete(net, new)
        self.assert_clean()


class Table(MasqCase):
    def test_pods_share_rules_and_only_the_first_writes_them(self):
        net = self.network()
        made = [self.attach(net)]
        before = self.node.run("nft", "-a", "list", "ruleset").stdout
        made += [self.attach(net) for _ in range(2)]
        self.assert_in_force(*(result for _, _, result in made))
        self.assertEqual(len(set(self.groups().values())), 1)
        self.assertEqual(self.node.run("nft", "-a", "list", "ruleset").stdout, before)
        for _, attachment, _ in made[:2]:
            self.runtime.delete(net, attachment)
        self.assertEqual(self.node.run("nft", "-a", "list", "ruleset").stdout, before)

    def test_pods_that_are_not_masqueraded_are_in_no_group(self):
        _, _, result = self.attach(self.network(ipMasq=False))
        self.assertEqual(self.groups(), {self.host_ifname(result): "default"})

    def test_pods_with_subnets_of_their_own_share_rules(self):
        """Host prefixes: what would be a pod's own subnet is the pod."""
        made = [self.attach(dict(self.fixed(f"10.1.0.{n}/32", f"fd00:1::{n}/128"), name=f"fixed{n}"))
                for n in (1, 2)]
        self.assert_in_force(*(result for _, _, result in made))
        self.assertEqual(self.lists(), 1)

    def test_allowed_sources_are_seen(self):
        net = self.network(allowedSources=["10.1.0.200/32", "fd00:1::200/128"])
        pod, attachment, result = self.attach(net)
        for address in ("10.1.0.200/32", "fd00:1::200/128"):
            pod.ip("address", "add", address, "dev", "eth0", *(["nodad"] if ":" in address else []))
            self.node.ip("route", "add", address, "dev", self.host_ifname(result))
        for family, source in ((4, "10.1.0.200"), (6, "fd00:1::200")):
            self.assertEqual(traffic.udp_echo(pod, self.wire, WORLD[family], source=source), source)
        self.assert_sources(pod, NODE)
        self.runtime.check(net, attachment)
        self.runtime.delete(net, attachment)
        self.assert_clean()

    def test_networks_with_other_exclusions_have_rules_of_their_own_while_they_have_pods(self):
        first = self.network()
        second = dict(self.network(masqExclude=EXCLUDE), name="other")
        second["plugins"][0]["ipam"] = host_local(self.node, {"subnet": "10.2.0.0/24"})
        _, a, _ = self.attach(first)
        _, b, _ = self.attach(second)
        self.assertEqual(self.lists(), 2)
        self.runtime.delete(first, a)
        self.assertEqual(self.lists(), 1)
        self.runtime.delete(second, b)
        self.assert_clean()

    def test_networks_with_state_of_their_own_share_rules(self):
        """Neither knows the other's records, and the last pod of one is not the last of the node."""
        first = self.network()
        second = dict(self.network(stateDir=f"{self.node.state_dir}-other"), name="other")
        second["plugins"][0]["ipam"] = host_local(
            self.node, dict(V4, rangeStart="10.1.0.100"), dict(V6, rangeStart="fd00:1::100"))
        pod, a, result = self.attach(first)
        _, b, _ = self.attach(second)
        self.assertEqual(self.lists(), 1)
        self.runtime.delete(second, b)
        self.assert_in_force(result)
        self.assert_sources(pod, NODE)
        self.runtime.delete(first, a)
        self.assert_clean()

    def test_others_tables_stay_as_they_are(self):
        self.node.run("nft", "-f", "-", input="""
            table inet filter {
                set hosts {
                    type ipv4_addr
                    elements = { 10.1.0.2 }
                }
                chain forward {
                    type filter hook forward priority 0
                    ip saddr @hosts counter
                }
            }
            table ip podwire {
                chain postrouting {
                    type nat hook postrouting priority 100
                }
            }""")
        before = self.node.run("nft", "list", "ruleset").stdout
        net = self.network()
        _, attachment, _ = self.attach(net)
        self.runtime.delete(net, attachment)
        self.assertEqual(self.node.run("nft", "list", "ruleset").stdout, before)

    def test_what_nft_prints_can_be_loaded(self):
        net = self.network(masqExclude=EXCLUDE)
        pod, attachment, _ = self.attach(net)
        text = self.node.run("nft", "list", "ruleset").stdout
        self.node.run("nft", "flush", "ruleset")
        self.node.run("nft", "-f", "-", input=text)
        self.assertEqual(self.node.run("nft", "list", "ruleset").stdout, text)
        self.runtime.check(net, attachment)
        self.assert_sources(pod, NODE)
        self.runtime.delete(net, attachment)
        self.assert_clean()

    def test_20_at_once(self):
        net = self.network()
        pods = [self.node.pod() for _ in range(20)]
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            results = list(pool.map(lambda pod: self.attach(net, pod)[2], pods))
        self.assert_in_force(*results)
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            list(pool.map(lambda pod: self.runtime.delete(net, Attachment.of(pod)), pods))
        self.assert_clean()


class Reload(MasqCase):
    """Somebody else's firewall is loaded anew and takes our table with it."""

    DAMAGES = {"the table": ("flush", "ruleset"), "its rules": ("flush", "table", "inet", "podwire"),
               "the base chain": ("delete", "chain", "inet", "podwire", "postrouting")}

    def test_check_names_what_is_missing(self):
        net = self.network()
        _, attachment, _ = self.attach(net)
        for what, damage in self.DAMAGES.items():
            with self.subTest(what):
                self.node.run("nft", *damage)
                self.assert_fails(103, "nftables table inet podwire", self.runtime.check, net, attachment)
                self.attach(net)
                self.runtime.check(net, attachment)

    def test_the_next_pod_brings_all_pods_back(self):
        net, other = self.network(), dict(self.network(masqExclude=EXCLUDE), name="other")
        other["plugins"][0]["ipam"] = host_local(self.node, {"subnet": "10.1.7.0/24"}, network="other")
        first, _, result = self.attach(net)
        second, _, seen = self.attach(other)
        before = self.ruled()
        self.node.run("nft", "flush", "ruleset")
        self.assert_sources(first, self.own(result))
        _, third, _ = self.attach(net)
        self.assert_sources(first, NODE)
        self.assert_sources(second, NODE, {4: WORLD[4]})
        self.assert_sources(second, self.own(seen), {4: EXCLUDED[4]})
        self.runtime.delete(net, third)
        self.assertEqual(self.ruled(), before)

    def test_a_link_that_somebody_took_out_of_its_group_is_told(self):
        net = self.network()
        _, attachment, result = self.attach(net)
        (group,) = self.groups().values()
        self.node.ip("link", "set", "dev", self.host_ifname(result), "group", "7")
        self.assert_fails(103, f"{self.host_ifname(result)} is in link group 7, not in {group}", self.runtime.check,
                          net, attachment)
        self.runtime.delete(net, attachment)
        self.assert_clean()

    def test_del_does_not_mind(self):
        for what, damage in self.DAMAGES.items():
            with self.subTest(what):
                net = self.network()
                _, attachment, _ = self.attach(net)
                self.node.run("nft", *damage)
                self.runtime.delete(net, attachment)
                self.assert_clean()


class Leave(MasqCase):
    """However little DEL is told, neither rules nor routes stay."""

    def setUp(self):
        super().setUp()
        self.net = self.network()
        self.pod, self.attachment, self.result = self.attach(self.net)

    def stay(self):
        """Another pod, which must not be hurt; to be called before DEL."""
        pod, attachment, result = self.attach(self.net)
        return pod, attachment, result

    def lose_record(self):
        os.unlink(os.path.join(self.node.state_dir, "attachments",
                               f"{self.host_ifname(self.result)}.json"))

    def delete(self, previous, **environment):
        call = self.runtime.call("DEL", self.net, self.attachment, previous, **environment)
        self.assertEqual((call.status, call.stdout, call.stderr), (0, b"", b""), repr(call))

    def assert_gone(self):
        self.assert_clean()
        self.assertEqual(self.node.nft(), [])

    def test_del(self):
        self.runtime.delete(self.net, self.attachment)
        self.assert_gone()

    def test_del_three_times(self):
        for _ in range(3):
            self.runtime.delete(self.net, self.attachment)
        self.assert_gone()

    def test_empty_netns(self):
        self.delete(None, CNI_NETNS="")
        self.assert_gone()

    def test_empty_netns_with_prev_result(self):
        self.delete(self.result, CNI_NETNS="")
        self.assert_gone()

    def test_netns_gone(self):
        self.pod.vanish()
        self.delete(self.result)
        self.assert_gone()

    def test_no_record_but_prev_result(self):
        self.lose_record()
        self.delete(self.result)
        self.assert_gone()

    def test_no_record_and_empty_netns_but_prev_result(self):
        self.lose_record()
        self.delete(self.result, CNI_NETNS="")
        self.assert_gone()

    def test_neither_record_nor_prev_result(self):
        self.lose_record()
        self.delete(None)
        self.assert_gone()

    def test_neither_record_nor_prev_result_nor_netns(self):
        self.lose_record()
        self.delete(None, CNI_NETNS="")
        self.assert_gone()

    def test_ip_masq_switched_off_since(self):
        self.net["plugins"][0]["ipMasq"] = False
        self.delete(self.result)
        self.assert_gone()

    def test_another_pod_stays_masqueraded_each_time(self):
        other, _, kept = self.stay()
        for lose, previous, netns in ((False, True, True), (True, True, True), (True, False, False)):
            with self.subTest(lost=lose, previous=previous, netns=netns):
                if lose:
                    self.lose_record()
                self.delete(self.result if previous else None, **({} if netns else {"CNI_NETNS": ""}))
                self.assert_in_force(kept)
                self.assert_sources(other, NODE)
                self.pod, self.attachment, self.result = self.attach(self.net)

    def test_gc_takes_the_rules_of_stale_pods(self):
        other, attachment, kept = self.stay()
        self.net["cniVersion"] = "1.1.0"
        self.runtime.forget()
        call = self.runtime.call("GC", dict(self.net, plugins=[dict(
            self.net["plugins"][0], **{"cni.dev/valid-attachments": [attachment.key]})]), None)
        self.assertEqual(call.status, 0, repr(call))
        self.assert_in_force(kept)
        self.assert_sources(other, NODE)


if __name__ == "__main__":
    unittest.main()
