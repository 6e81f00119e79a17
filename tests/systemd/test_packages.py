# SPDX-License-Identifier: GPL-2.0-or-later
"""Installing, upgrading, failing to, removing and purging the packages: what pods feel of it, and what is left."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import unittest

import machine
import packages
from harness.case import BUILD_DIR, SOURCE_DIR
from harness.resources import wait_until
from harness.traffic import Steady
from machine import MachineCase, call, main_pid, show, systemctl

# What dpkg, systemd and apt keep of every package, and what changes by itself.
UNRELATED = re.compile(r"/var/lib/(dpkg|apt|PackageKit)/|/var/tmp/systemd-private|/var/log/|/var/cache/|"
                       r"/run/(systemd|log|results|host|udev|credentials|dbus|netns|lock|xtables)|"
                       r"/var/lib/systemd/(?!deb-)|/etc/ld.so.cache$|/var/lib/man-db")
NODE_SYSCTLS = ("net/ipv4/ip_forward", "net/ipv6/conf/all/forwarding", "net/ipv6/conf/eth0/accept_ra",
                "net/ipv4/conf/all/rp_filter", "net/ipv4/conf/default/rp_filter")


def files():
    return {os.path.join(directory, name) for top in ("/etc", "/usr", "/var", "/run", "/sys/fs/bpf", "/opt", "/lib")
            for directory, directories, names in os.walk(top, followlinks=False)
            for name in directories + names if not UNRELATED.match(os.path.join(directory, name))
            and not os.path.join(directory, name).startswith((SOURCE_DIR, BUILD_DIR))}


def pinned():
    """The maps and programs that the agent has in the kernel: {("map", id), ("prog", id)}."""
    found = set()
    for directory, _, names in os.walk("/sys/fs/bpf/podwire"):
        for name in names:
            kind = "link" if directory.endswith("/links") else "map"
            done = subprocess.run(["bpftool", "-j", kind, "show", "pinned", os.path.join(directory, name)],
                                  capture_output=True, text=True, check=True)
            entry = json.loads(done.stdout)
            found.add(("map", entry["id"]) if kind == "map" else ("prog", entry["prog_id"]))
    return found


def in_the_kernel(kind, number):
    done = subprocess.run(["bpftool", "-j", kind, "show", "id", str(number)], capture_output=True, check=False)
    return done.returncode == 0


class PackageCase(MachineCase):
    installed = False

    def setUp(self):
        super().setUp()
        self.before = self.state()

    def state(self):
        return {"links": sorted(self.node.ifnames()), "nft": self.node.nft(), "files": files(),
                "routes": [self.node.routes(family, "all") for family in (4, 6)],
                "sysctls": {name: self.node.sysctl(name) for name in NODE_SYSCTLS},
                "users of bpf": self.users_of_bpf(),
                "units": systemctl("list-unit-files", "--no-legend", "podwire*", check=False).stdout}

    def users_of_bpf(self):
        """What is on this machine's devices, whosever."""
        done = self.node.run("bpftool", "-j", "net", "show")
        return {device["devname"] for entry in json.loads(done.stdout) for kind in entry.values() for device in kind}

    def assert_as_before(self):
        after = self.state()
        for what, value in self.before.items():
            self.assertEqual(after[what], value, what)

    def install(self):
        packages.install(packages.debs())
        machine.wait_active()

    def version(self):
        return subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", "podwire"],
                              capture_output=True, text=True, check=False).stdout


class LeavesNothing(PackageCase):
    def test_installed_and_purged(self):
        self.install()
        packages.dpkg("--purge", *packages.NAMES)
        self.assert_as_before()

    def test_removed_and_purged_after_pods(self):
        self.install()
        self.wired()
        ours = pinned()
        self.assertEqual({kind for kind, _ in ours}, {"map", "prog"})
        self.assertTrue(all(in_the_kernel(*one) for one in ours))
        self.remove_pods()
        packages.dpkg("--remove", *packages.NAMES)
        wait_until(lambda: not any(in_the_kernel(*one) for one in ours), what="the end of maps and programs")
        self.assertFalse(os.path.exists("/sys/fs/bpf/podwire"))
        self.assertTrue(os.path.isdir("/etc/podwire"))
        packages.dpkg("--purge", *packages.NAMES)
        self.assert_as_before()

    def test_pods_live_on_without_the_agent_and_records_stay_for_them(self):
        self.install()
        pod, one, _, name = self.wired()
        said, _ = packages.dpkg("--purge", "podwire")
        self.assertIn("forwarding stays on", said)
        self.assertFalse(os.path.exists("/sys/fs/bpf/podwire"))
        self.assertTrue(pod.ping("192.0.2.1"))
        said, _ = packages.dpkg("--purge", "podwire-cni")
        self.assertIn("keeping /var/lib/podwire", said)
        self.assertTrue(pod.ping("192.0.2.1"))
        self.assertIn(name, self.node.records())
        packages.install(packages.debs("podwire-cni"))
        self.runtime.check(self.network(), one)
        self.remove_pods()

    def test_removed_and_installed_again(self):
        self.install()
        packages.dpkg("--remove", "podwire")
        self.assertNotEqual(show("ActiveState"), "active")
        self.install()
        self.assertEqual(systemctl("is-enabled", machine.UNIT).stdout.strip(), "enabled")


