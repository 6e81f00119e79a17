# SPDX-License-Identifier: GPL-2.0-or-later
"""SIGKILL at each point of ADD, of DEL, and of what an ADD undoes: a DEL leaves nothing.

The IPAM plugin goes on without its caller; a DEL that comes meanwhile waits for its end.
"""
from faults import ADD_SIDES, ADD_STEPS, DEL_STEPS, HOST_LOCAL, KillCase, for_each_point, seam
from harness.fakeipam import Exec, Hang, Sequence


@for_each_point(ADD_STEPS, ADD_SIDES)
class AddKilledThenDel(KillCase):
    def check(self, when, step):
        waiting = self.kill_add(when, step)
        self.assert_done(self.finish(self.start("DEL"), waiting))
        self.assert_as_before()
        # The pod isn't spoilt.
        self.quick_ipam()
        self.runtime.add(self.net, self.attachment)
        self.runtime.check(self.net, self.attachment)
        self.runtime.delete(self.net, self.attachment)
        self.assert_as_before()


@for_each_point(DEL_STEPS)
class DelKilled(KillCase):
    def check(self, when, step):
        self.quick_ipam()
        _, _, result = self.attach(self.net, self.pod)
        self.assert_killed(self.runtime.call("DEL", self.net, self.attachment, result,
                                             PW_SEAM=seam(when, step, "kill")))
        self.assert_done(self.runtime.call("DEL", self.net, self.attachment, result))
        self.assert_as_before()

    def test_while_its_ipam_hangs(self):
        self.ipam.set(ADD=Exec(HOST_LOCAL), DEL=Sequence(Hang(self.gate, Exec(HOST_LOCAL)), Exec(HOST_LOCAL)))
        self.attach(self.net, self.pod)
        running = self.start("DEL")
        self.gate.wait()
        running.kill()
        self.assert_killed(running.wait())
        again = self.start("DEL")
        self.wait_until_blocked(again)
        self.gate.release()
        self.assert_done(again.wait())
        self.assert_as_before()


@for_each_point(DEL_STEPS)
class UndoKilled(KillCase):
    """ADD fails and is killed while it undoes."""

    def check(self, when, step):
        self.quick_ipam()
        self.assert_killed(self.runtime.call(
            "ADD", self.net, self.attachment,
            PW_SEAM=f"record-ready:before:EXFULL,{seam(when, step, 'kill')}"))
        self.assert_done(self.runtime.call("DEL", self.net, self.attachment))
        self.assert_as_before()
