# SPDX-License-Identifier: GPL-2.0-or-later
"""Drives the conformance table: each row is one test, each module of conformance/ one class.

A row's call runs in a node and a pod that its class shares; after it, they must be as they were before.
"""
import copy
import importlib
import os
import re
import unittest

from conformance.rows import ABSENT, HOSTIF, HOSTMAC, NETNS, PODMAC
from harness import case, fakeipam, netns
from harness.libcni import Runtime, call_plugin, plugin_environment

TABLES = ("verbs", "environment", "stdin", "config", "ipam", "chain")
HOST_END = re.compile(r"vethpw[0-9a-f]{9}")


class Table(unittest.TestCase):
    """The machinery of a row; the classes of the tables are made below."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.node = case.new_node(cls)
        cls.node.uplink()
        cls.pod = netns.Pod(cls)
        cls.runtime = Runtime(cls.node)
        cls.ipam = fakeipam.FakeIpam(cls.node)
        cls.links = cls.node.ifnames()

    @classmethod
    def tearDownClass(cls):
        left = cls.node.leftovers()
        if left:
            raise AssertionError(f"left at the end of the table: {left}")

    def run_row(self, row):
        self.addCleanup(self.sweep)
        environment = self.environment(row)
        config = self.base_config(row)
        if row.before == "attached":
            config = self.attach_before(row, config)
        elif row.before == "occupied":
            self.pod.ip("link", "add", "eth0", "type", "bridge")
        before = self.pod.ip_json("link", "show") if row.before == "occupied" else None
        self.set_ipam(row, row.verb)
        self.ipam.clear()
        stdin = self.patched(config, row) if row.stdin is None else row.stdin
        call = call_plugin(self.node, case.PODWIRE, environment, stdin)
        self.judge(row, call)
        self.judge_ipam(row, call)
        if before:
            self.assertEqual(self.pod.ip_json("link", "show"), before, "the other's link was touched")
            self.pod.ip("link", "del", "eth0")
        if row.verb == "ADD" and call.status:
            self.assert_unchanged(call)
        if (row.verb == "ADD" and not call.status) or row.before == "attached":
            self.take_back(row, environment, stdin if row.stdin is None else config)

    # What goes in

    def environment(self, row):
        environment = plugin_environment(row.verb, self.pod.container_id, self.pod.path, "eth0", "",
                                         os.pathsep.join(self.runtime.path))
        environment.update({k: self.node.path if v == "$NODE" else v for k, v in row.env.items()})
        return {name: value for name, value in environment.items() if value != ABSENT}

    def base_config(self, row):
        config = case.podwire(self.node, None if row.ipam is None else {"type": self.ipam.name})
        config["name"] = "podnet"
        if row.version is not None:
            config["cniVersion"] = row.version
        return config

    def patched(self, config, row):
        config = copy.deepcopy(config)
        for key, value in row.config.items():
            config[key] = self.filled(value)
        return {key: value for key, value in config.items() if value != ABSENT}

    def filled(self, value):
        """NETNS in a prevResult stands for the pod's."""
        if isinstance(value, dict):
            return {key: self.filled(entry) for key, entry in value.items()}
        if isinstance(value, list):
            return [self.filled(entry) for entry in value]
        return self.pod.path if value == NETNS else value

    def attach_before(self, row, config):
        self.set_ipam(row, None)
        good = {key: value for key, value in self.environment(row).items()}
        good.update({"CNI_COMMAND": "ADD", "CNI_NETNS": self.pod.path})
        call = call_plugin(self.node, case.PODWIRE, good, config)
        self.assertEqual(call.status, 0, f"the ADD before the row\n{call!r}")
        if row.version not in ("0.1.0", "0.2.0", "0.3.0", "0.3.1"):
            config = dict(config, prevResult=call.json)
        return config

    def set_ipam(self, row, faulty_verb):
        spec = row.ipam or {}
        behaviour, stderr = None, spec.get("stderr", "")
        if "raw" in spec:
            behaviour = fakeipam.Answer(spec["raw"], raw=True)
        elif "fail" in spec:
            behaviour = fakeipam.Fail(*spec["fail"], stderr=stderr)
        elif "print" in spec:
            behaviour = fakeipam.Print(*spec["print"], stderr=stderr)
        elif "die" in spec:
            behaviour = fakeipam.Die(spec["die"])
        # DUAL unless said otherwise: an ADD that only prepares for the row must succeed.
        self.ipam.versions = tuple(spec.get("versions", case.results.VERSIONS))
        verbs = {"ADD": fakeipam.Answer(spec.get("answer") or _dual())}
        if behaviour and faulty_verb:
            verbs[faulty_verb] = behaviour
        self.ipam.set(**verbs)

    # What comes out

    def judge(self, row, call):
        if row.code is not None:
            codes = row.code if isinstance(row.code, tuple) else (row.code,)
            body = self.error_body(call, row)
            self.assertIn(body["code"], codes, repr(call)[:3000])
            return
        body = self.success_body(call, row)
        if row.result is None:
            self.assertIsNone(body, repr(call))
            return
        self.assertIsNotNone(body, repr(call))
        if row.mac:
            self.assertEqual(self.pod.mac(call.environment["CNI_IFNAME"]), row.mac)
        expected = self.resolved(row.result, body, call) if row.verb == "ADD" else row.result
        self.assertEqual(_normal(body), _normal(expected), repr(call))

    def success_body(self, call, row):
        if row.notes is None:
            return case.assert_success_call(self, call)
        self.assertEqual(call.status, 0, repr(call))
        lines = call.stderr.decode().splitlines()
        self.assertEqual(len(lines), 1, repr(call))
        self.assertIn(row.notes, lines[0])
        return call.json

    def error_body(self, call, row):
        code = row.code[0] if isinstance(row.code, tuple) else row.code
        try:
            actual = call.json.get("code", code)
        except (ValueError, AttributeError):
            actual = code
        spoke = row.spoke or row.version
        return case.assert_error_call(self, call, actual, row.message, spoke)

    def judge_ipam(self, row, call):
        seen = self.ipam.calls()
        if row.calls is not None:
            self.assertEqual(tuple(c.command for c in seen), row.calls, repr(call)[:3000])
        if row.asked is not None:
            self.assertEqual(seen[-1].config.get("cniVersion"), row.asked)
        for ipam_call in seen:
            if ipam_call.command == row.verb and row.stdin is None:
                self.assert_complete_config(call.config, ipam_call.config)

    def assert_complete_config(self, given, delegated):
        """The delegate gets the whole config, not only `ipam`; its version alone may differ."""
        drop = ("cniVersion", "prevResult", "cni.dev/valid-attachments", "cni.dev/attachments")
        self.assertEqual({k: v for k, v in delegated.items() if k not in drop},
                         {k: v for k, v in given.items() if k not in drop})

    def resolved(self, template, body, call):
        """The template with what the kernel says in the placeholders' stead."""
        ifname = call.environment["CNI_IFNAME"]
        host = next((i["name"] for i in body.get("interfaces", []) if HOST_END.fullmatch(i.get("name", ""))),
                    "there is no host end in the result")
        values = {HOSTIF: host, HOSTMAC: self.node.mac(host), PODMAC: self.pod.mac(ifname), NETNS: self.pod.path}

        def fill(value):
            if isinstance(value, dict):
                return {key: ifname if key == "name" and entry == "eth0" else fill(entry)
                        for key, entry in value.items()}
            if isinstance(value, list):
                return [fill(entry) for entry in value]
            return values.get(value, value) if isinstance(value, str) else value

        return fill(template)

    # Back to where we were

    def assert_unchanged(self, call):
        self.assertEqual(self.node.ifnames(), self.links, repr(call)[:3000])
        self.assertEqual(self.pod.ifnames(), ["lo"], repr(call)[:3000])
        self.assertEqual(self.node.records(), {}, repr(call)[:3000])

    def take_back(self, row, environment, config):
        self.set_ipam(row, None)
        good = {"CNI_CONTAINERID": self.pod.container_id, "CNI_IFNAME": "eth0", **environment}
        call = call_plugin(self.node, case.PODWIRE, {**good, "CNI_COMMAND": "DEL"}, config)
        self.assertEqual(call.status, 0, f"the DEL after the row\n{call!r}")
        self.assert_unchanged(call)

    def sweep(self):
        """A row that failed must not spoil the next."""
        for name in set(self.node.ifnames()) - set(self.links):
            self.node.ip("link", "del", name, check=False)
        for name in set(self.pod.ifnames()) - {"lo"}:
            self.pod.ip("link", "del", name, check=False)
        for directory in (os.path.join(self.node.state_dir, "attachments"),
                          os.path.join(self.node.runtime_dir, "lock")):
            for name in os.listdir(directory) if os.path.isdir(directory) else []:
                os.unlink(os.path.join(directory, name))


def _dual():
    return importlib.import_module("conformance.rows").DUAL


def _normal(result):
    """An empty list or object says what an absent one says."""
    result = copy.deepcopy(result)
    if "supportedVersions" in result:
        return result
    for part in (result, *(result[key] for key in ("ip4", "ip6") if key in result)):
        for key in [key for key, value in part.items() if value in ([], {})]:
            del part[key]
    return result


def _method(row):
    def test(self):
        self.run_row(row)
    test.__doc__ = None
    return test


def _make(table):
    rows = importlib.import_module(f"conformance.{table}").ROWS
    body = {}
    for row in rows:
        name = "test_" + re.sub(r"\W", "_", row.name)
        if name in body:
            raise ValueError(f"two rows called {row.name} in {table}")
        body[name] = _method(row)
    return type(table.capitalize(), (Table,), body)


for _table in TABLES:
    globals()[_table.capitalize()] = _make(_table)
