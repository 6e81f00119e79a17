# SPDX-License-Identifier: GPL-2.0-or-later
"""An ADD was killed, and something other than its DEL comes first.

Only the points after each step: before the next one nothing differs (test_kill has both).
"""
import random
import subprocess

from faults import (ADD_POINTS, ADD_STEPS, HOST_LOCAL, IPAM_RUNS, KillCase, LINK_MADE, for_each_point,
                    seam)
from harness.case import reserved
from harness.fakeipam import Answer, Exec, Hang, Sequence


@for_each_point(ADD_STEPS[ADD_STEPS.index("link"):], ["after"])
class AddKilledThenNamespaceGone(KillCase):
    """The runtime takes the sandbox away first, and DEL comes without a namespace."""

    def check(self, when, step):
        waiting = self.kill_add(when, step)
        self.pod.vanish()
        delete = self.start("DEL", attachment=self.attachment.replace(netns=""))
        self.assert_done(self.finish(delete, waiting))
        self.assert_nothing_left()


@for_each_point(ADD_STEPS[:ADD_STEPS.index("link") + 1], ["after"])
class AddKilledThenAdd(KillCase):
    """No DEL comes, the same ADD does: as long as there's no interface it clears up and succeeds."""

    def check(self, when, step):
        waiting = self.kill_add(when, step)
        again = self.start("ADD")
        if waiting:
            self.wait_until_blocked(again)
            self.gate.release()
        elif ADD_POINTS.index((when, step)) < IPAM_RUNS:
            self.gate.wait().release()
        call = again.wait()
        if ADD_POINTS.index((when, step)) >= LINK_MADE:
            self.assertEqual(call.json["code"], 101, repr(call))
        else:
            self.assertEqual(call.status, 0, repr(call))
            self.assert_done(self.runtime.call("CHECK", self.net, self.attachment, call.json))
            held = {ip["address"].split("/")[0] for ip in call.json["ips"]}
            self.assertEqual(set(reserved(self.node)), held)
        self.assert_done(self.runtime.call("DEL", self.net, self.attachment))
        self.assert_as_before()


@for_each_point(ADD_STEPS[ADD_STEPS.index("ipam-call"):], ["after"])
class AddKilledThenGc(KillCase):
    """A runtime that knows nothing of it any more."""

    def check(self, when, step):
        net = self.network("slow", version="1.1.0")
        running = self.start("ADD", net, PW_SEAM=seam(when, step, "kill"))
        # IPAM's ADD was started, VERSION or not, and goes on without its caller.
        self.gate.wait().release()
        self.assert_killed(running.wait())
        self.assert_done(self.start_gc(net).wait())
        self.assert_as_before()


class AddKilled(KillCase):
    def test_others_do_not_wait_for_the_ipam_of_the_dead(self):
        self.assertTrue(self.kill_add("after", "link"))
        other = self.node.pod()
        _, attachment, _ = self.attach(self.net, other)
        self.runtime.check(self.net, attachment)
        delete = self.start("DEL")
        self.assert_done(self.finish(delete, True))
        self.runtime.check(self.net, attachment)
        self.runtime.delete(self.net, attachment)
        self.assert_as_before()

    def test_new_sandbox_of_the_pod_then_del_of_the_dead(self):
        for when, step in (("after", "link"), ("after", "host-route"), ("after", "record-ready")):
            with self.subTest(when=when, step=step):
                self.ipam.clear()
                waiting = self.kill_add(when, step)
                new, attachment, result = self.attach(self.net)
                kept = self.picture(new)
                self.assert_done(self.finish(self.start("DEL"), waiting))
                self.runtime.check(self.net, attachment)
                self.assertLess({line for line in self.picture(new) if line.startswith("pod 0 ")}, kept)
                self.assertTrue(self.node.ping(result["ips"][0]["address"].split("/")[0]))
                self.runtime.delete(self.net, attachment)
                self.assert_as_before()

    def test_several_dels_wait_together(self):
        self.assertTrue(self.kill_add("before", "ipam-wait"))
        deletes = [self.start("DEL") for _ in range(4)]
        for running in deletes:
            self.wait_until_blocked(running)
        self.gate.release()
        for running in deletes:
            self.assert_done(running.wait())
        self.assert_as_before()

    def test_gc_waits_as_well(self):
        net = self.network("slow", version="1.1.0")
        running = self.start("ADD", net)
        self.gate.wait()
        running.kill()
        self.assert_killed(running.wait())
        self.assert_done(self.finish(self.start_gc(net), True))
        self.assert_as_before()

    def test_asked_for_versions_when_it_dies(self):
        versions = Answer({"cniVersion": "1.0.0", "supportedVersions": ["0.4.0", "1.0.0"]}, raw=True)
        self.ipam.set(ADD=Exec(HOST_LOCAL), DEL=Exec(HOST_LOCAL),
                      VERSION=Sequence(Hang(self.gate, versions), versions))
        net = self.network("slow", version="1.1.0")
        running = self.start("ADD", net)
        self.gate.wait()
        running.kill()
        self.assert_killed(running.wait())
        delete = self.start("DEL", net)
        self.assert_done(self.finish(delete, True))
        self.assert_as_before()

    def test_hanging_ipam_and_a_runtime_without_patience(self):
        for number in (9, 15):
            with self.subTest(signal=number):
                self.ipam.clear()
                running = self.start("ADD")
                self.gate.wait()
                running.kill(number)
                self.assertEqual(running.wait().status, -number)
                self.assert_done(self.finish(self.start("DEL"), True))
                self.assert_as_before()

    def test_at_any_moment(self):
        """Between two messages of one step, too: that is where no seam reaches."""
        self.quick_ipam()
        moments = random.Random(2)
        killed = 0
        for _ in range(40):
            running = self.start("ADD")
            try:
                running.process.wait(moments.uniform(0.005, 0.06))
            except subprocess.TimeoutExpired:
                running.kill()
            killed += running.wait().status == -9
            self.assert_done(self.runtime.call("DEL", self.net, self.attachment))
            self.assert_nothing_left(self.pod)
        self.assertGreater(killed, 5, "the moments are all too late")
        self.assert_as_before()
