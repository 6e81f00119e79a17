# SPDX-License-Identifier: GPL-2.0-or-later
"""What root may change while the agent runs: its CPUs, and what it logs."""
import glob
import json
import os
import signal
import unittest

from agentcase import AgentCase
from harness.agent import NAME, ROOT
from harness.case import SOURCE_DIR
from harness.dbus import Connection, DBusError

MANAGER = f"{NAME}.Manager"
LOG, LOG_PATH = "org.freedesktop.LogControl1", "/org/freedesktop/LogControl1"


class ControlCase(AgentCase):
    bus = False

    def setUp(self):
        super().setUp()
        self.start()

    def start(self):
        self.agent.start()
        self.root = Connection(os.path.join(self.node.runtime_dir, "agent.sock"))
        self.addCleanup(self.root.close)

    def restart(self):
        self.agent.stop()
        self.start()

    def assert_refused(self, error, function, *arguments):
        with self.assertRaises(DBusError) as refused:
            function(*arguments)
        self.assertEqual(refused.exception.name, error)


class Cpus(ControlCase):
    config = {"cpus": [0], "cpuQueue": 100}

    def setUp(self):
        super().setUp()
        self.kept = os.path.join(os.path.splitext(self.agent.config)[0] + ".d", "90-cpus.json")

    def cpus(self):
        return self.root.get(ROOT, MANAGER, "Cpus")

    def set(self, cpus, runtime=True):
        self.root.call(ROOT, MANAGER, "SetCpus", "aub", cpus, runtime)

    def in_map(self):
        pin = next(pin for pin in self.agent.bpffs.pins("podwire") if pin.endswith("/cpus"))
        done = self.node.run("bpftool", "-j", "map", "dump", "pinned", os.path.join(self.agent.bpffs.path, pin))
        return {int.from_bytes(bytes(int(byte, 16) for byte in entry["key"]), "little")
                for entry in json.loads(done.stdout) if "error" not in entry.get("value", {})}

    def test_those_that_are_set_are_in_the_map_until_the_end(self):
        if os.cpu_count() < 2:
            self.skipTest("one CPU")
        self.assertEqual((self.cpus(), self.in_map()), ([0], {0}))
        self.assertEqual(self.root.call(ROOT, MANAGER, "ListCpus")[0], [(0, 100)])
        self.set([1])
        self.assertEqual((self.cpus(), self.in_map()), ([1], {1}))
        self.set([])  # the default, whatever that is here
        self.assertIn(0, self.cpus())
        self.set([1])
        self.assertFalse(os.path.exists(self.kept))
        self.restart()
        self.assertEqual(self.cpus(), [0])

    def test_those_that_are_kept_outlive_the_agent(self):
        if os.cpu_count() < 2:
            self.skipTest("one CPU")
        self.set([1], runtime=False)
        self.assertEqual(self.cpus(), [1])
        self.assertEqual(os.stat(self.kept).st_mode & 0o777, 0o644)
        self.restart()
        self.assertEqual(self.cpus(), [1])
        self.set([], runtime=False)
        self.assertFalse(os.path.exists(self.kept))
        self.assertEqual(self.cpus(), [0])

    def test_what_there_is_no_cpu_for(self):
        for cpus in ([0, 0], [1023], [1 << 31], list(range(2000))):
            self.assert_refused(f"{NAME}.Error.InvalidArgument", self.set, cpus)
            self.assert_refused(f"{NAME}.Error.InvalidArgument", self.set, cpus, False)
        self.assertEqual(self.cpus(), [0])
        self.assertFalse(os.path.exists(self.kept))

    def test_a_configuration_that_is_wrong_is_told_of(self):
        self.agent.configure('{"cpus": 5}')
        self.assert_refused(f"{NAME}.Error.InvalidConfig", self.set, [0], False)
        self.assertEqual(self.cpus(), [0])


class Log(ControlCase):
    def reload(self):
        self.agent.signal(signal.SIGHUP)
        self.agent.wait_notice("READY=1")
        return self.agent.log().count("configuration read again")

    def test_the_level_filters(self):
        self.assertEqual(self.root.get(LOG_PATH, LOG, "LogLevel"), "info")
        self.assertEqual(self.root.get(LOG_PATH, LOG, "LogTarget"), "console")
        self.assertEqual(self.reload(), 1)
        self.root.set(LOG_PATH, LOG, "LogLevel", "s", "warning")
        self.assertEqual(self.reload(), 1)
        self.root.set(LOG_PATH, LOG, "LogLevel", "s", "notice")
        self.assertEqual(self.reload(), 2)
        self.assert_refused("org.freedesktop.DBus.Error.InvalidArgs", self.root.set, LOG_PATH, LOG, "LogLevel", "s",
                            "5")


class Activation(unittest.TestCase):
    def test_nothing_starts_the_agent_by_the_bus(self):
        for directory, _, names in os.walk(os.path.join(SOURCE_DIR, "deploy")):
            for name in names:
                with open(os.path.join(directory, name), encoding="utf-8", errors="replace") as file:
                    self.assertNotIn("[D-BUS Service]", file.read(), os.path.join(directory, name))
        self.assertEqual(glob.glob(f"{SOURCE_DIR}/**/dbus-1/system-services/*", recursive=True), [])


if __name__ == "__main__":
    unittest.main()