def readme_commands(section):
    """The commands of the README's section that a node is given, in order."""
    with open(os.path.join(SOURCE_DIR, "README.md"), encoding="utf-8") as file:
        text = file.read().split(f"## {section}\n", 1)[1].split("\n## ", 1)[0]
    blocks = re.findall(r"(?:^    .*\n)+", text, re.M)
    return [line.strip() for block in blocks for line in block.splitlines() if not line.strip().startswith("cmake ")]


class Readme(PackageCase):
    """Word for word, beside the packages' files, and then as a kubelet: a pod by the network that is there now."""

    CONFLIST = "/etc/cni/net.d/10-podwire.conflist"

    def setUp(self):
        for directory in ("/etc/cni/net.d", "/var/lib/cni"):  # which a runtime's package has
            os.makedirs(directory, exist_ok=True)
        super().setUp()

    def follow(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=os.path.join(BUILD_DIR, "packages"), text=True,
                              input="y\n", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
                              check=False)  # apt asks whether to go on
        print(f"$ {command}\n{done.stdout}", flush=True)
        # doctor may warn: this is no node of a cluster
        self.assertIn(done.returncode, (0, 1) if command == "podwirectl doctor" else (0,), done.stdout)
        return done.stdout

    def test_install_on_a_node(self):
        commands = readme_commands("Install on a node")
        self.assertEqual([command.split()[:2] for command in commands],
                         [["apt", "install"], ["podwirectl", "install"], ["podwirectl", "doctor"],
                          ["podwirectl", "status"]])
        said = {" ".join(command.split()[:2]): self.follow(command) for command in commands}
        self.assertIn("/usr/lib/cni", said["podwirectl install"])
        self.assertNotIn("broken ", said["podwirectl doctor"])
        self.node.install("podwire", "/usr/lib/cni/podwire")
        with open(self.CONFLIST, encoding="utf-8") as file:
            network = json.load(file)
        pod, one, result = self.attach(network)
        self.assertEqual(sorted(ip["address"] for ip in result["ips"]), ["10.244.1.2/24", "fd00:10:244:1::2/64"])
        wait_until(lambda: pod.name in self.follow("podwirectl pods --names"), what="the pod")
        self.assertTrue(pod.ping("192.0.2.1"))
        self.assertIn("10.244.1.2", self.follow("podwirectl pod 10.244.1.2"))
        self.runtime.delete(network, one)
        self.follow("podwirectl uninstall")
        self.assertFalse(os.path.exists(self.CONFLIST) or os.path.exists("/usr/lib/cni/podwire"))
        packages.dpkg("--purge", *packages.NAMES)
        shutil.rmtree("/var/lib/cni/networks")  # host-local's
        self.assert_as_before()


