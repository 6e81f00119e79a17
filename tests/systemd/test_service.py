# SPDX-License-Identifier: GPL-2.0-or-later
"""The installed service: what systemd, the bus and the journal see of it, and what it may do."""
import os
import pathlib
import signal
import subprocess
import unittest

import machine
import packages
from harness.agent import NAME, ROOT
from harness.resources import wait_until
from machine import MachineCase, busctl, call, journal, main_pid, show, systemctl

CONFIG = "/etc/podwire/agent.json"
NETWORKD = "/etc/systemd/system/systemd-networkd.service"
NOBODY = 65534
CAPABILITIES = {"CAP_NET_ADMIN": 12, "CAP_PERFMON": 38, "CAP_BPF": 39}


def status_of(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


class Installed(MachineCase):
    def test_enabled_started_and_ready(self):
        self.assertEqual(systemctl("is-enabled", machine.UNIT).stdout.strip(), "enabled")
        self.assertEqual(show("Type"), "notify")
        self.assertEqual(show("NRestarts"), "0")
        wait_until(lambda: show("StatusText").startswith("0 pod interfaces, 1 uplinks"), what="its status")
        self.wired()
        wait_until(lambda: show("StatusText").startswith("1 pod interfaces, 1 uplinks, 0 not ready"),
                   what="a pod in its status")

    def test_no_more_than_its_capabilities(self):
        status = status_of(main_pid())
        mask = sum(1 << bit for bit in CAPABILITIES.values())
        for kind in ("CapEff", "CapPrm", "CapBnd"):
            self.assertEqual(int(status[kind], 16), mask, kind)
        self.assertEqual(int(status["CapAmb"], 16), 0)
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))
        self.assertLess(packages.exposure(), 2.5)

    def test_each_capability_is_needed(self):
        pod, _, _, _ = self.wired()
        for missing in CAPABILITIES:
            with self.subTest(missing):
                left = " ".join(name for name in CAPABILITIES if name != missing)
                machine.dropin(self, f"[Service]\nRestart=no\nCapabilityBoundingSet=\nCapabilityBoundingSet={left}\n")
                self.assertNotEqual(systemctl("restart", machine.UNIT, check=False).returncode, 0)
                print(missing, "->", journal("_COMM=podwired")[-1]["MESSAGE"], flush=True)
                self.assertTrue(pod.ping("192.0.2.1"))

    def test_directories_outlive_it(self):
        pod, _, _, _ = self.wired()
        systemctl("stop", machine.UNIT)
        self.assertTrue(os.path.isdir("/run/podwire"))
        self.assertEqual(len(self.node.records()), 1)
        for path in ("/run/podwire", "/var/lib/podwire", "/etc/podwire"):
            self.assertEqual(oct(os.stat(path).st_mode & 0o7777), "0o755", path)
        self.assertTrue(pod.ping("192.0.2.1"))

    def test_networkd_leaves_pods_links_alone(self):
        _, _, _, name = self.wired()
        before = self.node.cidrs(name, scope=None), self.node.routes(4, ifname=name)
        self.node.ip("link", "add", "vethother", "type", "veth", "peer", "name", "vethpeer")
        self.addCleanup(self.node.ip, "link", "del", "vethother")
        greedy = "/etc/systemd/network/20-all.network"
        with open(greedy, "w", encoding="ascii") as file:
            file.write("[Match]\nName=veth*\n[Network]\nAddress=198.51.100.1/32\n")
        self.addCleanup(os.unlink, greedy)
        os.unlink(NETWORKD)
        self.addCleanup(systemctl, "daemon-reload")
        self.addCleanup(os.symlink, "/dev/null", NETWORKD)
        self.addCleanup(systemctl, "stop", "systemd-networkd.service", check=False)
        systemctl("daemon-reload")
        systemctl("start", "systemd-networkd.service")
        wait_until(lambda: "198.51.100.1/32" in self.node.cidrs("vethother"), what="one that networkd may have")
        done = subprocess.run(["networkctl", "--no-pager", "--no-legend", "list", name], capture_output=True,
                              text=True, check=True)
        self.assertEqual(done.stdout.split()[-1], "unmanaged")
        self.assertEqual((self.node.cidrs(name, scope=None), self.node.routes(4, ifname=name)), before)


