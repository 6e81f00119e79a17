# SPDX-License-Identifier: GPL-2.0-or-later
"""agent.sock: the same objects without a bus, for everyone, and what nobody can do to it."""
import os
import select
import socket
import stat
import struct
import unittest

from agentcase import AgentCase
from harness.agent import ROOT
from harness.dbus import Closed, Connection, DBusError, arguments, message
from harness.resources import PATIENCE, wait_until

MANAGER = "org.podwire1.Manager"
OBJECTS = "org.freedesktop.DBus.ObjectManager"
NOBODY = 65534
USER_MAX, OTHERS_MAX, MAX = 8, 16, 32
UNREAD, AUTHENTICATION = 10, 5  # seconds


class SocketCase(AgentCase):
    bus = False

    def setUp(self):
        super().setUp()
        # what a sanitizer keeps of freed memory isn't the agent's
        self.agent.environment["ASAN_OPTIONS"] = f"{os.environ.get('ASAN_OPTIONS', '')}:quarantine_size_mb=1"
        self.agent.start()
        self.path = os.path.join(self.node.runtime_dir, "agent.sock")
        for directory in (os.path.dirname(self.node.directory), self.node.directory, self.node.runtime_dir):
            os.chmod(directory, 0o755)  # for other users

    def connect(self, **options):
        connection = Connection(self.path, **options)
        self.addCleanup(connection.close)
        return connection

    def connect_as(self, uid, **options):
        """The kernel keeps who it was that connected."""
        os.seteuid(uid)
        try:
            return self.connect(**options)
        finally:
            os.seteuid(0)

    def assert_closed(self, connection, deadline=5):
        """Whatever is still to be read."""
        connection.socket.settimeout(deadline * PATIENCE)
        try:
            while connection.socket.recv(65536):
                pass
        except ConnectionError:
            pass

    def assert_alive(self):
        with Connection(self.path) as other:
            self.assertEqual(other.call(ROOT, MANAGER, "ListDevices")[0], [(f"{ROOT}/device/eth0", "eth0")])
        self.assertIsNone(self.agent.process.poll())

    def fds(self):
        return len(os.listdir(f"/proc/{self.agent.process.pid}/fd"))


class Serves(SocketCase):
    def test_the_same_objects_as_a_bus(self):
        peer = self.connect()
        self.assertTrue(peer.get(ROOT, MANAGER, "Version"))
        _, attachment, result = self.attach(self.network())
        name = self.host_ifname(result)
        path, interface, _, values = peer.wait_signal("InterfacesAdded")
        self.assertEqual((path, interface), (ROOT, OBJECTS))
        self.assertIn("org.podwire1.Attachment", values[1])
        self.assertEqual(peer.call(ROOT, MANAGER, "GetAttachment", "s", name), [values[0]])
        self.assertEqual(set(peer.call(ROOT, OBJECTS, "GetManagedObjects")[0]), {values[0], f"{ROOT}/device/eth0"})
        self.assertEqual(peer.wait_signal("PropertiesChanged")[0], values[0])
        self.runtime.delete(self.network(), attachment)
        self.assertEqual(peer.wait_signal("InterfacesRemoved")[3][0], values[0])

    def test_attachments_by_address_and_by_the_beginning_of_an_id(self):
        peer = self.connect()
        _, attachment, result = self.attach(self.network())
        peer.wait_signal("InterfacesAdded")
        path = peer.call(ROOT, MANAGER, "GetAttachment", "s", self.host_ifname(result))
        for name in [*self.addresses(result), attachment.container_id[:12]]:
            self.assertEqual(peer.call(ROOT, MANAGER, "GetAttachment", "s", name), path, name)

    def test_reading_is_for_everyone_and_changing_for_root(self):
        peer, root = self.connect_as(NOBODY), self.connect()
        self.assertEqual(peer.call(ROOT, MANAGER, "ListDevices"), root.call(ROOT, MANAGER, "ListDevices"))
        with self.assertRaises(DBusError) as refused:
            peer.call(ROOT, MANAGER, "Reload")
        self.assertEqual(refused.exception.name, "org.freedesktop.DBus.Error.AccessDenied")
        root.call(ROOT, MANAGER, "Reload")

    def test_what_a_message_says_of_its_sender_counts_for_nothing(self):
        peer = self.connect_as(NOBODY)
        for serial, sender in enumerate((":1.0", "org.freedesktop.DBus", "org.podwire1"), 100):
            peer.socket.sendall(message(serial, path=ROOT, interface=MANAGER, member="Reload", sender=sender))
            with self.assertRaises(DBusError) as refused:
                peer.wait(serial)
            self.assertEqual(refused.exception.name, "org.freedesktop.DBus.Error.AccessDenied")
        self.assertNotIn("org.podwire1.Error", self.agent.log())

    def test_who_says_to_be_root_is_not(self):
        peer = self.connect_as(NOBODY, authenticate=False)
        peer.authenticate(b"30")
        with self.assertRaises(DBusError):
            peer.call(ROOT, MANAGER, "Reload")

    def test_everyone_can_connect_and_nobody_else_replace_it(self):
        self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o666)
        directory = os.stat(self.node.runtime_dir)
        self.assertEqual((stat.S_IMODE(directory.st_mode), directory.st_uid), (0o755, 0))

    def test_it_goes_with_the_agent_and_a_dead_ones_is_replaced(self):
        self.agent.kill()
        with self.assertRaises(ConnectionRefusedError):
            self.connect()
        self.agent.start()
        self.assert_alive()
        self.agent.stop()
        self.assertFalse(os.path.exists(self.path))
        for make in (lambda: os.symlink("/nonexistent", self.path), lambda: open(self.path, "wb").close()):
            make()
            self.agent.start()
            self.assert_alive()
            self.agent.stop()
        self.agent.start()
        self.agent.kill()
        self.agent.uninstall()
        self.assertEqual([name for name in os.listdir(self.node.runtime_dir) if "agent" in name], [])