class Unchanged(PackageCase):
    """By an upgrade, and whatever becomes of it."""

    def setUp(self):
        super().setUp()
        self.install()
        self.a, _, first, self.name = self.wired()
        self.b, _, second, _ = self.wired()
        self.traffic = Steady(self.a, self.b, self.addresses(first), self.addresses(second))

    def program(self):
        with open(f"/proc/{main_pid()}/exe", "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()

    def assert_fine(self):
        machine.wait_active()
        wait_until(lambda: (machine.attachment(self.name) or {}).get("State") == "ready", 20, "the pod")
        self.traffic.assert_nothing_lost(self)

    def test_upgraded_and_downgraded(self):
        pid, program = main_pid(), self.program()
        packages.install([packages.later()])
        machine.wait_active()
        self.assertNotEqual(main_pid(), pid)
        self.assertNotEqual(self.program(), program)
        self.assertEqual(os.listdir("/sys/fs/bpf/podwire"), ["layout-2"])
        self.assertTrue(self.version().endswith("+next"))
        said, _ = packages.install(packages.debs("podwire"))
        self.assertIn("downgrading", said)
        machine.wait_active()
        self.assertEqual(self.program(), program)
        self.assertEqual(os.listdir("/sys/fs/bpf/podwire"), ["layout-1"])
        self.assert_fine()

    def test_same_version_again(self):
        packages.install(packages.debs())
        self.assert_fine()

    def test_upgrade_that_fails_before_it_unpacks(self):
        """The old agent was never stopped."""
        pid, version = main_pid(), self.version()
        said, good = packages.install([packages.later(_failing("preinst"))], check=False)
        self.assertFalse(good, said)
        self.assertEqual((main_pid(), self.version()), (pid, version))
        self.assert_fine()

    def test_upgrade_that_fails_when_it_is_configured(self):
        """The old agent runs on with its program, until a better package comes."""
        pid = main_pid()
        said, good = packages.install([packages.later(_failing("postinst"))], check=False)
        self.assertFalse(good, said)
        self.assertEqual(main_pid(), pid)
        self.assertTrue(self.version().startswith("half-configured"), self.version())
        packages.install(packages.debs("podwire"))
        self.assert_fine()

    def test_new_agent_that_does_not_start(self):
        """dpkg goes on, since pods do; what the last agent attached is there, and the next one takes it over."""
        machine.dropin(self, "[Service]\nRestartSec=100ms\n")
        said, good = packages.install([packages.later(program="/bin/false")], check=False)
        self.assertTrue(good, said)
        self.assertIn("podwired.service", said)
        self.assertNotEqual(show("SubState"), "running")
        self.assertEqual(call("ListAttachments", check=False).returncode, 1)
        self.assertEqual(os.listdir("/sys/fs/bpf/podwire"), ["layout-1"])
        self.assertTrue(self.a.ping("192.0.2.1"))
        packages.install(packages.debs("podwire"))
        self.assert_fine()

    def test_stopped_and_disabled_stays_so(self):
        systemctl("disable", "--now", machine.UNIT)
        packages.install([packages.later()])
        self.assertEqual(show("ActiveState"), "inactive")
        self.assertEqual(systemctl("is-enabled", machine.UNIT, check=False).stdout.strip(), "disabled")
        self.traffic.assert_nothing_lost(self)

    def test_removal_that_fails_leaves_it_running(self):
        """Whoever runs an agent by hand has the lock: its programs can't be taken away from under it."""
        systemctl("stop", machine.UNIT)
        by_hand = subprocess.Popen(["/usr/sbin/podwired", "--bus", "none"], stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: _holds_lock(by_hand.pid), what="a podwired that was started by hand")
            said, good = packages.dpkg("--remove", "podwire", check=False)
        finally:
            by_hand.terminate()
            by_hand.wait(20)
        self.assertFalse(good, said)
        self.assertIn("its programs are still there", said)
        self.assertTrue(self.version().startswith("installed"), self.version())
        self.assert_fine()


def _holds_lock(pid):
    with open("/proc/locks", encoding="ascii") as file:
        return any(f" {pid} " in line and "FLOCK" in line for line in file)


def _failing(script):
    def change(tree):
        path = os.path.join(tree, "DEBIAN", script)
        with open(path, "w", encoding="ascii") as file:
            file.write('#!/bin/sh\ncase $1 in configure | upgrade) exit 1 ;; esac\n')
        os.chmod(path, 0o755)
    return change


CHROOT = """
set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" overlay "$1/root"
mount --rbind /sys "$1/root/sys"
mount --bind /proc "$1/root/proc"
mount --bind "$2" "$1/root$2"
exec chroot "$1/root" sh -c "$3"
"""
IN_CHROOT = """
set -ex
dpkg --purge podwire podwire-cni
test ! -e /usr/sbin/podwired
dpkg --install {debs}
test -L /etc/systemd/system/multi-user.target.wants/podwired.service
dpkg --install {debs}
dpkg --purge podwire podwire-cni
test ! -L /etc/systemd/system/multi-user.target.wants/podwired.service
"""


class WithoutSystemd(PackageCase):
    """As in a chroot, or where an image is built: nothing is started, nothing fails, and the node's programs, which
    show in there too, are left alone."""

    def test_in_a_chroot(self):
        self.install()
        pod, _, _, name = self.wired()
        pid = main_pid()
        script = IN_CHROOT.format(debs=" ".join(packages.debs()))
        # its mounts end with it, however it ends
        done = subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c", CHROOT, "sh",
                               self.node.directory, BUILD_DIR, script], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(main_pid(), pid)
        self.assertEqual(machine.attachment(name)["State"], "ready")
        self.assertTrue(pod.ping("192.0.2.1"))


if __name__ == "__main__":
    unittest.main()
