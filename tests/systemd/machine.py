# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine itself as a node: its own network namespace and the places that a package's user has.

    class Something(MachineCase):       # packages installed, an uplink, the agent running
        def test_it(self):
            pod, attachment, result, name = self.wired()
"""
import json
import os
import shutil
import subprocess

import packages
from harness import netns, resources
from harness.agent import NAME, ROOT
from harness.case import Case, conflist, host_local
from harness.libcni import Runtime
from harness.resources import PATIENCE, HarnessError, wait_until

UNIT = "podwired.service"
PLUGIN = "/usr/lib/podwire/podwire"
DROPINS = f"/run/systemd/system/{UNIT}.d"


def systemctl(*arguments, check=True):
    done = subprocess.run(["systemctl", *arguments], capture_output=True, text=True, timeout=120 * PATIENCE,
                          check=False)
    if check and done.returncode:
        raise HarnessError(f"systemctl {' '.join(arguments)}: {done.stderr}{unit_log()}")
    return done


def show(what):
    return systemctl("show", "--property", what, "--value", UNIT).stdout.strip()


def main_pid():
    return int(show("MainPID"))


def unit_log():
    return subprocess.run(["journalctl", "--no-pager", "-u", UNIT, "-n", "30"], capture_output=True, text=True,
                          check=False).stdout


def journal(*matches):
    """Entries of the agent's, oldest first, as journalctl has them."""
    subprocess.run(["journalctl", "--sync"], check=True)
    done = subprocess.run(["journalctl", "--no-pager", "-o", "json", "-u", UNIT, *matches], capture_output=True,
                          text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def wait_active(**wanted):
    wait_until(lambda: show("ActiveState") == "active" and show("SubState") == "running", 30,
               f"a running {UNIT}: {unit_log()}")
    for key, value in wanted.items():
        wait_until(lambda key=key, value=value: show(key) == value, what=f"{key}={value}")


def dropin(test, text):
    """More of the unit, for this test."""
    path = os.path.join(DROPINS, "test.conf")
    os.makedirs(DROPINS, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    test.addCleanup(systemctl, "daemon-reload")
    test.addCleanup(shutil.rmtree, DROPINS, ignore_errors=True)
    systemctl("daemon-reload")


def busctl(*arguments, user=None, check=True):
    command = ["busctl", "--system", "--json=short", *map(str, arguments)]
    if user:
        command = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60 * PATIENCE, check=False)
    if not check:
        return done
    if done.returncode:
        raise HarnessError(f"busctl {' '.join(map(str, arguments))}: {done.stderr}{unit_log()}")
    return json.loads(done.stdout) if done.stdout.strip() else None


def call(method, *arguments, **options):
    return busctl("call", NAME, ROOT, f"{NAME}.Manager", method, *arguments, **options)


def attachment(host_ifname):
    """Its properties, or None."""
    done = call("GetAttachment", "s", host_ifname, check=False)
    if done.returncode:
        return None
    answer = busctl("call", NAME, json.loads(done.stdout)["data"][0], "org.freedesktop.DBus.Properties", "GetAll",
                    "s", f"{NAME}.Attachment")
    return {key: value["data"] for key, value in answer["data"][0].items()}


class Machine(netns.Node):
    """The namespace that the machine was booted in."""

    def __init__(self, test):
        packages.require_guest()
        self._test, self.name, self.path = test, "machine", "/proc/1/ns/net"
        self.state_dir, self.runtime_dir = "/var/lib/podwire", "/run/podwire"
        self.directory = resources.temporary_directory("machine")
        test.addCleanup(resources.remove_directory, self.directory)
        self.bin_dir = os.path.join(self.directory, "bin")
        os.mkdir(self.bin_dir)
        self.peer = None

    def uplink(self, *arguments, **options):
        wire = super().uplink(*arguments, **options)
        self._test.addCleanup(self.ip, "link", "del", "eth0", check=False)
        return wire


class MachineCase(Case):
    """`installed = False`: each test installs what it is about."""

    installed = True

    @classmethod
    def setUpClass(cls):
        packages.require_guest()
        cls.addClassCleanup(packages.purge)
        if cls.installed:
            packages.install(packages.debs())

    def setUp(self):
        self.node = Machine(self)
        self.made = []
        if not self.installed:
            self.addCleanup(packages.purge)
        self.addCleanup(self.remove_pods)
        self.node.uplink()
        self.runtime = Runtime(self.node)
        self.node.install("podwire", PLUGIN)
        if self.installed:
            systemctl("reset-failed", UNIT)
            systemctl("restart", UNIT)
            wait_active()

    def network(self):
        plugin = {"type": "podwire", "ipMasq": True, "ipam": host_local(self.node)}
        return conflist(plugin, name="pods")

    def wired(self):
        pod, one, result = self.attach(self.network())
        self.made.append(one)
        name = self.host_ifname(result)
        wait_until(lambda: (attachment(name) or {}).get("State") == "ready", 20, f"{name} ready: {unit_log()}")
        return pod, one, result, name

    def remove_pods(self):
        for one in self.made:
            self.runtime.delete(self.network(), one)
        self.made.clear()

    def addresses(self, result):
        return [ip["address"].split("/")[0] for ip in result["ips"]]
