# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of failures share: the plugin's steps, the seam, snapshots, IPAM plugins that fail late."""
import json
import os
import re
import shlex

from harness.case import (PODWIRE_SEAM, REFERENCE_DIR, Case, conflist, host_local, podwire, reserved)
from harness.fakeipam import Behaviour, Exec, FakeIpam, Gate, Hang, Sequence
from harness.libcni import Attachment, plugin_environment, start_plugin
from harness.resources import wait_until

# In the order in which they happen; test_failures holds them against what the plugin says it does.
ADD_STEPS = ("lock", "pod-socket", "ipam-start", "facts", "leftover", "record", "ipam-call", "link", "ipam-wait",
             "forwarding", "pod-sysctl", "pod-address", "pod-up", "pod-neighbour", "pod-route", "host-config", "masq",
             "host-up", "host-address", "host-neighbour", "host-route", "announce", "carrier", "record-prepare",
             "ipam-end", "record-ready")
# Before a step is about where the one before it ends: tests/run without --all looks at one of both.
ADD_SIDES = ("after",) if os.environ.get("PW_QUICK") == "1" else ("before", "after")
DEL_STEPS = ("del-ipam-start", "del-link", "del-masq", "del-conntrack", "del-ipam", "del-record")

# An error that nothing in the plugin makes by itself, so that it can only be the injected one.
INJECTED = "EREMOTEIO"
INJECTED_TEXT = "Remote I/O error"

HOST_LOCAL = os.path.join(REFERENCE_DIR, "host-local")


def points(steps, sides=("before", "after")):
    """("before", step), ("after", step) for each step, in order."""
    return [(when, step) for step in steps for when in sides]


def for_each_point(steps, sides=("before", "after")):
    """Class decorator: `check(self, when, step)` becomes a test for each point, named after it."""
    def decorate(cls):
        for when, step in points(steps, sides):
            def test(self, when=when, step=step):
                self.check(when, step)
            test.__name__ = f"test_{when}_{step.replace('-', '_')}"
            test.__qualname__ = f"{cls.__name__}.{test.__name__}"
            setattr(cls, test.__name__, test)
        return cls
    return decorate


def seam(when, step, action=INJECTED):
    return f"{step}:{when}:{action}"


def steps_done(call):
    """The steps that a call with PW_LOG=debug names, in order."""
    return re.findall(r"^podwire: ([a-z0-9-]+): ", call.stderr.decode(), re.M)


# Snapshots

# Three processes for all of it: a table takes hundreds of these.
_PARTS = ("link", "address", "route", "rule", "neighbour", "address6", "route6", "rule6", "neighbour6", "nft")
_SHOW = "address show\nroute show table all\nrule show\nneighbour show nud permanent"
_SCRIPT = f"""ip -4 -j -d -batch - << END
link show
{_SHOW}
END
ip -6 -j -d -batch - << END
{_SHOW}
END
exec nft -j list ruleset"""
_LINK_KEYS = ("ifindex", "ifname", "mtu", "address", "flags", "ifalias", "num_tx_queues")


def snapshot(namespace):
    """All that networking is in a namespace, a line each, so that two of them compare as sets.

    Left out is what the kernel changes by itself and in its own time: link-local addresses of links that
    are not ours, IPv6's link-local and local routes (with duplicate address detection, and anycast ones on
    a router), whether a link's carrier has been noticed, and learned neighbours.
    """
    lines = namespace.run("sh", "-c", _SCRIPT).stdout.splitlines()
    seen = {part: json.loads(line) for part, line in zip(_PARTS, lines, strict=True)}
    seen["link"] = [{key: link.get(key) for key in _LINK_KEYS} for link in seen["link"]]
    for part in ("address", "address6"):
        seen[part] = [[link["ifname"], address["local"], address["prefixlen"], address["scope"]]
                      for link in seen[part] if link for address in link["addr_info"]
                      if address and (link["ifname"].startswith("vethpw") or address["scope"] != "link")]
    for part in ("route", "route6"):
        seen[part] = [route for route in seen[part] if not _is_kernels(route["dst"], route.get("table"))]
    seen["nft"] = [entry for entry in seen["nft"]["nftables"] if "metainfo" not in entry]
    return {f"{part} {json.dumps(_normal(entry), sort_keys=True)}" for part, entries in seen.items()
            for entry in entries}


def _is_kernels(destination, table):
    return ":" in destination and (table == "local" or destination.startswith(("fe80:", "ff00:")))


def _normal(value):
    """Without nft's handles and the flags of a carrier, and all lists in one order."""
    if isinstance(value, dict):
        return {key: _normal(entry) for key, entry in value.items() if key != "handle"}
    if isinstance(value, list):
        return sorted((_normal(entry) for entry in value if entry not in ("NO-CARRIER", "linkdown")), key=json.dumps)
    return value


SYS_FLOCK = {"x86_64": "73", "aarch64": "32"}[os.uname().machine]


def is_blocked_on_lock(pid):
    """Whether this process waits in flock(2). /proc/locks would hide it in a PID namespace."""
    try:
        with open(f"/proc/{pid}/syscall", encoding="ascii") as call:
            return call.read().split()[0] == SYS_FLOCK
    except OSError:
        return False


# IPAM plugins

class Commits(Behaviour):
    """host-local takes the address for good, and then something goes wrong."""

    def __init__(self, then):
        self.then = then

    def script(self, ipam, verb):
        return f'{shlex.quote(HOST_LOCAL)} < "$config" > /dev/null\n{self.then.script(ipam, verb)}'


