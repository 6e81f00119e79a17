# SPDX-License-Identifier: GPL-2.0-or-later
"""Each step of ADD and of DEL fails in its turn: the first error is told, and nothing stays behind."""
from faults import ADD_SIDES, ADD_STEPS, DEL_STEPS, FaultCase, INJECTED, for_each_point, seam, steps_done
from harness.case import conflist, podwire, reserved
from harness.fakeipam import Answer, FakeIpam
from harness.libcni import Attachment


class Table(FaultCase):
    def test_is_complete(self):
        net, attachment = self.network(), Attachment.of(self.node.pod())
        add = self.runtime.call("ADD", net, attachment, PW_LOG="debug")
        self.assertEqual(tuple(steps_done(add)), ADD_STEPS, repr(add))
        delete = self.runtime.call("DEL", net, attachment, PW_LOG="debug")
        self.assertEqual(tuple(steps_done(delete)), DEL_STEPS, repr(delete))

    def test_seam_that_is_misspelt_is_never_a_silent_success(self):
        net, attachment = self.network(), Attachment.of(self.node.pod())
        for text in ("lock", "lock:sometime:EIO", "lock:before:ENOSUCH", "lock:before:", "lock:before,x"):
            with self.subTest(text=text):
                self.assertEqual(self.runtime.call("ADD", net, attachment, PW_SEAM=text).status, 98)


@for_each_point(ADD_STEPS, ADD_SIDES)
class AddFails(FaultCase):
    def check(self, when, step):
        net, pod = self.network(), self.node.pod()
        attachment = Attachment.of(pod)
        before = self.picture(pod)

        self.assert_injected(self.runtime.call("ADD", net, attachment, PW_SEAM=seam(when, step)), when, step)
        self.assert_same(self.picture(pod), before)

        # Beside a pod that is there, which keeps all that it has.
        neighbour, other, _ = self.attach(net)
        before = self.picture(pod, neighbour)
        self.assert_injected(self.runtime.call("ADD", net, attachment, PW_SEAM=seam(when, step)), when, step)
        self.assert_same(self.picture(pod, neighbour), before)
        self.runtime.check(net, other)

        # A DEL comes after each ADD that failed; and then the pod is tried again.
        self.assert_done(self.runtime.call("DEL", net, attachment))
        self.assert_same(self.picture(pod, neighbour), before)
        self.runtime.add(net, attachment)
        self.runtime.check(net, attachment)
        self.runtime.delete(net, attachment)
        self.assert_same(self.picture(pod, neighbour), before)


class AddOfWhatIsThere(FaultCase):
    def test_attachment_that_exists_is_not_touched_whichever_step_fails(self):
        net = self.network()
        pod, attachment, _ = self.attach(net)
        before = self.picture(pod)
        for step in ("lock", "pod-socket"):
            for when in ("before", "after"):
                with self.subTest(when=when, step=step):
                    call = self.runtime.call("ADD", net, attachment, PW_SEAM=seam(when, step))
                    self.assertEqual(call.status, 1, repr(call))
                    self.assert_same(self.picture(pod), before)
                    self.runtime.check(net, attachment)

    def test_second_add_is_an_error_and_changes_nothing(self):
        net = self.network()
        pod, attachment, _ = self.attach(net)
        before = self.picture(pod)
        self.assert_fails(101, "eth0", self.runtime.add, net, attachment)
        self.assert_same(self.picture(pod), before)
        self.runtime.check(net, attachment)
        self.runtime.delete(net, attachment)
        self.assert_nothing_left(pod)

    def test_interface_of_somebody_else_is_an_error_and_stays(self):
        net, pod = self.network(), self.node.pod()
        pod.ip("link", "add", "eth0", "address", "02:00:00:00:00:07", "type", "bridge")
        before = self.picture(pod)
        self.assert_fails(101, "eth0", self.runtime.add, net, Attachment.of(pod))
        self.assert_same(self.picture(pod), before)
        self.assert_done(self.runtime.call("DEL", net, Attachment.of(pod)))
        self.assert_same(self.picture(pod), before)


@for_each_point(DEL_STEPS)
class UndoFails(FaultCase):
    """ADD fails, and so does a step of what it then undoes."""

    def check(self, when, step):
        net, pod = self.network(), self.node.pod()
        attachment = Attachment.of(pod)
        before = self.picture(pod)
        call = self.runtime.call("ADD", net, attachment,
                                 PW_SEAM=f"record-ready:before:EXFULL,{seam(when, step)}")
        self.assertEqual(call.json, {"cniVersion": "1.0.0", "code": 100,
                                     "msg": "seam: before record-ready: Exchange full"}, repr(call))
        self.assert_done(self.runtime.call("DEL", net, attachment))
        self.assert_same(self.picture(pod), before)