class Bounds(SocketCase):
    def test_so_many_connections_and_no_more(self):
        before = self.fds()
        mine = [self.connect() for _ in range(4)]
        for uid, most in ((NOBODY, USER_MAX), (NOBODY - 1, USER_MAX), (NOBODY - 2, 0)):
            held = [self.connect_as(uid) for _ in range(most)]
            for one in held:
                one.call(ROOT, MANAGER, "ListDevices")
            with self.assertRaises(Closed):
                self.connect_as(uid)
        mine += [self.connect() for _ in range(MAX - OTHERS_MAX - len(mine))]
        for one in mine:
            one.call(ROOT, MANAGER, "ListDevices")
        with self.assertRaises(Closed):
            self.connect()
        mine.pop().close()
        wait_until(lambda: self._answers(NOBODY - 3) is False and self._answers(0), what="room for root again")
        self.doCleanups_of_connections()
        wait_until(lambda: self.fds() <= before, what="all descriptors closed")

    def _answers(self, uid):
        try:
            connection = self.connect_as(uid)
            connection.call(ROOT, MANAGER, "ListDevices")
            connection.close()
            return True
        except Closed:
            return False

    def doCleanups_of_connections(self):
        for function, arguments_of, _ in self._cleanups:
            if isinstance(getattr(function, "__self__", None), Connection):
                function(*arguments_of)

    def test_thousands_of_idle_connections(self):
        before, held = self.fds(), []
        os.seteuid(NOBODY)
        try:
            for _ in range(1000):
                held.append(socket.socket(socket.AF_UNIX))
                held[-1].connect(self.path)
        finally:
            os.seteuid(0)
        self.assert_alive()
        wait_until(lambda: self.fds() <= before + 4 * USER_MAX, what="no more descriptors than are theirs")
        for one in held:
            one.close()
        wait_until(lambda: self.fds() <= before, what="all descriptors closed")

    def test_who_does_not_say_who_he_is(self):
        for words in (b"", b"\0", b"\0AUTH EXTERNAL\r\n", b"\0BEGIN\r\n"):
            peer = self.connect_as(NOBODY, authenticate=False)
            peer.socket.sendall(words)
            self.assert_closed(peer, AUTHENTICATION + 3)
            self.assert_alive()

    def test_what_is_no_dbus(self):
        for words in (b"GET / HTTP/1.1\r\n\r\n", b"\0" + b"A" * 4000, b"\0\r\nBEGIN\r\n" + b"l" * 500,
                      b"\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n" + b"\xff" * 64, os.urandom(5000)):
            peer = self.connect_as(NOBODY, authenticate=False)
            try:
                peer.socket.sendall(words)
            except ConnectionError:
                pass
            self.assert_closed(peer)
            self.assert_alive()

    def test_a_message_that_says_to_be_long(self):
        for body in (65536, 128 << 20, 0xffffffff):
            peer = self.connect_as(NOBODY)
            peer.socket.sendall(struct.pack("<cBBBIII", b"l", 1, 0, 1, body, 1, 100))
            self.assert_closed(peer)
        self.assert_alive()

    def test_a_message_in_pieces(self):
        peer = self.connect_as(NOBODY)
        text = message(7, path=ROOT, interface=MANAGER, member="GetAttachment", signature="s",
                       body=arguments("s", "x" * 20000))
        for byte in text[:200]:
            peer.socket.sendall(bytes([byte]))
        peer.socket.sendall(text[200:] + message(8, path=ROOT, interface=MANAGER, member="ListDevices"))
        with self.assertRaises(DBusError) as refused:
            peer.wait(7)
        self.assertEqual(refused.exception.name, "org.podwire1.Error.NoSuchAttachment")
        self.assertEqual(len(peer.wait(8)[0]), 1)

    def test_who_asks_and_does_not_read(self):
        peer, before = self.connect_as(NOBODY), self.rss()
        peer.socket.setblocking(False)
        question, sent = message(1, path=ROOT, interface=OBJECTS, member="GetManagedObjects"), 0
        poll = select.poll()
        poll.register(peer.socket, select.POLLOUT)
        while poll.poll(1000):  # until it takes no more
            try:
                sent += peer.socket.send(question * 100)
            except BlockingIOError:
                continue
        self.assert_alive()
        self.assertLess(self.rss() - before, 4 << 20)
        poll.register(peer.socket, 0)
        self.assertTrue(poll.poll((UNREAD + 3) * 1000 * PATIENCE), "it was cut off")
        self.assert_alive()

    def rss(self):
        with open(f"/proc/{self.agent.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    unittest.main()