def slow_host_local(node, name="slow", **verbs):
    """host-local under another name, so that single verbs can be slow or fail: the rest is the real one."""
    real = {verb: Exec(HOST_LOCAL) for verb in ("ADD", "DEL", "CHECK")}
    return FakeIpam(node, name, versions=("0.4.0", "1.0.0"), **{**real, **verbs})


class FaultCase(Case):
    """A dual stack node whose plugin has the seam; its pods are masqueraded, so that each step has work."""

    plugin = PODWIRE_SEAM
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.node.uplink()

    def network(self, ipam="host-local", version="1.0.0", name="podnet", **keys):
        """`ipam`: the name of an IPAM plugin that takes host-local's config."""
        config = dict(host_local(self.node), type=ipam)
        return conflist(podwire(self.node, config, **{"ipMasq": True, **keys}), name=name, version=version)

    def picture(self, *pods):
        """The node, the pods, the reservations and the plugin's own files: what must be the same again."""
        seen = {f"node {line}" for line in snapshot(self.node)}
        for n, pod in enumerate(pods):
            seen |= {f"pod {n} {line}" for line in snapshot(pod)}
        seen |= {f"reserved {entry}" for entry in reserved(self.node).items()}
        seen |= {f"record {entry}" for entry in self.node.records().items()}
        return seen | {f"lock {name}" for name in self.lock_files()}

    def assert_same(self, now, before):
        changes = [f"gone: {line}" for line in sorted(before - now)]
        changes += [f"new: {line}" for line in sorted(now - before)]
        self.assertFalse(changes, "\n".join(["", *changes]))

    def lock_files(self):
        directory = os.path.join(self.node.runtime_dir, "lock")
        return sorted(os.listdir(directory)) if os.path.isdir(directory) else []

    def assert_nothing_left(self, pod=None):
        self.assert_clean()
        self.assertEqual(reserved(self.node), {})
        if pod is not None:
            self.assertEqual(pod.ifnames(), ["lo"])

    def assert_injected(self, call, when, step):
        """Exactly the injected error and nothing else was said."""
        self.assertEqual(call.json, {"cniVersion": "1.0.0", "code": 100,
                                     "msg": f"seam: {when} {step}: {INJECTED_TEXT}"}, repr(call))
        self.assertEqual((call.status, call.stderr), (1, b""), repr(call))

    def assert_killed(self, call):
        self.assertEqual(call.status, -9, repr(call))

    def assert_done(self, call):
        """A success that says nothing."""
        self.assertEqual((call.status, call.stdout, call.stderr), (0, b"", b""), repr(call))

    def wait_until_blocked(self, running):
        """Until a plugin that was started stands at an attachment's lock."""
        wait_until(lambda: is_blocked_on_lock(running.pid) or running.process.poll() is not None, 10,
                   f"{running.command} waiting for the lock")
        self.assertIsNone(running.process.poll(), f"{running.command} didn't wait: {running.process.poll()}")


# SIGKILL

ADD_POINTS = points(ADD_STEPS)
IPAM_RUNS = ADD_POINTS.index(("after", "ipam-call"))
IPAM_DONE = ADD_POINTS.index(("after", "ipam-wait"))
LINK_MADE = ADD_POINTS.index(("after", "link"))


class KillCase(FaultCase):
    def setUp(self):
        super().setUp()
        self.gate = Gate(self.node.directory)
        # The first ADD is the one that is killed.
        self.ipam = slow_host_local(self.node, ADD=Sequence(Hang(self.gate, Exec(HOST_LOCAL)), Exec(HOST_LOCAL)))
        self.net = self.network("slow")
        self.pod = self.node.pod()
        self.attachment = Attachment.of(self.pod)
        self.before = self.picture(self.pod)

    def quick_ipam(self):
        self.ipam.set(**{verb: Exec(HOST_LOCAL) for verb in ("ADD", "DEL", "CHECK")})

    def start(self, command, network=None, attachment=None, **environment):
        return self.runtime.start(command, network or self.net, attachment or self.attachment, **environment)

    def start_gc(self, network):
        config = dict(network["plugins"][0], name=network["name"], cniVersion=network["cniVersion"])
        config["cni.dev/valid-attachments"] = []
        environment = plugin_environment("GC", cni_path=self.node.bin_dir)
        return start_plugin(self.node, self.runtime.find("podwire"), environment, config)

    def kill_add(self, when, step):
        """ADD is killed there. Returns whether its IPAM plugin lives on and waits at the gate."""
        at = ADD_POINTS.index((when, step))
        running = self.start("ADD", PW_SEAM=seam(when, step, "kill"))
        if at >= IPAM_DONE:
            self.gate.wait().release()
        self.assert_killed(running.wait())
        if not IPAM_RUNS <= at < IPAM_DONE:
            return False
        self.gate.wait()
        return True

    def finish(self, running, ipam_is_waiting):
        """What was started waits for the IPAM of the dead, and then comes to a good end."""
        if ipam_is_waiting:
            self.wait_until_blocked(running)
            self.assertEqual(self.ipam.calls("DEL"), [])
            self.gate.release()
        return running.wait()

    def assert_as_before(self):
        self.assert_same(self.picture(self.pod), self.before)
        self.assert_nothing_left(self.pod)
