# SPDX-License-Identifier: GPL-2.0-or-later
"""IPAM plugins that fail, die, talk nonsense, hang or have no address left, in ADD, in its undoing and in DEL."""
import os
import shlex

from faults import Commits, FaultCase, HOST_LOCAL, seam, slow_host_local
from harness.case import conflist, host_local, podwire
from harness.fakeipam import Behaviour, Die, Exec, Fail, Gate, Hang, Print
from harness.libcni import Attachment


class PrintThen(Behaviour):
    """Prints, and goes on."""

    def __init__(self, stdout, then):
        self.stdout, self.then = stdout, then

    def script(self, ipam, verb):
        return f"printf %s {shlex.quote(self.stdout)}\n{self.then}"


class IpamFails(FaultCase):
    """The IPAM plugin has taken an address and then lets us down: its DEL is called, nothing stays."""

    def assert_add_fails(self, behaviour, code, *texts, version="1.0.0"):
        ipam = slow_host_local(self.node, ADD=behaviour)
        ipam.clear()
        net, pod = self.network("slow", version=version), self.node.pod()
        attachment = Attachment.of(pod)
        before = self.picture(pod)
        error = self.assert_fails(code, texts, self.runtime.add, net, attachment)
        self.assert_same(self.picture(pod), before)
        self.assertEqual([call.command for call in ipam.calls()], ["ADD", "DEL"])
        add, delete = ipam.calls()
        for name in ("CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME", "CNI_ARGS", "CNI_PATH"):
            self.assertEqual(add.environment[name], delete.environment[name])
        self.assertEqual(add.stdin, delete.stdin)

        ipam.set(ADD=Exec(HOST_LOCAL), DEL=Exec(HOST_LOCAL))
        self.runtime.add(net, attachment)
        self.runtime.delete(net, attachment)
        self.assert_same(self.picture(pod), before)
        return error

    def test_error_of_its_own_is_passed_on(self):
        error = self.assert_add_fails(Commits(Fail(117, "the pool is on fire", "bring water")), 117,
                                      "the pool is on fire")
        self.assertEqual((error.msg, error.details), ("the pool is on fire", "bring water"))

    def test_failure_without_an_error_object(self):
        for behaviour in (Print("", 3), Print("Segmentation fault", 3), Print('{"code": "x"}', 3)):
            with self.subTest(stdout=behaviour.stdout):
                self.assert_add_fails(Commits(behaviour), 102, "slow", "exit status 3")

    def test_killed(self):
        self.assert_add_fails(Commits(Die(9)), 102, "slow", "signal 9")

    def test_crash(self):
        self.assert_add_fails(Commits(Die(11)), 102, "slow", "signal 11")

    def test_garbage_and_a_good_exit_status(self):
        for text in ("", "garbage", '{"cniVersion": "1.0.0", "ips": [{"addr', "[]", "null", '"10.1.0.2/24"', "\0\1\2",
                     '{"cniVersion": "1.0.0", "ips": []}', '{"cniVersion": "1.0.0", "ips": [{"address": "10.1.0.2"}]}',
                     '{"cniVersion": "1.0.0", "ips": [{"address": "10.1.0.2/24"}]} {}'):
            with self.subTest(text=text):
                self.assert_add_fails(Commits(Print(text)), 102, "IPAM")

    def test_result_and_then_a_failure(self):
        """By then most of the pod is wired."""
        good = '{"cniVersion": "1.0.0", "ips": [{"address": "10.1.0.2/24"}]}'
        for behaviour, text in ((Print(good, 3), "exit status 3"),
                                (PrintThen(good, "kill -9 $$"), "signal 9"),
                                (PrintThen(good, "sleep 0.2; echo more"), "not JSON")):
            with self.subTest(text=text):
                self.assert_add_fails(Commits(behaviour), 102, text)

    def test_far_too_much_output(self):
        self.assert_add_fails(Commits(Print("x" * 5_000_000)), 102, "slow", "4194304")

    def test_noise_on_stderr_is_passed_through_and_blocks_nobody(self):
        noise = "x" * 300_000
        slow_host_local(self.node, ADD=Commits(Fail(11, "later", stderr=noise)))
        call = self.runtime.call("ADD", self.network("slow"), Attachment.of(self.node.pod()))
        self.assertEqual((call.json["code"], call.stderr.decode()), (11, noise))
        self.assert_nothing_left()

    def test_not_in_cni_path(self):
        net, pod = self.network("nowhere"), self.node.pod()
        before = self.picture(pod)
        self.assert_fails(102, ["nowhere", self.node.bin_dir], self.runtime.add, net, Attachment.of(pod))
        self.assert_same(self.picture(pod), before)

    def test_answer_to_version_that_is_no_end(self):
        # A 1.1.0 network asks for VERSION first; the plugin must end its child and nobody else.
        ipam = slow_host_local(self.node, VERSION=Print("x" * 9_000_000))
        net, pod = self.network("slow", version="1.1.0"), self.node.pod()
        before = self.picture(pod)
        self.assert_fails(102, "4194304", self.runtime.add, net, Attachment.of(pod))
        # What IPAM was never asked to do, it need not undo; but that can't be known for sure.
        self.assertEqual([call for call in ipam.calls() if call.command == "ADD"], [])
        ipam.set(**{verb: Exec(HOST_LOCAL) for verb in ("ADD", "DEL", "CHECK")})
        self.assert_done(self.runtime.call("DEL", net, Attachment.of(pod)))
        self.assert_same(self.picture(pod), before)


