# SPDX-License-Identifier: GPL-2.0-or-later
"""The base of the tests that call a plugin: a node, a runtime, configurations and what must always hold."""
import json
import os
import unittest

from . import netns, results
from .libcni import Attachment, PluginError, Runtime

SOURCE_DIR = os.environ.get("PW_SOURCE_DIR") or os.path.abspath(
    os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD_DIR = os.environ.get("PW_BUILD_DIR") or os.path.join(SOURCE_DIR, "build", "dev")
PODWIRE = os.environ.get("PODWIRE") or os.path.join(BUILD_DIR, "plugin", "podwire")
PODWIRE_STATIC = os.environ.get("PODWIRE_STATIC") or os.path.join(BUILD_DIR, "plugin", "podwire-static")
PODWIRE_SEAM = os.environ.get("PODWIRE_SEAM") or os.path.join(BUILD_DIR, "tests", "seam", "podwire-seam")
REFERENCE_DIR = "/usr/lib/cni"

V4 = {"subnet": "10.1.0.0/24", "gateway": "10.1.0.1"}
V6 = {"subnet": "fd00:1::/64", "gateway": "fd00:1::1"}
DEFAULT_V4 = {"dst": "0.0.0.0/0"}
DEFAULT_V6 = {"dst": "::/0"}


def new_node(test, plugin=PODWIRE):
    """A node with the plugin in its CNI_PATH directory; `test` is a test, or a class in setUpClass."""
    if not os.path.exists(plugin):
        raise unittest.SkipTest(f"{plugin} is not built")
    node = netns.Node(test)
    node.install("podwire", plugin)
    return node


def host_local(node, *subnets, routes=(DEFAULT_V4, DEFAULT_V6), network="host-local", **more):
    """IPAM by the reference host-local, one range a subnet, its store in the node's own directory."""
    ranges = [[subnet if isinstance(subnet, dict) else {"subnet": subnet}] for subnet in subnets or (V4, V6)]
    families = {results.family(r[0]["subnet"]) for r in ranges}
    return {"type": "host-local", "ranges": ranges, "dataDir": ipam_store(node, network),
            "routes": [route for route in routes if results.family(route["dst"]) in families], **more}


def ipam_store(node, network="host-local"):
    return os.path.join(node.directory, network)


def reserved(node, name="podnet", network="host-local"):
    """The addresses that host-local holds for a network: {address: (container id, ifname)}."""
    directory = os.path.join(ipam_store(node, network), name)
    found = {}
    for entry in os.listdir(directory) if os.path.isdir(directory) else []:
        if entry[0].isdigit() or ":" in entry:
            with open(os.path.join(directory, entry), encoding="ascii") as file:
                found[entry] = tuple(file.read().split())
    return found


def podwire(node, ipam=None, **keys):
    """podwire's own plugin object, its directories in the node's; further keys as given."""
    config = {"type": "podwire", "runtimeDir": node.runtime_dir, "stateDir": node.state_dir, **keys}
    if ipam is not None:
        config["ipam"] = ipam
    return config


def conflist(*plugins, name="podnet", version="1.0.0", **keys):
    body = {"name": name, "plugins": list(plugins), **keys}
    if version is not None:
        body["cniVersion"] = version
    return body


class Case(unittest.TestCase):
    """A test with its own node. `plugin` may be overridden (the seam build, the static one)."""

    plugin = PODWIRE
    longMessage = True

    def setUp(self):
        self.node = new_node(self, self.plugin)
        self.runtime = Runtime(self.node)

    def attach(self, network, pod=None, ifname="eth0", **options):
        """ADD for a new pod; returns (pod, attachment, result)."""
        pod = pod or self.node.pod()
        attachment = Attachment.of(pod, ifname, **options)
        return pod, attachment, self.runtime.add(network, attachment)

    def host_ifname(self, result):
        return next(i["name"] for i in result["interfaces"] if not i.get("sandbox"))

    def assert_fails(self, code, message, function, *arguments):
        """The call fails with this code, and its message has this text; returns the PluginError."""
        with self.assertRaises(PluginError) as caught:
            function(*arguments)
        error = caught.exception
        assert_error_call(self, error.call, code, message)
        return error

    def assert_clean(self, node=None):
        self.assertEqual((node or self.node).leftovers(), [])


def assert_success_call(test, call):
    """Exit 0, nothing on stderr, at most one JSON object on stdout."""
    test.assertEqual(call.status, 0, repr(call))
    test.assertEqual(call.stderr, b"", repr(call))
    body = _one_object(test, call) if call.stdout.strip() else None
    return body


def assert_error_call(test, call, code, message="", version=None):
    """Exit 1 and one error object: the code, a message of one line with this text, the version."""
    test.assertEqual(call.status, 1, repr(call))
    body = _one_object(test, call)
    test.assertLessEqual(set(body), {"cniVersion", "code", "msg", "details"}, repr(call))
    test.assertEqual(body.get("code"), code, repr(call))
    test.assertIsInstance(body.get("msg"), str, repr(call))
    test.assertNotIn("\n", body["msg"], repr(call))
    text = body["msg"] + (" " + body["details"] if body.get("details") else "")
    for part in [message] if isinstance(message, str) else message:
        if hasattr(part, "search"):
            test.assertRegex(text, part, repr(call))
        else:
            test.assertIn(part, text, repr(call))
    test.assertIn("cniVersion", body, repr(call))
    if version is not None:
        test.assertEqual(body["cniVersion"], version, repr(call))
    return body


def _one_object(test, call):
    try:
        body = json.loads(call.stdout)
    except ValueError as error:
        raise test.failureException(f"stdout is not one JSON object: {error}\n{call!r}") from None
    test.assertIsInstance(body, dict, repr(call))
    return body
