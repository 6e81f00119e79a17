# SPDX-License-Identifier: GPL-2.0-or-later
"""podwirectl install, killed at each of its system calls that change something, and on disks that are full or can't be
written to: there is never a network without the plugin that it names. And a pod by what was installed."""
import json
import os
import shutil

from harness.case import Case, PODWIRE
from harness.libcni import Attachment, Runtime
from installcase import BIN, CONF, CONFLIST, V4, V6, InstallCase

# LeakSanitizer can't work under a tracer
TRACED = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
CHANGES = ("write", "fchmod", "fsync", "renameat", "unlinkat", "mkdirat")


class Killed(InstallCase):
    def setUp(self):
        super().setUp()
        self.plugins()

    def kill_at(self, call, number, command, *arguments, **options):
        """True if it was killed there, False if it came to its end before."""
        trace = ["strace", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                 f"inject={call}:signal=KILL:when={number}"]
        done = self.run_ctl(command, *arguments, prefix=trace, environment=TRACED, **options)
        self.assertIn(done.returncode, (0, -9, 137), done)
        return done.returncode != 0

    def assert_whole_or_absent(self):
        plugin, network = self.path(f"{BIN}/podwire"), self.path(CONFLIST)
        if os.path.exists(network):
            self.assertTrue(os.path.exists(plugin), "a network without its plugin")
            self.assertTrue(self.read(CONFLIST).endswith("}\n"))
        if os.path.exists(plugin):
            with open(plugin, "rb") as file, open(PODWIRE, "rb") as wanted:
                self.assertTrue(file.read() == wanted.read(), "half a plugin")
        visible = [name for name in (os.listdir(self.path(CONF)) if os.path.isdir(self.path(CONF)) else [])
                   if name.endswith((".conf", ".conflist", ".json"))]
        self.assertLessEqual(set(visible), {"10-podwire.conflist"})

    def each_kill(self, command, *arguments):
        killed = set()
        for call in CHANGES:
            number = 1
            while self.kill_at(call, number, command, *arguments):
                self.assert_whole_or_absent()
                yield call, number
                number += 1
                killed.add(call)
            shutil.rmtree(self.path("/etc"), ignore_errors=True)
            for name in "podwire", ".podwire.tmp":
                if os.path.exists(self.path(f"{BIN}/{name}")):
                    os.unlink(self.path(f"{BIN}/{name}"))
        self.assertLessEqual({"write", "fchmod", "fsync", "renameat", "mkdirat"}, killed)

    def test_install(self):
        for call, number in self.each_kill("install", "--pod-cidr", V4, "--uplink-xdp"):
            with self.subTest(call=call, number=number):
                if number % 2:  # the next kill meets what this one has left, or a node that was mended
                    self.install(pods=[V4])
                    self.assert_installed()
                    self.uninstall()

    def test_uninstall(self):
        for number in 1, 2, 3, 4, 5:
            self.install()
            self.kill_at("unlinkat", number, "uninstall")
            self.assert_whole_or_absent()
            self.uninstall()
            self.assertEqual(sorted(os.listdir(self.path(BIN))), ["host-local", "loopback"])


class Disks(InstallCase):
    def setUp(self):
        super().setUp()
        self.plugins()
        os.makedirs(self.path(CONF))

    def beneath(self, script, directory):
        """Runs the command in a mount namespace of its own, after a script whose $1 is this directory."""
        return ["unshare", "-m", "sh", "-c", f'{script}; shift; exec "$@"', "sh", self.path(directory)]

    def copy_of(self, directory):
        shutil.copytree(self.path(directory), self.path(directory) + ".copy")

    def test_no_room_for_the_plugin(self):
        self.copy_of(BIN)
        mount = 'mount -t tmpfs -o size=256k,mode=755 none "$1" && cp "$1.copy"/* "$1/"'
        done = self.install(prefix=self.beneath(mount, BIN), status=1)
        self.assertIn("cannot write podwire: No space left on device", done.stderr)
        self.assertEqual(os.listdir(self.path(CONF)), [])

    def test_no_room_for_the_network(self):
        mount = 'mount -t tmpfs -o nr_inodes=1,mode=755 none "$1"'
        done = self.install(prefix=self.beneath(mount, CONF), status=1)
        self.assertIn(f"{CONF}: cannot write 10-podwire.conflist: No space left on device", done.stderr)
        self.assertTrue(os.path.exists(self.path(f"{BIN}/podwire")))
        self.install()
        self.assert_installed()

    def test_file_systems_that_are_read_only(self):
        for directory, name in (BIN, "podwire"), (CONF, "10-podwire.conflist"):
            self.copy_of(directory)
            mount = 'mount --bind "$1.copy" "$1" && mount -o remount,bind,ro "$1"'
            done = self.install(prefix=self.beneath(mount, directory), status=1)
            self.assertIn(f"{directory}: cannot write {name}: Read-only file system", done.stderr)
            self.assertEqual(os.listdir(self.path(CONF)), [])

    def test_a_directory_that_plugins_cannot_run_from(self):
        self.copy_of(BIN)
        mount = 'mount --bind "$1.copy" "$1" && mount -o remount,bind,noexec "$1"'
        done = self.install(prefix=self.beneath(mount, BIN), status=1)
        self.assertIn("does not run here", done.stderr)
        self.assertEqual(os.listdir(self.path(CONF)), [])
        self.assertEqual(sorted(os.listdir(self.path(BIN) + ".copy")), ["host-local", "loopback"])


class Used(Case, InstallCase):
    """What was installed makes a pod."""

    def setUp(self):
        Case.setUp(self)
        InstallCase.setUp(self)

    def test_a_pod_comes_and_goes_by_the_installed_network(self):
        self.real_plugins()
        self.install()
        network = self.network_here()
        self.node.uplink()
        runtime = Runtime(self.node)
        runtime.path = [self.path(BIN)]
        pod = self.node.pod()
        attachment = Attachment.of(pod)
        result = runtime.add(network, attachment)
        addresses = [ip["address"].split("/")[0] for ip in result["ips"]]
        self.assertEqual([one.rsplit(".", 1)[0] for one in addresses[:1]], ["10.244.1"])
        self.assertTrue(addresses[1].startswith(V6.split("::", maxsplit=1)[0]))
        for address in addresses:
            self.assertTrue(self.node.ping(address), address)
        self.assertIn("1 attachment of pods needs it", self.uninstall(status=1, *self.state()).stderr)
        runtime.delete(network, attachment)
        self.uninstall(*self.state())
        self.assertEqual(self.node.host_ends(), [])

    def state(self):
        return ["--state-dir", "/state"]

    def network_here(self):
        """The installed list with its state in the test's directories: of the text nothing else is changed."""
        network = json.loads(self.read(CONFLIST))
        network["plugins"][0].update(stateDir=self.path("/state"), runtimeDir=self.node.runtime_dir)
        network["plugins"][0]["ipam"]["dataDir"] = self.path("/ipam")
        return network
