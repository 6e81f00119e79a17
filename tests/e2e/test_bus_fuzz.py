# SPDX-License-Identifier: GPL-2.0-or-later
"""An unprivileged user who sends whatever he can, as fast as he can, on the bus and on agent.sock: the agent goes
on, others are answered in time, and nothing of it stays. PW_FUZZ_SECONDS: for how long (20)."""
import os
import random
import select
import signal
import struct
import subprocess
import time
import traceback
import unittest

from agentcase import AgentCase
from harness import resources
from harness.agent import NAME, ROOT
from harness.case import SOURCE_DIR
from harness.dbus import CALL, NO_REPLY, Closed, Connection, DBusError, arguments, message
from harness.resources import PATIENCE, wait_until

SECONDS = float(os.environ.get("PW_FUZZ_SECONDS", "20"))
NOBODY = 65534
LATENCY, SANITIZED = 0.05, 40  # seconds; and how often that with a sanitizer, which alone makes a backlog
GROWTH = 16 << 20  # bytes: what an allocator and a sanitizer keep
MANAGER = f"{NAME}.Manager"
STANDARD = "org.freedesktop.DBus."
POOL, BATCH = 500, 20

PATHS = ["/", "/org", ROOT, f"{ROOT}/device/eth0", f"{ROOT}/attachment", f"{ROOT}/attachment/000000000",
         "/org/freedesktop/LogControl1", "/" + "a/" * 400 + "b"]
INTERFACES = [None, MANAGER, f"{NAME}.Attachment", f"{NAME}.Device", "org.freedesktop.LogControl1", "a.b",
              *(STANDARD + name for name in ("Properties", "Introspectable", "ObjectManager", "Peer", "Local"))]
MEMBERS = ["ListAttachments", "GetAttachment", "ListDevices", "ListCpus", "SetCpus", "Reload", "GetStatistics",
           "Get", "GetAll", "Set", "Introspect", "GetManagedObjects", "Ping", "GetMachineId", "Disconnected", "x" * 255]
BODIES = [(signature, arguments(signature, *values)) for signature, values in [
    ("", ()), ("s", ("",)), ("s", ("10.1.0.2",)), ("s", ("c0ffee",)), ("s", ("%s%n" * 10000,)),
    ("ss", (MANAGER, "Version")), ("ss", ("", "")), ("s", (MANAGER,)), ("ssv", (MANAGER, "Cpus", ("au", [1]))),
    ("ssv", ("org.freedesktop.LogControl1", "LogLevel", ("s", "debug"))), ("aub", ([1] * 10000, False)),
    ("aub", ([], True)), ("a{sv}", ({"a": ("v", ("v", ("i", 1)))},)), ("((((y))))", (((((7,),),),),)),
    ("tttt", (1, 2, 3, 4)), ("aaaau", ([[[[1, 2]]]],))]]


def words(source):
    """A message that is well-formed, and next to nothing else."""
    signature, body = source.choice(BODIES)
    fields = {"path": source.choice(PATHS), "member": source.choice(MEMBERS), "destination": NAME}
    interface = source.choice(INTERFACES)
    if interface and interface != STANDARD + "Local":  # which the daemon ends connections for
        fields["interface"] = interface
    return bytearray(message(1, CALL, source.choice((0, 0, NO_REPLY)), signature, body, **fields))


def mangled(source, text):
    """Some of its bytes are others."""
    text = bytearray(text)
    for _ in range(source.randrange(1, 8)):
        text[source.randrange(len(text))] = source.randrange(256)
    return bytes(text)


def drain(connection):
    while select.select([connection.socket], [], [], 0)[0]:
        if not connection.socket.recv(1 << 20):
            raise Closed


def flood_bus(path, source, end):
    """How many messages were sent; what isn't well-formed costs the connection, so it's rare."""
    pool, sent, connection = [words(source) for _ in range(POOL)], 0, None
    while time.monotonic() < end:
        try:
            connection = connection or Connection(path, bus=True)
            batch = source.sample(pool, BATCH)
            for text in batch:
                connection.serial += 1
                struct.pack_into("<I", text, 8, connection.serial)
            connection.socket.sendall(b"".join(batch))
            sent += len(batch)
            drain(connection)
            if source.random() < 0.01:
                connection.socket.sendall(mangled(source, batch[0]))
        except (Closed, OSError, DBusError):
            connection = None
    return sent


def flood_socket(path, source, end):
    """Connections of all kinds, each one of which may be refused or cut off at any time."""
    pool, sent, held = [bytes(words(source)) for _ in range(POOL)], 0, []
    while time.monotonic() < end:
        held = held[-20:]
        try:
            kind = source.randrange(6)
            connection = Connection(path, authenticate=kind > 1, timeout=1)
            held.append(connection)
            if kind == 0:
                connection.socket.sendall(source.randbytes(source.randrange(5000)))
            elif kind == 1:
                connection.socket.sendall(source.choice((b"\0", b"\0AUTH EXTERNAL\r\n", b"\0AUTH DBUS_COOKIE_SHA1\r\n")))
            elif kind == 2:
                connection.socket.sendall(pool[0][:source.randrange(100)])
            elif kind == 3:
                connection.socket.sendall(struct.pack("<cBBBIII", b"l", 1, 0, 1, source.getrandbits(32), 1, 8))
            else:
                connection.socket.settimeout(0.2)
                for text in pool:
                    connection.socket.sendall(mangled(source, text) if source.random() < 0.005 else text)
                    sent += 1
                    if kind == 5 and sent % 20 == 0:
                        drain(connection)
        except (Closed, OSError, DBusError):
            pass
    return sent


