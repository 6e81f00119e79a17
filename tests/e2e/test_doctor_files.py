# SPDX-License-Identifier: GPL-2.0-or-later
"""podwirectl doctor: networks and plugins, other managers of devices, leftovers, and files that are hostile."""
import json
import os
import platform

from doctorcase import DoctorCase
from harness.case import conflist, host_local, podwire


class Hazards(DoctorCase):
    def test_networkd(self):
        leaves = "[Network]\nManageForeignRoutes=no\n"
        with self.file("run/systemd/netif/state", ""):  # which it leaves behind when it is stopped
            self.assert_fine()
        with self.running("systemd-networkd"):
            self.assert_found("networkd-foreign-routes", "warning", "ManageForeignRoutes=no")
            with self.file("etc/systemd/networkd.conf", leaves):
                self.assert_fine()
                with self.file("etc/systemd/networkd.conf.d/10.conf", "[Network]\nManageForeignRoutes=yes\n"):
                    self.assert_found("networkd-foreign-routes", "warning")
            with self.file("usr/lib/systemd/networkd.conf.d/podwire.conf", leaves):
                self.assert_fine()
                with self.file("etc/systemd/network/50-all.network", "[Match]\nType=ether\n[Network]\nDHCP=yes\n"):
                    self.assert_found("networkd-manages-pods", "warning", "50-all.network", "Unmanaged=yes")
                    ours = "[Match]\nName=vethpw*\n\n[Link]\nUnmanaged=yes\n"
                    with self.file("usr/lib/systemd/network/00-podwire.network", ours):
                        self.assert_fine()
                        with self.file("etc/systemd/network/00-podwire.network", ""):  # which hides it
                            self.assert_found("networkd-manages-pods", "warning")
                    with self.file("usr/lib/systemd/network/60-podwire.network", ours):
                        self.assert_found("networkd-manages-pods", "warning")  # comes too late
                    with self.file("run/systemd/network/50-all.network.d/x.conf", "[Link]\nUnmanaged=yes\n"):
                        self.assert_fine()
                with self.file("etc/systemd/network/50-eth.network", "[Match]\nName=en* eth*\n"):
                    self.assert_fine()

    def test_networkmanager(self):
        name = "networkmanager-manages-pods"
        with self.file("run/NetworkManager/state", ""):
            self.assert_fine()
        with self.running("NetworkManager"):
            self.assert_found(name, "warning", "unmanaged-devices+=interface-name:vethpw*")
            ours = "[keyfile]\nunmanaged-devices+=interface-name:vethpw*\n"
            with self.file("usr/lib/NetworkManager/conf.d/podwire.conf", ours):
                self.assert_fine()
                with self.file("etc/NetworkManager/NetworkManager.conf", "[keyfile]\nunmanaged-devices=none\n"):
                    self.assert_found(name, "warning")
            with self.file("etc/NetworkManager/conf.d/x.conf", ours):
                self.assert_fine()
            with self.file("run/NetworkManager/state", ""):
                os.mkfifo(self.path("run/NetworkManager/conf.d")) # and no directory: nothing there
                try:
                    self.assert_found(name, "warning")
                finally:
                    os.unlink(self.path("run/NetworkManager/conf.d"))


