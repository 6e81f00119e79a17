# SPDX-License-Identifier: GPL-2.0-or-later
"""A node and its pods as network namespaces.

Commands run by `nsenter --net`, never by `ip netns exec`, which remounts /sys and hides bpffs.
Sockets and sysctls are opened by setns() in the calling thread, which is back before the call returns.
"""
import contextlib
import ctypes
import fcntl
import json
import os
import shutil
import socket
import struct
import subprocess
import uuid

from . import resources
from .resources import PATIENCE, HarnessError

_CLONE_NEWNET = 0x40000000
_SIOCGIFHWADDR = 0x8927
_libc = ctypes.CDLL(None, use_errno=True)
FAMILY = {4: "-4", 6: "-6"}


@contextlib.contextmanager
def inside(path):
    """This thread, and no other, is in the namespace for the length of the block."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        there = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            _setns(there)
        finally:
            os.close(there)
        try:
            yield
        finally:
            _setns(home)
    finally:
        os.close(home)


def _setns(fd):
    if _libc.setns(fd, _CLONE_NEWNET) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), "setns")


class Namespace:
    """One network namespace; gone when its test ends, however that ends."""

    def __init__(self, role, test=None):
        self.name = resources.add_netns(role)
        self.path = resources.netns_path(self.name)
        if test is not None:
            _cleanup_of(test)(self.close)

    def close(self):
        resources.delete_netns(self.name)

    def vanish(self):
        """`ip netns del`, as a runtime or a reboot does it before DEL."""
        resources.forget_netns(self.name)

    # Commands

    def argv(self, *command):
        return ["nsenter", f"--net={self.path}", "--", *map(str, command)]

    def run(self, *command, check=True, text=True, timeout=60, **options):
        done = subprocess.run(self.argv(*command), capture_output=True, text=text, timeout=timeout * PATIENCE,
                              check=False, **options)
        if check and done.returncode:
            raise HarnessError(f"{' '.join(map(str, command))}: exit {done.returncode}: {done.stderr}")
        return done

    def popen(self, *command, **options):
        """A background process that ends with the run at the latest (resources.finish ends it before)."""
        return resources.track(subprocess.Popen(self.argv(*command), **options))

    def ip(self, *arguments, **options):
        return self.run("ip", *arguments, **options)

    def ip_json(self, *arguments):
        text = self.run("ip", "-j", "-d", *arguments).stdout
        return [entry for entry in json.loads(text or "[]") if entry]

    def socket(self, family=socket.AF_INET, kind=socket.SOCK_STREAM, protocol=0):
        with inside(self.path):
            return socket.socket(family, kind, protocol)

    # What is there

    def ifnames(self):
        """Names of the links; cheap enough for every row of a table."""
        with inside(self.path), open("/proc/thread-self/net/dev", encoding="ascii") as lines:
            return [line.split(":")[0].strip() for line in lines if ":" in line]

    def mac(self, ifname):
        """The link's MAC by ioctl: cheap too; None where there is no such link."""
        request = struct.pack("16s240x", ifname.encode())
        with self.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            try:
                answer = fcntl.ioctl(any_socket, _SIOCGIFHWADDR, request)
            except OSError:
                return None
        return answer[18:24].hex(":")

    def links(self):
        return self.ip_json("link", "show")

    def link(self, ifname):
        """The link as `ip -j -d` shows it, or None."""
        return next((link for link in self.links() if link["ifname"] == ifname), None)

    def addresses(self, ifname=None, family=None, scope=None):
        """[{"local", "prefixlen", "family", "scope", "ifname", ...}], flags as ip prints them."""
        arguments = [FAMILY[family]] if family else []
        arguments += ["address", "show"] + (["dev", ifname] if ifname else [])
        return [dict(address, ifname=link["ifname"]) for link in self.ip_json(*arguments)
                for address in link.get("addr_info", []) if address
                and (scope is None or address["scope"] == scope)]

    def cidrs(self, ifname, scope="global"):
        return [f"{a['local']}/{a['prefixlen']}" for a in self.addresses(ifname, scope=scope)]

    def routes(self, family=4, table="main", ifname=None):
        filters = ["table", table] + (["dev", ifname] if ifname else [])
        done = self.run("ip", "-j", "-d", FAMILY[family], "route", "show", *filters, check=False)
        if done.returncode and "FIB table does not exist" not in done.stderr:
            raise HarnessError(done.stderr)
        return [dict(route, dev=route.get("dev", ifname))
                for route in json.loads(done.stdout or "[]") if route]

    def route_get(self, destination, *more):
        return self.ip_json("route", "get", destination, *more)[0]

    def neighbours(self, ifname=None, family=None):
        arguments = [FAMILY[family]] if family else []
        arguments += ["neigh", "show"] + (["dev", ifname] if ifname else [])
        # Permanent ones are left out of a plain `show` only where they're NOARP.
        return self.ip_json(*arguments)

    def rules(self, family=4):
        return self.ip_json(FAMILY[family], "rule", "show")

    def nft(self):
        """The ruleset as nft's JSON list (without its metainfo)."""
        text = self.run("nft", "-j", "list", "ruleset").stdout
        return [entry for entry in json.loads(text or '{"nftables": []}')["nftables"]
                if "metainfo" not in entry]

    def nft_table(self, name, family="inet"):
        """What the table holds, by kind: {"set": [...], "chain": [...], "rule": [...]}; None if none."""
        found = {}
        for entry in self.nft():
            for kind, body in entry.items():
                if kind == "table":
                    if body["name"] == name and body["family"] == family:
                        found["table"] = body
                elif body.get("table") == name and body.get("family") == family:
                    found.setdefault(kind, []).append(body)
        return found if "table" in found else None

    # Sysctls (names with '/', as a device name may hold a dot)

    def sysctl(self, name, value=None):
        path = os.path.join("/proc/sys", name)
        with inside(self.path), open(path, "r" if value is None else "w", encoding="ascii") as file:
            if value is None:
                return file.read().strip()
            file.write(str(value))
        return str(value)

    # Reachability

    def ping(self, destination, source=None, count=1, deadline=5, size=56):
        """True when each echo was answered."""
        more = ["-I", source] if source else []
        done = self.run("ping", "-n", "-q", "-c", count, "-i", "0.2", "-W", deadline, "-s", size, *more,
                        destination, check=False)
        return done.returncode == 0