class IpamFailsInUndo(FaultCase):
    def test_first_error_is_told_and_a_del_completes(self):
        for behaviour in (Fail(11, "store is busy"), Die(9), Print("garbage", 1)):
            with self.subTest(behaviour=behaviour.__class__.__name__):
                ipam = slow_host_local(self.node, DEL=behaviour)
                ipam.clear()
                net, pod = self.network("slow"), self.node.pod()
                before = self.picture(pod)
                call = self.runtime.call("ADD", net, Attachment.of(pod), PW_SEAM=seam("before", "host-route"))
                self.assert_injected(call, "before", "host-route")
                self.assertEqual(len(ipam.calls("DEL")), 1)
                # The address is still taken, and the record says whose it is.
                self.assertEqual(len(self.node.records()), 1)
                self.assertEqual(self.node.host_ends(), [])
                ipam.set(DEL=Exec(HOST_LOCAL))
                self.assert_done(self.runtime.call("DEL", net, Attachment.of(pod)))
                self.assert_same(self.picture(pod), before)

    def test_undo_waits_for_an_ipam_that_is_still_at_it(self):
        gate = Gate(self.node.directory)
        ipam = slow_host_local(self.node, ADD=Hang(gate, Exec(HOST_LOCAL)))
        net, pod = self.network("slow"), self.node.pod()
        before = self.picture(pod)
        running = self.runtime.start("ADD", net, Attachment.of(pod), PW_SEAM=seam("after", "link"))
        gate.wait()
        self.assertEqual(ipam.calls("DEL"), [])
        gate.release()
        self.assert_injected(running.wait(), "after", "link")
        self.assertEqual([call.command for call in ipam.calls()], ["ADD", "DEL"])
        self.assert_same(self.picture(pod), before)


class IpamFailsInDel(FaultCase):
    def attach_slowly(self, version="1.0.0"):
        ipam = slow_host_local(self.node)
        net, pod = self.network("slow", version=version), self.node.pod()
        before = self.picture(pod)
        _, attachment, _ = self.attach(net, pod)
        return ipam, net, pod, attachment, before

    def assert_rest_is_gone(self):
        self.assertEqual(self.node.host_ends(), [])
        self.assertIsNone(self.node.nft_table("podwire"))
        self.assertEqual(len(self.node.records()), 1, "nobody would try again")

    def test_its_error_is_told_after_the_rest_is_done(self):
        for behaviour, code, text in ((Fail(11, "store is busy"), 11, "store is busy"), (Die(9), 102, "signal 9"),
                                      (Print("garbage", 1), 102, "exit status 1")):
            with self.subTest(text=text):
                ipam, net, pod, attachment, before = self.attach_slowly()
                ipam.set(DEL=behaviour)
                self.assert_fails(code, text, self.runtime.delete, net, attachment)
                self.assert_rest_is_gone()
                ipam.set(DEL=Exec(HOST_LOCAL))
                self.runtime.delete(net, attachment)
                self.assert_same(self.picture(pod), before)

    def test_what_a_successful_del_prints_is_nobodys_business(self):
        ipam, net, pod, attachment, before = self.attach_slowly()
        ipam.set(DEL=Commits(Print("garbage")))
        self.assert_done(self.runtime.call("DEL", net, attachment))
        self.assert_same(self.picture(pod), before)

    def test_ipam_that_is_gone(self):
        ipam, net, pod, attachment, before = self.attach_slowly()
        os.rename(ipam.path, ipam.path + ".gone")
        self.assert_fails(102, ["slow", "CNI_PATH"], self.runtime.delete, net, attachment)
        self.assert_rest_is_gone()
        os.rename(ipam.path + ".gone", ipam.path)
        self.runtime.delete(net, attachment)
        self.assert_same(self.picture(pod), before)

    def test_version_fails_and_then_works(self):
        for behaviour in (Print("x" * 9_000_000), Hang(Gate(self.node.directory), Print("x" * 9_000_000))):
            with self.subTest(behaviour=behaviour.__class__.__name__):
                ipam, net, pod, attachment, before = self.attach_slowly("1.1.0")
                ipam.set(VERSION=behaviour, DEL=Exec(HOST_LOCAL))
                running = self.runtime.start("DEL", net, attachment)
                if isinstance(behaviour, Hang):
                    behaviour.gate.wait().release()
                call = running.wait()
                self.assertEqual((call.status, call.json["code"]), (1, 102), repr(call))
                self.assert_rest_is_gone()
                ipam.set(DEL=Exec(HOST_LOCAL))
                self.runtime.delete(net, attachment)
                self.assert_same(self.picture(pod), before)