class Leftovers(DoctorCase):
    def test_links(self):
        for name, links in (("leftover-cilium", ("cilium_host", "lxc0123456789ab", "lxc_health")),
                            ("leftover-calico", ("cali0123456789a", "vxlan.calico")),
                            ("leftover-flannel", ("flannel.1",)), ("leftover-bridge", ("cni0",))):
            for link in links:
                with self.subTest(link=link), self.link(link):
                    self.assert_found(name, "warning", link)
        for link in ("lxcbr0", "lxdbr0", "calico", "cilium", "flannel"):
            with self.subTest(link=link), self.link(link):
                self.assert_fine()

    def test_tunnel(self):
        with self.link("tunl0"):
            self.assert_fine()
            self.node.ip("link", "set", "tunl0", "up")
            self.assert_found("leftover-tunnel", "warning", "tunl0")

    def test_pins(self):
        for name, pin in (("leftover-cilium", "cilium"), ("leftover-calico", "calico"),
                          ("leftover-cilium", "tc/globals/cilium_lxc")):
            with self.subTest(pin=pin):
                path = self.path(os.path.join("sys/fs/bpf", pin))
                os.makedirs(path)
                try:
                    self.assert_found(name, "warning", pin)
                finally:
                    os.removedirs(path)

    def test_chains(self):
        for name, chain in (("leftover-cilium", "CILIUM_FORWARD"), ("leftover-calico", "cali-FORWARD"),
                            ("leftover-flannel", "FLANNEL-FWD")):
            for kind in ("iptables-nft", "iptables-legacy"):
                with self.subTest(chain=chain, kind=kind):
                    self.node.run(kind, "-w", "-N", chain)
                    try:
                        self.assert_found(name, "warning", chain)
                    finally:
                        self.node.run(kind, "-w", "-X", chain)
        self.node.run("nft", "flush", "ruleset")

    def test_configurations(self):
        other = json.dumps(conflist({"type": "other"}, name="other"))
        for name, file in (("leftover-cilium", "50-cilium.conflist"), ("leftover-calico", "20-calico.conflist"),
                           ("leftover-flannel", "20-flannel.conflist")):
            with self.subTest(file=file), self.file(f"etc/cni/net.d/{file}", other):
                self.assert_found(name, "warning", file)

    def test_flannel_that_runs_is_none(self):
        with self.link("flannel.1"):
            self.assert_found("leftover-flannel", "warning")
            with self.file("run/flannel/subnet.env", "FLANNEL_MTU=1450\n"):
                self.assert_fine()

    def test_flannel_that_delegates_to_us_is_none(self):
        delegate = {"type": "podwire", "runtimeDir": self.node.runtime_dir, "stateDir": self.node.state_dir}
        ours = json.dumps(conflist({"type": "flannel", "delegate": delegate}))
        with self.without("etc/cni/net.d/10-podwire.conflist"):
            with self.file("etc/cni/net.d/10-flannel.conflist", ours):
                self.assert_found("cni-plugin-missing", "broken", "flannel")
                with self.file("opt/cni/bin/flannel", "#!/bin/true\n", 0o755):
                    self.assert_fine()


class Cni(DoctorCase):
    CONF = "etc/cni/net.d/10-podwire.conflist"

    def test_no_network(self):
        with self.without(self.CONF):
            self.assert_found("cni-conf-missing", "broken", "there is no network", "podwirectl install")
            with self.file("etc/cni/net.d/20-x.conf", json.dumps({"type": "other", "name": "x"})):
                self.assert_found("cni-conf-missing", "broken", "20-x.conf")
            with self.file("etc/cni/net.d/20-x.conf", json.dumps({**podwire(self.node, host_local(self.node)),
                                                                  "name": "x"})):
                self.assert_fine()

    def test_another_sorts_first(self):
        other = json.dumps(conflist({"type": "other"}, name="other"))
        for name in ("05-other.conf", "05-other.conflist", "05-other.json", "0"):
            with self.subTest(name=name), self.file(f"etc/cni/net.d/{name}", other):
                if "." in name:
                    self.assert_found("cni-conf-not-first", "broken", name)
                else:
                    self.assert_fine()
        with self.file("etc/cni/net.d/90-other.conflist", other):
            self.assert_fine()
        with self.file("etc/cni/net.d/00-multus.conf", json.dumps({"type": "multus", "name": "multus"})):
            self.assert_fine()

    def test_invalid(self):
        plugin = podwire(self.node, host_local(self.node))
        for text, says in (("{", "JSON"), ("", "JSON"), ("{}", "names no plugin"), ("[]", "names no plugin"),
                           (b"\xff\0\xfe", "JSON"),
                           (json.dumps(conflist({**plugin, "mtu": "1500"})), "expected an integer"),
                           (json.dumps({"plugins": [plugin], "cniVersion": "1.0.0"}), "name")):
            with self.subTest(text=text), self.file(self.CONF, text):
                self.assert_found("cni-conf-invalid", "broken", says, others=True)

    def test_programs(self):
        for name, program, remedy in (("cni-binary-missing", "podwire", "podwirectl install --bin-dir"),
                                      ("cni-ipam-missing", "host-local", "containernetworking-plugins"),
                                      ("cni-loopback-missing", "loopback", "containernetworking-plugins")):
            path = self.path(f"opt/cni/bin/{program}")
            with self.subTest(program=program):
                with self.without(f"opt/cni/bin/{program}"):
                    if program == "podwire":
                        os.mkdir(path)
                        try:
                            self.assert_found(name, "broken", "is not an executable file")
                        finally:
                            os.rmdir(path)
                    self.assert_found(name, "broken", "is not there", remedy)
                os.chmod(path, 0o644)
                self.assert_found(name, "broken", "is not an executable file")
                os.chmod(path, 0o757)
                self.assert_found(name, "broken", "others may write to it")
                os.chmod(path, 0o755)
                os.chown(path, 65534, -1)
                self.assert_found(name, "broken", "belongs to another user")
                os.chown(path, 0, -1)
                self.assert_fine()

    def test_chained_plugin(self):
        net = conflist(podwire(self.node, host_local(self.node)), {"type": "portmap"})
        with self.file(self.CONF, json.dumps(net)):
            self.assert_found("cni-plugin-missing", "broken", "portmap")
            with self.file("opt/cni/bin/portmap", "", 0o755):
                self.assert_fine()

    def test_debians_directory(self):
        os.makedirs(self.path("usr/lib"))
        os.rename(self.path("opt/cni/bin"), self.path("usr/lib/cni"))
        try:
            self.assert_fine()
        finally:
            os.rename(self.path("usr/lib/cni"), self.path("opt/cni/bin"))
            os.removedirs(self.path("usr/lib"))

    def test_version(self):
        script = "#!/bin/sh\n[ \"$1\" = --validate ] || echo 'podwire 9.9.9: it'\n"
        with self.file("opt/cni/bin/podwire", script, 0o755):
            self.assert_found("cni-version-differs", "warning", "9.9.9")

    def test_another_program(self):
        for script, says in (("echo hello", "hello"), ("exit 3", "status 3"), ("kill -9 $$", "was killed"),
                             ("exec sleep 1000", "did not answer"), ("yes", "")):
            with self.subTest(script=script):
                with self.file("opt/cni/bin/podwire", f"#!/bin/sh\n{script}\n", 0o755):
                    self.assert_found("cni-binary-fails", "broken", says, others=True)


