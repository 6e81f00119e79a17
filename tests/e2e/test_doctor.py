# SPDX-License-Identifier: GPL-2.0-or-later
"""podwirectl doctor: the kernel, sysctls, records, the agent; and what it is like as a command."""
import contextlib
import glob
import json
import os
import platform
import re
import subprocess

from doctorcase import BTF, PODWIRECTL, DoctorCase
from harness.case import SOURCE_DIR, conflist, host_local, podwire
from harness.seccomp import refuse_bpf

SUBJECTS = ("agent|bpf|bpf-jit|bpffs|cni|conntrack|kernel|leftover|link|networkd|networkmanager|nftables|pod|record|rp"
            "|state|uplink|veth|accept|forward|ipv[46]")  # what ids begin with
CONF = "etc/cni/net.d/10-podwire.conflist"


class Fine(DoctorCase):
    def test_verbose_shows_what_is_fine(self):
        findings = self.run_doctor("--verbose", status=0)
        self.assertEqual({f["severity"] for f in findings}, {"ok"})
        self.assertLess({"kernel-btf-missing", "cni-conf-missing", "agent-not-running", "forward-policy-drop",
                         "uplink-path", "agent-lost-events"}, {f["id"] for f in findings})

    def test_with_a_pod_it_is_fine_too(self):
        with self.pod():
            self.assert_fine()

    def test_text_has_the_same(self):
        arguments = [word for word in self.options() if word != "--json"]
        done = self.node.run(PODWIRECTL, *arguments)
        self.assertRegex(done.stdout, r"^fine: 0 broken, 0 warnings, 0 unknown, \d+ ok\n$")
        with self.without("etc/cni/net.d/10-podwire.conflist"):
            done = self.node.run(PODWIRECTL, *arguments, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stdout, r"^broken  cni-conf-missing\n        there is no network in \S+\n"
                                      r"        -> podwirectl install .*\nbroken: 1 broken, ")

    def test_wrong_options(self):
        for arguments in (["--nothing"], ["more"], ["--root", "/nowhere"]):
            with self.subTest(arguments=arguments):
                done = self.node.run(PODWIRECTL, "doctor", *arguments, check=False)
                self.assertEqual((done.returncode, done.stdout), (64, ""))
                self.assertIn("podwirectl: ", done.stderr)

    def test_it_changes_nothing(self):
        def state():
            files = sorted((path, name, os.lstat(os.path.join(path, name)).st_mtime_ns)
                           for path, _, names in os.walk(self.root) for name in names
                           if name not in ("agent.lock", "agent.log"))
            return (files, self.node.run("nft", "list", "ruleset").stdout, self.node.links(),
                    self.node.run("sh", "-c", "cat /proc/net/ip_tables_names /proc/net/ip6_tables_names").stdout)
        before = state()
        self.run_doctor("-v")
        after = state()
        for one in before[2] + after[2]:
            one.pop("stats64", None)
        self.assertEqual(before, after)

    def test_another_user_hears_what_cannot_be_looked_at(self):
        findings = self.run_doctor(before=("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"))
        unknown = {f["id"] for f in findings if f["severity"] == "unknown"}
        self.assertLessEqual({"bpf-refused", "forward-policy-drop", "state-dir-refused"}, unknown)
        self.assertNotIn("broken", {f["severity"] for f in findings})
        self.run_doctor(before=("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"), status=1)

    def test_every_finding_is_documented_and_provoked(self):
        ids = set()
        for name in os.listdir(os.path.join(SOURCE_DIR, "ctl", "doctor")):
            if name.endswith(".c"):
                with open(os.path.join(SOURCE_DIR, "ctl", "doctor", name), encoding="utf-8") as file:
                    text = file.read()
                ids |= set(re.findall(rf'"((?:{SUBJECTS})-[a-z0-9-]+)"', text))
        with open(os.path.join(SOURCE_DIR, "docs", "man", "podwirectl-doctor.8"), encoding="utf-8") as file:
            page = set(re.findall(r"^\.It (?:Li|Sy) ([a-z0-9-]+)", file.read(), re.M))
        self.assertEqual(ids - page, set(), "not in the manual page")
        self.assertEqual(page - ids - {"records", "uplinks"}, set(), "in the manual page alone")
        tests = ""
        for path in glob.glob(os.path.join(SOURCE_DIR, "tests", "*", "test[_-]doctor*.*")):
            with open(path, encoding="utf-8") as file:
                tests += file.read()
        self.assertEqual({one for one in ids if f'"{one}"' not in tests}, set(), "no test provokes it")


