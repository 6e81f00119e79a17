# SPDX-License-Identifier: GPL-2.0-or-later
"""No restart, upgrade or downgrade of the agent loses a packet."""
import hashlib
import os
import socket
import subprocess
import threading
import unittest

from agentcase import ON_BOTH_SIDES, AgentCase, layouts, map_ids, programs
from harness.agent import PODWIRED, PODWIRED_NEXT
from harness.resources import PATIENCE, wait_until

KILLS, MOVES = 50, 10
INTERVAL = 0.01  # a ping each: 100 a second


class Stream(threading.Thread):
    """TCP as it goes, until stopped; both sides hash what they had."""

    def __init__(self, client, server, address):
        super().__init__(daemon=True)
        self.listener, self.client = server.socket(), client.socket()
        self.listener.bind((address, 0))
        self.listener.listen()
        self.client.connect((address, self.listener.getsockname()[1]))
        self.server, _ = self.listener.accept()
        self.stopping, self.sent, self.received = threading.Event(), hashlib.sha256(), hashlib.sha256()
        self.bytes = 0
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.start()

    def run(self):
        block = os.urandom(65536)
        while not self.stopping.wait(0.005):
            self.client.sendall(block)
            self.sent.update(block)
            self.bytes += len(block)
        self.client.shutdown(socket.SHUT_WR)

    def _read(self):
        while data := self.server.recv(1 << 20):
            self.received.update(data)

    def finish(self):
        self.stopping.set()
        self.join(20 * PATIENCE)
        self.reader.join(20 * PATIENCE)
        for one in (self.client, self.server, self.listener):
            one.close()


class NoPacketLost(AgentCase):
    def setUp(self):
        super().setUp()
        self.agent.start()
        self.a, _, first, self.name = self.wired()
        self.b, _, second, _ = self.wired()
        self.target = self.addresses(second)
        self.sources = self.addresses(first)

    def traffic(self):
        pings = [subprocess.Popen(self.a.argv("ping", "-n", "-q", "-i", INTERVAL, "-I", source, target),
                                  stdout=subprocess.PIPE, text=True)
                 for source, target in zip(self.sources, self.target)]
        return pings, Stream(self.a, self.b, self.target[0])

    def assert_nothing_lost(self, pings, stream):
        stream.finish()
        self.assertEqual(stream.sent.hexdigest(), stream.received.hexdigest())
        self.assertGreater(stream.bytes, 0)
        for ping in pings:
            ping.send_signal(2)
            text, _ = ping.communicate(timeout=20 * PATIENCE)
            self.assertIn(" 0% packet loss", text)
            print(text.splitlines()[-2] if "rtt" in text else text, flush=True)

    def links(self):
        return [pin for pin in self.agent.bpffs.pins("podwire") if "/links/" in pin]

    def test_killed_fifty_times(self):
        ids, links = map_ids(self.agent), self.links()
        traffic = self.traffic()
        for _ in range(KILLS):
            self.agent.kill()
            self.agent.start()
        self.agent.wait_for(self.name, State="ready")
        self.assert_nothing_lost(*traffic)
        self.assertEqual(map_ids(self.agent), ids)
        self.assertEqual(self.links(), links)
        self.assertEqual(programs(self.node, self.name), ON_BOTH_SIDES)

    def test_upgraded_and_downgraded_ten_times(self):
        counted = self.agent.statistics(self.name)["in-packets"]
        links = [os.path.basename(pin) for pin in self.links()]
        traffic = self.traffic()
        for number in range(MOVES):
            self.agent.kill() if number % 2 else self.agent.stop()
            program, layout = ((PODWIRED_NEXT, 2), (PODWIRED, 1))[number % 2]
            before = map_ids(self.agent)
            self.agent.start(program)
            self.agent.wait_for(self.name, State="ready")
            after = map_ids(self.agent)
            self.assertEqual(set(after), set(before))
            self.assertFalse(set(after.values()) & set(before.values()), "one migration each")
            self.assertEqual(layouts(self.agent), [f"layout-{layout}"])
            self.assertEqual([os.path.basename(pin) for pin in self.links()], links)
            now = self.agent.statistics(self.name)["in-packets"]
            self.assertGreater(now, counted)
            counted = now
        self.assert_nothing_lost(*traffic)
        self.assertEqual(programs(self.node, self.name), ON_BOTH_SIDES)

    def test_move_that_was_cut_short(self):
        """What a dead agent left of a move is begun again, and what it moved from is still there."""
        self.agent.kill()
        left = os.path.join(self.agent.bpffs.path, "podwire", "layout-2-new")
        os.makedirs(os.path.join(left, "links"))
        self.agent.start(PODWIRED_NEXT)
        self.agent.wait_for(self.name, State="ready")
        self.assertEqual(layouts(self.agent), ["layout-2"])
        self.assertEqual(programs(self.node, self.name), ON_BOTH_SIDES)
        wait_until(lambda: self.a.ping(self.target[0], self.sources[0]), what="a ping")


if __name__ == "__main__":
    unittest.main()