class Fuzz(AgentCase):
    bus = False

    def setUp(self):
        super().setUp()
        for directory in (os.path.dirname(self.node.directory), self.node.directory, self.node.runtime_dir):
            os.makedirs(directory, exist_ok=True)
            os.chmod(directory, 0o755)  # for the other user
        self.bus_path = os.path.join(self.node.directory, "bus.sock")
        self.socket_path = os.path.join(self.node.runtime_dir, "agent.sock")
        daemon = resources.track(subprocess.Popen(
            ["dbus-daemon", f"--config-file={SOURCE_DIR}/deploy/lib/bus.conf", f"--address=unix:path={self.bus_path}",
             "--nofork", "--nopidfile"], stderr=subprocess.DEVNULL))
        self.addCleanup(resources.finish, daemon)
        wait_until(lambda: os.path.exists(self.bus_path), what="dbus-daemon's socket")
        os.chmod(self.bus_path, 0o666)
        with open(self.agent.program, "rb") as file:
            self.slack = SANITIZED if b"__asan_init" in file.read() else 1
        # what a sanitizer keeps of freed memory isn't the agent's
        self.agent.environment["ASAN_OPTIONS"] = f"{os.environ.get('ASAN_OPTIONS', '')}:quarantine_size_mb=1"
        self.agent.address = f"unix:path={self.bus_path}"

    def flooder(self, flood, path, seed):
        """A process of another user; it ends by itself, and says how much it has sent."""
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setgroups([])
                os.setresgid(NOBODY, NOBODY, NOBODY)
                os.setresuid(NOBODY, NOBODY, NOBODY)
                os.write(write, b"%d" % flood(path, random.Random(seed), time.monotonic() + SECONDS))
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        os.close(write)
        self.addCleanup(self.reap, child)
        return read

    def reap(self, child):
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(child, 0)

    def usage(self):
        process = f"/proc/{self.agent.process.pid}"
        with open(f"{process}/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir(f"{process}/fd"))

    def ask(self, clients, name, until):
        """Seconds that each answer took."""
        took = {where: [] for where in clients}
        while not until():
            for where, client in clients.items():
                for method, signature, values in (("GetAttachment", "s", (name,)), ("ListAttachments", "", ())):
                    begin = time.monotonic()
                    client.call(ROOT, MANAGER, method, signature, *values)
                    took[where].append(time.monotonic() - begin)
        return took

    def judge(self, took):
        for where, seconds in took.items():
            seconds.sort()
            late = seconds[int(len(seconds) * 0.99)]
            print(f"{where}: {len(seconds)} answers, half in {seconds[len(seconds) // 2] * 1000:.1f} ms, 99 % in "
                  f"{late * 1000:.1f} ms, all in {seconds[-1] * 1000:.1f} ms", flush=True)
            self.assertLess(late, LATENCY * PATIENCE * self.slack, where)

    def test_a_flood_by_nobody(self):
        self.agent.start()
        _, _, result = self.attach(self.network())
        name = self.host_ifname(result)
        clients = {"bus": Connection(self.bus_path, bus=True, destination=NAME), "socket": Connection(self.socket_path)}
        for client in clients.values():
            self.addCleanup(client.close)
        wait_until(lambda: [entry[3] for entry in clients["bus"].call(ROOT, MANAGER, "ListAttachments")[0]] == [name],
                   what="the pod")
        short = time.monotonic() + 0.5
        self.ask(clients, name, lambda: time.monotonic() > short)  # what is allocated once
        memory, descriptors = self.usage()
        seed = random.randrange(1 << 32)
        print(f"seed {seed}, {SECONDS:.0f} s", flush=True)
        floods = [self.flooder(flood_bus, self.bus_path, seed), self.flooder(flood_socket, self.socket_path, seed)]
        took = self.ask(clients, name, lambda: len(select.select(floods, [], [], 0)[0]) == len(floods))
        counts = [int(os.read(one, 20) or 0) for one in floods]
        for one in floods:
            os.close(one)
        print(f"{counts[0]} messages on the bus, {counts[1]} on the socket", flush=True)
        self.assertGreater(min(counts), 100 * SECONDS)
        self.assertIsNone(self.agent.process.poll(), self.agent.log())
        wait_until(lambda: self.usage()[1] <= descriptors, 20, "no more descriptors than before")
        after = self.usage()[0]
        print(f"RSS {memory / 1e6:.1f} MB before, {after / 1e6:.1f} MB after", flush=True)
        self.judge(took)
        self.assertLess(after - memory, GROWTH)
        self.assertNotIn("configuration read", self.agent.log())


if __name__ == "__main__":
    unittest.main()