class LastAddress(FaultCase):
    def test_second_pod_gets_the_error_and_the_first_keeps_its_address(self):
        one = {"subnet": "10.1.0.0/24", "rangeStart": "10.1.0.9", "rangeEnd": "10.1.0.9"}
        net = conflist(podwire(self.node, host_local(self.node, one), ipMasq=True))
        first, attachment, _ = self.attach(net)
        second = self.node.pod()
        before = self.picture(first, second)
        for _ in range(3):
            self.assert_fails(999, "no IP addresses available", self.runtime.add, net, Attachment.of(second))
            self.assert_same(self.picture(first, second), before)
        self.runtime.check(net, attachment)
        self.runtime.delete(net, attachment)
        _, other, result = self.attach(net, second)
        self.assertEqual([ip["address"] for ip in result["ips"]], ["10.1.0.9/24"])
        self.runtime.delete(net, other)
        self.assert_nothing_left(second)

    def test_second_family_is_exhausted(self):
        # host-local has taken the first family's address when it finds none of the second.
        none = {"subnet": "fd00:1::/64", "rangeStart": "fd00:1::9", "rangeEnd": "fd00:1::9"}
        net = conflist(podwire(self.node, host_local(self.node, "10.1.0.0/24", none), ipMasq=True))
        first, attachment, _ = self.attach(net)
        second = self.node.pod()
        before = self.picture(first, second)
        self.assert_fails(999, "no IP addresses available", self.runtime.add, net, Attachment.of(second))
        self.assert_same(self.picture(first, second), before)
        self.runtime.check(net, attachment)


class LinkFirst(FaultCase):
    """dhcp sends through the link, so it is started when that is up, and not before."""

    def setUp(self):
        super().setUp()
        self.net, self.pod = self.network("dhcp"), self.node.pod()
        self.before = self.picture(self.pod)

    def test_no_lease(self):
        ipam = slow_host_local(self.node, "dhcp", ADD=Commits(Fail(11, "no lease")))
        self.assert_fails(11, "no lease", self.runtime.add, self.net, Attachment.of(self.pod))
        self.assert_same(self.picture(self.pod), self.before)
        self.assertEqual([call.command for call in ipam.calls()], ["ADD", "DEL"])

    def test_link_fails_and_it_is_never_asked(self):
        ipam = slow_host_local(self.node, "dhcp")
        call = self.runtime.call("ADD", self.net, Attachment.of(self.pod), PW_SEAM=seam("before", "link"))
        self.assert_injected(call, "before", "link")
        self.assertEqual(ipam.calls(), [])
        self.assert_same(self.picture(self.pod), self.before)

    def test_killed_while_it_asks(self):
        gate = Gate(self.node.directory)
        slow_host_local(self.node, "dhcp", ADD=Hang(gate, Exec(HOST_LOCAL)))
        running = self.runtime.start("ADD", self.net, Attachment.of(self.pod))
        gate.wait()
        self.assertIn("LOWER_UP", self.pod.link("eth0")["flags"])
        running.kill()
        self.assert_killed(running.wait())
        delete = self.runtime.start("DEL", self.net, Attachment.of(self.pod))
        self.wait_until_blocked(delete)
        gate.release()
        self.assert_done(delete.wait())
        self.assert_same(self.picture(self.pod), self.before)