class Hostile(DoctorCase):
    """Whatever stands in a file's place, an answer comes, and it is one line of text a finding."""

    FILES = ("etc/cni/net.d/00-x.conflist", "etc/systemd/network/00-x.network", "etc/systemd/networkd.conf",
             "etc/NetworkManager/conf.d/x.conf", "etc/NetworkManager/NetworkManager.conf",
             "sys/kernel/security/lockdown", f"lib/modules/{platform.release()}/modules.dep")

    def look(self):
        for finding in self.run_doctor("-v"):
            text = finding["message"] + finding["remedy"]
            self.assertTrue(text.isprintable(), repr(text))

    def setUp(self):
        super().setUp()
        for service in ("systemd-networkd", "NetworkManager"):
            self.enterContext(self.running(service))

    def test_contents(self):
        contents = (b"\0" * 100, os.urandom(5000), b"[" * 100000, b"=\n" * 1000, b"[Match\n=x\nName", b"\\\n" * 50000,
                    b"[Match]\nName=" + b"*" * 2000 + b"\n", b"[Match]\nName=[\n[keyfile]\nunmanaged-devices=except:",
                    b"x" * (2 << 20), b'{"plugins":[{"type":"podwire","ipam":{"type":"\x1b[31m\\u0007"}}]}',
                    b'{"type":"../../bin/sh"}', b'{"plugins":[1,null,{"type":7,"delegates":[{}]}]}')
        for name in self.FILES:
            for content in contents:
                with self.subTest(name=name, content=content[:40]), self.file(name, content):
                    self.look()

    def test_kinds(self):
        for name in self.FILES:
            path = self.path(name)
            for make in (lambda: os.mkfifo(path), lambda: os.symlink(path, path), lambda: os.symlink("/dev/zero", path),
                         lambda: os.mkdir(path), lambda: os.symlink("../" * 40 + "etc/shadow", path)):
                with self.subTest(name=name), self.file(name):
                    os.unlink(path)
                    make()
                    try:
                        self.look()
                    finally:
                        if os.path.isdir(path) and not os.path.islink(path):
                            os.rmdir(path)
                            open(path, "w", encoding="ascii").close()

    def test_names(self):
        with self.file("etc/cni/net.d/00-\x1b[31m\n\u202e.conflist", "{"):
            self.look()
        with self.link("vethpw\x1b[2J"):
            self.look()

    def test_links_lead_nowhere_else(self):
        """An absolute link is one below the root."""
        with self.without("etc/cni/net.d/10-podwire.conflist"):
            os.symlink("/etc/there.conflist", self.path("etc/cni/net.d/10-podwire.conflist"))
            with self.file("etc/there.conflist", json.dumps(self.network)):
                self.assertNotIn("cni-conf-missing", {f["id"] for f in self.run_doctor()})
            os.unlink(self.path("etc/cni/net.d/10-podwire.conflist"))