class Kernel(DoctorCase):
    def test_old_kernel(self):
        self.assert_found("kernel-too-old", "broken", "2.6", "6.1", before=("setarch", "--uname-2.6"))

    def test_no_type_information(self):
        with self.without("sys/kernel/btf/vmlinux"):
            self.assert_found("kernel-btf-missing", "broken", "CONFIG_DEBUG_INFO_BTF", others=True)
        with self.file("sys/kernel/btf/vmlinux", "none"):
            self.assert_found("kernel-btf-missing", "broken", "no type information", others=True)

    def features(self, without):
        return self.file("sys/kernel/btf/vmlinux", BTF.replace(without + b"\0", b""))

    def test_tcx_is_told(self):
        with self.features(b"tcx_link"):
            found = [f for f in self.run_doctor("-v", status=0) if f["id"] == "kernel-tcx"]
            self.assertIn("clsact", found[0]["message"])

    def test_no_xdp(self):
        with self.features(b"bpf_xdp_link"):
            self.assert_found("kernel-xdp", "warning")

    def test_modules(self):
        modules = (("veth-missing", b"veth_xmit", "veth", "broken"),
                   ("conntrack-missing", b"nf_conntrack_in", "nf_conntrack", "warning"),
                   ("nftables-missing", b"nft_do_chain", "nf_tables", "warning"))
        lists = f"lib/modules/{platform.release()}/modules.dep"
        for name, symbol, module, severity in modules:
            with self.subTest(module=module), self.features(symbol):
                self.assert_found(name, "unknown", f"modprobe {module}")
                with self.file(lists, "kernel/net/other.ko:\n"):
                    self.assert_found(name, severity, f"has no {module}")
                with self.file(lists, f"kernel/net/{module}.ko: kernel/other.ko\n"):
                    self.assert_fine()
                with self.file(f"sys/module/{module}/refcnt", "1"):
                    self.assert_fine()

    def test_bpf_is_refused(self):
        self.assert_found("bpf-refused", "broken", "Operation not permitted", "seccomp", preexec_fn=refuse_bpf(1))
        self.assert_found("bpf-refused", "broken", "Function not implemented", "CONFIG_BPF_SYSCALL",
                          preexec_fn=refuse_bpf(38))

    def test_lockdown(self):
        with self.file("sys/kernel/security/lockdown", "none integrity [confidentiality]\n"):
            self.assert_found("kernel-lockdown", "broken", "lockdown=integrity")
        with self.file("sys/kernel/security/lockdown", "none [integrity] confidentiality\n"):
            self.assert_fine()

    @contextlib.contextmanager
    def proc(self, **values):
        """A /proc of the root's own."""
        keys = {"ipv4/ip_forward": 0, "ipv6/conf/all/forwarding": 0, "ipv4/conf/all/rp_filter": 0, **values}
        with contextlib.ExitStack() as stack:
            for key, value in keys.items():
                stack.enter_context(self.file(f"proc/sys/net/{key}", f"{value}\n"))
            yield

    def test_no_jit(self):
        for value, says in ((0, "warning"), (1, None), (2, None)):
            with self.subTest(value=value), self.proc(**{"core/bpf_jit_enable": value}):
                if says:
                    self.assert_found("bpf-jit-off", says, "net.core.bpf_jit_enable=1")
                else:
                    self.assert_fine()

    def test_conntrack_is_full(self):
        for count, says in ((1, None), (799, None), (800, "warning"), (979, "warning"), (980, "broken"),
                            (1000, "broken")):
            values = {"netfilter/nf_conntrack_count": count, "netfilter/nf_conntrack_max": 1000}
            with self.subTest(count=count), self.proc(**values):
                if says:
                    self.assert_found("conntrack-full", says, f"{count} of 1000", "nf_conntrack_max=2000")
                else:
                    self.assert_fine()

    def test_bpffs(self):
        subprocess.run(["umount", "-l", self.path("sys/fs/bpf")], check=True)
        try:
            self.assert_found("bpffs-missing", "broken", "mount -t bpf bpf /sys/fs/bpf")
            self.mount_bpffs("-o", "ro")
            self.assert_found("bpffs-read-only", "broken", "remount,rw")
            subprocess.run(["umount", "-l", self.path("sys/fs/bpf")], check=True)
        finally:
            self.mount_bpffs()