# What is still there when the DEL has failed before that step; all else must be gone.
LEFT_BEFORE = {
    "del-ipam-start": {"record", "address"},
    "del-masq": {"record", "masquerade"},
    "del-link": {"record", "link", "address", "masquerade"},  # a pod that is still wired keeps its address
    "del-conntrack": {"record"},
    "del-ipam": {"record", "address"},
    "del-record": {"record"},
}


@for_each_point(DEL_STEPS)
class DelFails(FaultCase):
    def traces(self):
        found = {"record": self.node.records(), "link": self.node.host_ends(), "address": reserved(self.node),
                 "masquerade": self.node.nft_table("podwire")}
        return {name for name, value in found.items() if value}

    def check(self, when, step):
        net, pod = self.network(), self.node.pod()
        before = self.picture(pod)
        pod, attachment, result = self.attach(net, pod)

        call = self.runtime.call("DEL", net, attachment, result, PW_SEAM=seam(when, step))
        self.assert_injected(call, when, step)
        if when == "before":
            self.assertEqual(self.traces(), LEFT_BEFORE[step])
        else:
            # The record stays, or else nobody would look again.
            self.assertEqual(self.traces(), set() if step == "del-record" else {"record"})

        self.assert_done(self.runtime.call("DEL", net, attachment, result))
        self.assert_same(self.picture(pod), before)

    def test_first_of_several_errors_is_told(self):
        net = self.network()
        pod, attachment, _ = self.attach(net)
        call = self.runtime.call("DEL", net, attachment,
                                 PW_SEAM=",".join(seam("before", step) for step in DEL_STEPS))
        self.assert_injected(call, "before", DEL_STEPS[0])
        self.assert_done(self.runtime.call("DEL", net, attachment))
        self.assert_nothing_left(pod)

    def test_neighbour_keeps_all_that_it_has(self):
        net = self.network()
        neighbour, other, _ = self.attach(net)
        before = self.picture(neighbour)
        for step in DEL_STEPS:
            with self.subTest(step=step):
                _, attachment, _ = self.attach(net)
                self.runtime.call("DEL", net, attachment, PW_SEAM=seam("before", step))
                self.assert_done(self.runtime.call("DEL", net, attachment))
                self.assert_same(self.picture(neighbour), before)
                self.runtime.check(net, other)


class HalfAStep(FaultCase):
    """The kernel itself refuses the last of a step's messages; those before it are taken back too."""

    def assert_refused(self, code, text, routes=(), pod=None, **keys):
        ips = [{"address": "10.9.0.2/24", "gateway": "10.9.0.1"}, {"address": "fd00:9::2/64", "gateway": "fd00:9::1"}]
        ipam = FakeIpam(self.node, "fixed", ADD=Answer({"ips": ips, "routes": list(routes)}))
        net = conflist(podwire(self.node, {"type": "fixed"}, ipMasq=True, **keys), version="1.1.0", name="fixed")
        pod = pod or self.node.pod()
        _, neighbour, _ = self.attach(self.network())
        before = self.picture(pod)
        self.assert_fails(code, text, self.runtime.add, net, Attachment.of(pod))
        self.assert_same(self.picture(pod), before)
        self.assertEqual([call.command for call in ipam.calls()], ["ADD", "DEL"])
        self.runtime.check(self.network(), neighbour)

    def test_second_host_route(self):
        self.assert_refused(100, ["fd00:9::2", "2001:db8::99"], hostAddress=["192.0.2.10", "2001:db8::99"])

    def test_second_route(self):
        routes = [{"dst": "192.168.0.0/16"}, {"dst": "172.16.0.0/16", "gw": "224.0.0.1"}]
        self.assert_refused(100, ["172.16.0.0/16", "224.0.0.1"], routes=routes, gateway="ipam")

    def test_second_default_route(self):
        pod = self.node.pod()
        pod.ip("link", "add", "other0", "type", "bridge")
        pod.ip("link", "set", "other0", "up")
        pod.ip("-6", "route", "add", "default", "dev", "other0")
        self.assert_refused(101, ["::/0", "other0"], routes=[{"dst": "0.0.0.0/0"}, {"dst": "::/0"}], pod=pod)


class Forwarding(FaultCase):
    """What an ADD switched on stays on, since pods that come next need it; its old value is kept."""

    def test_old_values_are_kept_whatever_follows(self):
        net, attachment = self.network(), Attachment.of(self.node.pod())
        for step in ("forwarding", "record-ready"):
            self.runtime.call("ADD", net, attachment, PW_SEAM=f"{step}:after:{INJECTED}")
            with open(f"{self.node.runtime_dir}/sysctl.lock", encoding="ascii") as file:
                self.assertEqual(file.read(), '{"ipv4/ip_forward":"0","ipv6/conf/all/forwarding":"0"}')
