# SPDX-License-Identifier: GPL-2.0-or-later
"""No restart, upgrade or downgrade of the agent loses a packet."""
import os
import unittest

from agentcase import ON_BOTH_SIDES, AgentCase, layouts, map_ids, programs
from harness.agent import PODWIRED, PODWIRED_NEXT
from harness.resources import wait_until
from harness.traffic import Steady

KILLS, MOVES = 50, 10


class NoPacketLost(AgentCase):
    def setUp(self):
        super().setUp()
        self.agent.start()
        self.a, _, first, self.name = self.wired()
        self.b, _, second, _ = self.wired()
        self.target = self.addresses(second)
        self.sources = self.addresses(first)

    def traffic(self):
        return Steady(self.a, self.b, self.sources, self.target)

    def links(self):
        return [pin for pin in self.agent.bpffs.pins("podwire") if "/links/" in pin]

    def test_killed_fifty_times(self):
        ids, links = map_ids(self.agent), self.links()
        traffic = self.traffic()
        for _ in range(KILLS):
            self.agent.kill()
            self.agent.start()
        self.agent.wait_for(self.name, State="ready")
        traffic.assert_nothing_lost(self)
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
        traffic.assert_nothing_lost(self)
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