class OnTheBus(MachineCase):
    READS = (("introspect", NAME, ROOT),
             ("call", NAME, ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"),
             ("get-property", NAME, ROOT, f"{NAME}.Manager", "Version"),
             ("call", NAME, ROOT, f"{NAME}.Manager", "ListAttachments"))

    def test_who_may_read(self):
        self.wired()
        for user in (None, NOBODY):
            for arguments in self.READS:
                done = busctl(*arguments, user=user, check=False)
                self.assertEqual(done.returncode, 0, f"{user}: {arguments}: {done.stderr}")
            self.assertEqual(len(call("ListAttachments", user=user)["data"][0]), 1)

    def test_who_may_change(self):
        denied = call("Reload", user=NOBODY, check=False)
        self.assertNotEqual(denied.returncode, 0)
        self.assertIn("ccess denied", denied.stderr)
        self.assertEqual(call("Reload", check=False).returncode, 0)

    def test_who_may_have_the_name(self):
        systemctl("stop", machine.UNIT)
        self.addCleanup(systemctl, "start", machine.UNIT)
        done = busctl("call", "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                      "su", NAME, 0, user=NOBODY, check=False)
        self.assertNotEqual(done.returncode, 0)

    def test_asking_does_not_start_it(self):
        systemctl("stop", machine.UNIT)
        self.addCleanup(systemctl, "start", machine.UNIT)
        self.assertNotEqual(call("ListAttachments", check=False).returncode, 0)
        self.assertEqual(show("ActiveState"), "inactive")


class Runs(MachineCase):
    def configure(self, text):
        with open(CONFIG, "w", encoding="utf-8") as file:
            file.write(text)
        self.addCleanup(pathlib.Path(CONFIG).unlink, missing_ok=True)

    def test_reload_with_a_bad_configuration_keeps_the_old_one(self):
        pid, devices = main_pid(), call("ListDevices")
        self.configure('{\n  "uplinks": 7\n}\n')
        systemctl("reload", machine.UNIT)
        wait_until(lambda: any("keeping the old configuration" in entry["MESSAGE"] for entry in journal("-p", "err")),
                   what="a line in the journal")
        text = "\n".join(entry["MESSAGE"] for entry in journal("-p", "err"))
        for part in (CONFIG, "2", "uplinks"):
            self.assertIn(part, text)
        machine.wait_active()
        self.assertEqual((main_pid(), call("ListDevices")), (pid, devices))
        os.unlink(CONFIG)
        self.configure("{}")
        systemctl("reload", machine.UNIT)
        wait_until(lambda: any("configuration read again" in entry["MESSAGE"] for entry in journal()),
                   what="a good configuration")
        machine.wait_active()

    def test_watchdog_restarts_one_that_hangs(self):
        machine.dropin(self, "[Service]\nWatchdogSec=2\nRestartSec=100ms\n")
        systemctl("restart", machine.UNIT)
        pod, _, _, name = self.wired()
        pid = main_pid()
        os.kill(pid, signal.SIGSTOP)
        wait_until(lambda: main_pid() not in (0, pid), 30, "another agent")
        machine.wait_active()
        self.assertTrue(any("Watchdog timeout" in entry["MESSAGE"] for entry in journal()))
        wait_until(lambda: (machine.attachment(name) or {}).get("State") == "ready", what="the pod")
        self.assertTrue(pod.ping("192.0.2.1"))

    def test_log_level_is_systemctls_to_change(self):
        def level(*new):
            return systemctl("service-log-level", machine.UNIT, *new).stdout.strip()
        before = level()
        self.addCleanup(level, before)
        level("debug")
        self.assertEqual(level(), "debug")
        level("err")
        self.assertEqual(level(), "err")
        self.assertEqual(systemctl("service-log-target", machine.UNIT).stdout.strip(), "journal")
        busctl_set = busctl("set-property", NAME, "/org/freedesktop/LogControl1", "org.freedesktop.LogControl1",
                            "LogLevel", "s", "debug", user=NOBODY, check=False)
        self.assertNotEqual(busctl_set.returncode, 0)
        self.assertEqual(level(), "err")

    def test_killed_comes_back(self):
        machine.dropin(self, "[Service]\nRestartSec=100ms\n")
        for number in (signal.SIGKILL, signal.SIGTERM):
            pid = main_pid()
            os.kill(pid, number)
            wait_until(lambda pid=pid: main_pid() not in (0, pid), 30, "another agent")
            machine.wait_active()

    def test_what_it_says_of_a_pod_has_the_pods_fields(self):
        pod, one, _, name = self.wired()
        self.node.run("tc", "qdisc", "add", "dev", name, "root", "tbf", "rate", "100mbit", "burst", "32kbit",
                      "latency", "50ms")
        wait_until(lambda: journal(f"PODWIRE_INTERFACE={name}"), 20, f"a line about {name}")
        entry = journal(f"PODWIRE_INTERFACE={name}")[-1]
        self.assertEqual({key: value for key, value in entry.items() if key.startswith("PODWIRE_")},
                         {"PODWIRE_INTERFACE": name, "PODWIRE_NAMESPACE": pod.pod_namespace,
                          "PODWIRE_POD": pod.pod_name, "PODWIRE_CONTAINER_ID": one.container_id,
                          "PODWIRE_NETWORK": "pods"})
        self.assertEqual((entry["_SYSTEMD_UNIT"], entry["PRIORITY"]), (machine.UNIT, "4"))


if __name__ == "__main__":
    unittest.main()