class Sysctls(DoctorCase):
    def test_forwarding(self):
        with self.pod():
            for name, key in (("ipv4-forwarding-off", "net/ipv4/ip_forward"),
                              ("ipv6-forwarding-off", "net/ipv6/conf/all/forwarding")):
                with self.subTest(key=key):
                    with self.sysctl(key, 0):
                        self.assert_found(name, "broken", f"sysctl -w {key.replace('/', '.')}=1")
                    self.assert_fine()
        with self.sysctl("net/ipv4/ip_forward", 0):  # and no pods
            self.assert_fine()

    def test_two_uplinks_and_strict(self):
        with self.link("eth1"), self.sysctl("net/ipv4/conf/eth0/rp_filter", 1):
            self.node.ip("address", "add", "198.51.100.2/24", "dev", "eth1")
            self.node.ip("link", "set", "eth1", "up")
            self.assert_fine()  # one has a default route
            self.node.ip("route", "add", "default", "via", "198.51.100.1", "metric", "10")
            self.assert_found("rp-filter-strict", "warning", "2 devices", "net.ipv4.conf.eth0.rp_filter=2")
            self.node.sysctl("net/ipv4/conf/eth0/rp_filter", 2)
            self.assert_fine()

    def test_pods_that_may_send_from_elsewhere(self):
        net = conflist(podwire(self.node, host_local(self.node), sourceCheck=False), name="unchecked")
        with self.sysctl("net/ipv4/conf/all/rp_filter", 1):
            self.assert_fine()
            with self.pod(net):
                self.assert_found("rp-filter-pods", "warning", "net.ipv4.conf.all.rp_filter=0")

    def test_default_route_of_advertisements(self):
        with self.sysctl("net/ipv6/conf/all/forwarding", 1), self.sysctl("net/ipv6/conf/eth0/accept_ra", 1):
            self.assert_fine()  # its default route is a static one
            self.node.ip("-6", "route", "add", "default", "via", "2001:db8::2", "proto", "ra", "metric", "2048",
                         "dev", "eth0", "pref", "low")
            try:
                self.assert_found("accept-ra-lost", "warning", "eth0", "net.ipv6.conf.eth0.accept_ra=2")
                self.node.sysctl("net/ipv6/conf/eth0/accept_ra", 2)
                self.assert_fine()
            finally:
                self.node.ip("-6", "route", "delete", "default", "via", "2001:db8::2", "dev", "eth0")


class Records(DoctorCase):
    def record(self, name="vethpw012345678"):
        return f"lib/attachments/{name}.json"

    def test_state_directory_of_anybodys(self):
        with self.pod():
            path = self.path("lib/attachments")
            os.chmod(path, 0o777)
            try:
                self.assert_found("state-dir-refused", "broken", "chmod go-w", others=True)
            finally:
                os.chmod(path, 0o755)

    def test_unreadable(self):
        with self.pod():
            for text in ("", "{", b"\0" * 5000, "x" * 3000000):
                with self.subTest(text=text[:5]), self.file(self.record(), text):
                    self.assert_found("record-unreadable", "warning", "vethpw012345678", others=True)
            os.mkfifo(self.path(self.record()))
            try:
                self.assert_found("record-unreadable", "warning", "vethpw012345678", others=True)
            finally:
                os.unlink(self.path(self.record()))

    def test_of_another_boot(self):
        with self.pod() as name:
            with open(self.path(self.record(name)), encoding="utf-8") as file:
                old = json.load(file)
            old["bootId"] = "00000000-0000-0000-0000-000000000000"
            with self.file(self.record(name), json.dumps(old)):
                self.assert_found("record-stale", "warning", name, others=True)

    def test_without_a_link(self):
        with self.pod() as name:
            self.node.ip("link", "delete", name)
            self.assert_found("record-without-link", "warning", name, others=True)

    def test_link_without_a_record(self):
        with self.link("vethpw0123456ff"):
            self.agent.wait_for("vethpw0123456ff", State="no-record")
            self.assert_found("link-without-record", "warning", "vethpw0123456ff", others=True)
            self.assert_found("pod-no-record", "warning", "vethpw0123456ff", others=True)
        self.wait_gone("vethpw0123456ff")


class AgentGone(DoctorCase):
    """Last of its class's node: it takes its agent away."""

    def setUp(self):
        pass

    def test_agent(self):
        self.assert_fine()
        self.assert_found("agent-unreachable", "warning", bus="unix:path=/nowhere")
        self.agent.kill()
        self.assert_found("agent-not-running", "warning", "has been down for", "systemctl start podwired")
        with self.without("run/agent.lock"):
            self.assert_found("agent-not-running", "warning", "has not run since boot")
        net = conflist(podwire(self.node, host_local(self.node), requireAgent=True))
        with self.file(CONF, json.dumps(net)):
            self.assert_found("agent-not-running", "broken", "requires it")
        self.agent.start()
        self.assert_fine()
