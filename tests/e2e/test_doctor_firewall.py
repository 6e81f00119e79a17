# SPDX-License-Identifier: GPL-2.0-or-later
"""podwirectl doctor: who drops what is forwarded, by nftables and by both kinds of iptables."""
import contextlib
import re
import shutil

from doctorcase import DoctorCase
from harness.case import conflist, host_local, podwire

ACCEPT = "-i vethpw+ -j ACCEPT", "-o vethpw+ -j ACCEPT"


class Firewall(DoctorCase):
    ID = "forward-policy-drop"

    def nft(self, text):
        self.node.run("nft", "-f", "-", input=text)

    @contextlib.contextmanager
    def table(self, text, family="inet", name="other"):
        self.nft(f"table {family} {name} {{\n" + re.sub(r"(; }|{ }) ?", r"\1\n", text) + "}\n")
        try:
            yield
        finally:
            self.nft(f"delete table {family} {name}")

    def test_nft_policy(self):
        with self.table("chain f { type filter hook forward priority 0; policy drop; }"):
            self.assert_found(self.ID, "broken", "chain f of table inet other", "somebody", "no rule accepts")
            self.nft('insert rule inet other f iifname "vethpw*" counter accept')
            self.assert_found(self.ID, "broken", "comes from vethpw*")
            self.nft('insert rule inet other f oifname "vethpw*" accept')
            self.assert_fine()

    def test_rules_that_accept_too_little(self):
        for rule in ('iifname "vethpw012345678" accept', 'iifname != "vethpw*" accept', "ct state established accept",
                     'iifname "vethpw*" drop', "tcp dport 80 accept", 'iifname "vethpw*" oifname "eth0" accept'):
            with self.subTest(rule=rule):
                with self.table(f"chain f {{ type filter hook forward priority 0; policy drop; {rule}; }}"):
                    self.assert_found(self.ID, "broken", "no rule accepts")

    def test_rules_by_address(self):
        for rule in ("ip saddr 10.0.0.0/8 accept", "ip daddr { 10.1.0.0/16, 10.2.0.0/16 } accept",
                     "ip6 saddr fd00::/8 jump g"):
            with self.subTest(rule=rule):
                with self.table("chain g { } chain f { type filter hook forward priority 0; policy drop; "
                                f"{rule}; }}"):
                    self.assert_found(self.ID, "warning", "by address")

    def test_chains_that_concern_nobody(self):
        for text in ("chain f { type filter hook forward priority 0; policy accept; }",
                     "chain f { type filter hook input priority 0; policy drop; }",
                     "chain f { type filter hook forward priority 0; policy accept; tcp dport 1 drop; }",
                     "chain f { type filter hook forward priority 0; policy drop; accept; }",
                     "chain f { drop; }"):
            with self.subTest(text=text), self.table(text):
                self.assert_fine()

    def test_last_rule_drops(self):
        text = ("chain filter_FORWARD { type filter hook forward priority 10; policy accept; "
                "ct state { established, related } accept; counter reject with icmpx admin-prohibited; }")
        with self.table(text, name="firewalld"):
            self.assert_found(self.ID, "broken", "firewalld did that", "firewall-cmd --permanent")

    def test_ipv6_that_no_pod_has(self):
        with self.table("chain f { type filter hook forward priority 0; policy drop; }", family="ip6"):
            self.assert_found(self.ID, "broken", "table ip6 other")
            only4 = conflist(podwire(self.node, host_local(self.node, "10.3.0.0/24")), name="only4")
            with self.pod(only4):
                self.assert_fine()

    def iptables(self, kind, *words):
        self.node.run(f"{kind[0]}-{kind[1]}", "-w", *words)

    def test_iptables(self):
        """By either iptables, of either family, as Docker, ufw and an operator have it."""
        owners = (("DOCKER", "Docker did that", "DOCKER-USER"),
                  ("ufw-before-forward", "ufw did that", "/etc/default/ufw"),
                  (None, "somebody did that", "iptables -I FORWARD"))
        for kind in (("iptables", "nft"), ("ip6tables", "nft"), ("iptables", "legacy"), ("ip6tables", "legacy")):
            if not shutil.which("-".join(kind)):
                self.skipTest(f"no {'-'.join(kind)}")
            place = "iptables-legacy" if kind[1] == "legacy" else "nftables"
            for chain, who, remedy in owners:
                with self.subTest(kind=kind, chain=chain):
                    self.iptables(kind, "-P", "FORWARD", "DROP")
                    try:
                        if chain:
                            self.iptables(kind, "-N", chain)
                        self.assert_found(self.ID, "broken", place, who, remedy, "no rule accepts")
                        self.mend(kind, chain)
                    finally:
                        self.iptables(kind, "-P", "FORWARD", "ACCEPT")
                        self.iptables(kind, "-F")
                        self.iptables(kind, "-X")
                    self.assert_fine()
        self.nft("flush ruleset")

    def mend(self, kind, chain):
        self.iptables(kind, "-A", "FORWARD", *ACCEPT[0].split())
        self.assert_found(self.ID, "broken", "comes from vethpw*")
        self.iptables(kind, "-A", "FORWARD", *ACCEPT[1].split())
        self.assert_fine()
        self.iptables(kind, "-F", "FORWARD")
        address = "10.0.0.0/8" if kind[0] == "iptables" else "fd00::/8"
        for where in ("FORWARD", "DOCKER"):
            if where == "FORWARD" or where == chain:
                # what Docker accepts for its containers is none of pods'
                self.iptables(kind, "-A", where, "-s", address, "-j", "ACCEPT")
                severity = "warning" if where == "FORWARD" else "broken"
                self.assert_found(self.ID, severity, "by address" if severity == "warning" else "no rule accepts")
                self.iptables(kind, "-F", where)

    def test_legacy_rules_that_accept_too_little(self):
        kind = ("iptables", "legacy")
        self.iptables(kind, "-P", "FORWARD", "DROP")
        try:
            for rule in ("-i vethpw012345678 -j ACCEPT", "! -i vethpw+ -j ACCEPT", "-i vethpw+ -j DROP",
                         "-p tcp -j ACCEPT", "-i vethpw+ -o eth0 -j ACCEPT",
                         "-m conntrack --ctstate ESTABLISHED -j ACCEPT", "-i vethpw+"):
                with self.subTest(rule=rule):
                    self.iptables(kind, "-A", "FORWARD", *rule.split())
                    self.assert_found(self.ID, "broken", "no rule accepts")
                    self.iptables(kind, "-F", "FORWARD")
            self.iptables(kind, "-P", "FORWARD", "ACCEPT")
            self.assert_fine()
            self.iptables(kind, "-A", "FORWARD", "-j", "REJECT")
            self.assert_found(self.ID, "broken", "no rule accepts")
        finally:
            self.iptables(kind, "-P", "FORWARD", "ACCEPT")
            self.iptables(kind, "-F")