class Pod(Namespace):
    """An empty sandbox as a runtime makes it, with the identity that a kubelet gives."""

    def __init__(self, test=None, name=None, namespace="default"):
        super().__init__("pod", test)
        self.container_id = uuid.uuid4().hex + uuid.uuid4().hex
        self.pod_name = name or self.name
        self.pod_namespace = namespace
        self.uid = str(uuid.uuid4())

    @property
    def cni_args(self):
        return (f"IgnoreUnknown=1;K8S_POD_NAMESPACE={self.pod_namespace};K8S_POD_NAME={self.pod_name};"
                f"K8S_POD_INFRA_CONTAINER_ID={self.container_id};K8S_POD_UID={self.uid}")


class Node(Namespace):
    """A machine: lo up, forwarding off, own state and run directories, an own CNI_PATH directory."""

    def __init__(self, test=None):
        self._test = test
        super().__init__("node", test)
        self.directory = resources.temporary_directory("node")
        if test is not None:
            _cleanup_of(test)(resources.remove_directory, self.directory)
        self.state_dir = os.path.join(self.directory, "lib")
        self.runtime_dir = os.path.join(self.directory, "run")
        self.bin_dir = os.path.join(self.directory, "bin")
        os.mkdir(self.bin_dir)
        self.ip("link", "set", "lo", "up")
        self.forwarding(4, False)
        self.forwarding(6, False)
        self.peer = None

    def forwarding(self, family, value=None):
        name = "net/ipv4/ip_forward" if family == 4 else "net/ipv6/conf/all/forwarding"
        if value is None:
            return self.sysctl(name) == "1"
        return self.sysctl(name, int(value))

    def pod(self, **options):
        return Pod(self._test, **options)

    def install(self, name, source):
        """Put a plugin into the node's CNI_PATH directory."""
        target = os.path.join(self.bin_dir, name)
        if os.path.lexists(target):
            os.unlink(target)
        os.symlink(os.path.abspath(source), target)
        return target

    def install_copy(self, name, source):
        return shutil.copy(source, os.path.join(self.bin_dir, name))

    def uplink(self, ifname="eth0", v4=True, v6=True, default=True, mtu=1500):
        """A wire to another namespace (the rest of the world), with addresses and default routes.

        Returns the wire's Namespace; its addresses are 192.0.2.1 and 2001:db8::1, the node's .10 and ::10.
        """
        wire = Namespace("wire", self._test)
        wire.ip("link", "set", "lo", "up")
        self.ip("link", "add", ifname, "mtu", mtu, "type", "veth", "peer", "name", "wire0", "mtu", mtu,
                "netns", wire.name)
        self.ip("link", "set", ifname, "up")
        wire.ip("link", "set", "wire0", "up")
        if v4:
            self.ip("address", "add", "192.0.2.10/24", "dev", ifname)
            wire.ip("address", "add", "192.0.2.1/24", "dev", "wire0")
            if default:
                self.ip("route", "add", "default", "via", "192.0.2.1")
        if v6:
            self.ip("address", "add", "2001:db8::10/64", "dev", ifname, "nodad")
            wire.ip("address", "add", "2001:db8::1/64", "dev", "wire0", "nodad")
            if default:
                self.ip("-6", "route", "add", "default", "via", "2001:db8::1")
        self.peer = wire
        return wire

    def bridge(self, ifname="docker0", address="172.17.0.1/16"):
        """A docker0-like device: made before the uplink it has the lower ifindex."""
        self.ip("link", "add", ifname, "type", "bridge")
        # its own address would come late, in the middle of a comparison of before and after
        self.ip("link", "set", ifname, "addrgenmode", "none")
        self.ip("address", "add", address, "dev", ifname)
        self.ip("link", "set", ifname, "up")

    # The plugin's own traces

    def records(self):
        """The attachment records by host ifname."""
        directory = os.path.join(self.state_dir, "attachments")
        found = {}
        for entry in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
            with open(os.path.join(directory, entry), encoding="utf-8") as file:
                found[entry.removesuffix(".json")] = json.load(file)
        return found

    def host_ends(self):
        return sorted(name for name in self.ifnames() if name.startswith("vethpw"))

    def leftovers(self):
        """Each thing of ours that is still here, as sentences; [] is a clean node."""
        found = [f"link {name}" for name in self.host_ends()]
        for directory, _, files in os.walk(os.path.join(self.state_dir, "attachments")):
            found += [f"file {os.path.join(directory, name)}" for name in files]
        for directory, _, files in os.walk(os.path.join(self.runtime_dir, "lock")):
            found += [f"file {os.path.join(directory, name)}" for name in files]
        for family in (4, 6):
            found += [f"route {r['dst']}" for r in self.routes(family, "all")
                      if str(r.get("dev", "")).startswith("vethpw")]
        if shutil.which("nft") and self.nft_table("podwire"):
            found.append("nft table inet podwire")
        return found


def _cleanup_of(test):
    """addCleanup of a test, or addClassCleanup of a class that makes its node in setUpClass."""
    return test.addClassCleanup if isinstance(test, type) else test.addCleanup
