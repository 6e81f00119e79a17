# SPDX-License-Identifier: GPL-2.0-or-later
"""What of others' is on a device is seen, said and left alone; and who takes our programs off is not fought."""
import ctypes
import errno
import json
import os
import shutil
import socket
import subprocess
import unittest

from agentcase import AgentCase, filters
from harness import traffic
from harness.netns import inside
from harness.resources import HarnessError, wait_until
from harness.seccomp import BPF_LINK_CREATE, refuse_bpf

SEEN = 7  # without tcx the agent gives others five seconds
CHECKED = 15  # it looks at its own each ten seconds
VERDICTS = {"xdp": 2, "classifier": 0, "tcx": -1}  # of others' programs: XDP_PASS, TC_ACT_OK, TC_ACT_UNSPEC
RTNLGRP_TC = 4
OUR_PRIORITY = 0x7077
SYS_BPF, BPF_OBJ_GET, BPF_PROG_GET_FD_BY_ID = 321, 7, 13
TCX_INGRESS, TCX_EGRESS = 46, 47
_libc = ctypes.CDLL(None, use_errno=True)


def bpf(command, words):
    """bpf(2) by its words of 32 bits, little-endian; a file descriptor."""
    attr = (ctypes.c_uint32 * 32)(*words)
    fd = _libc.syscall(SYS_BPF, command, attr, ctypes.sizeof(attr))
    if fd < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return fd


class ForeignCase(AgentCase):
    def setUp(self):
        super().setUp()
        self.clang = shutil.which("clang") or shutil.which("clang-14")
        if not self.clang:
            self.skipTest("needs clang, for the BPF programs of others'")
        self.wire.ip("route", "add", "10.1.0.0/24", "via", "192.0.2.10")
        self.wire.ip("-6", "route", "add", "fd00:1::/64", "via", "2001:db8::10")

    def program(self, section):
        """An object file with a program that lets all pass."""
        path = os.path.join(self.node.directory, f"{section}.o")
        text = (f'__attribute__((section("{section}"), used)) '
                f'int theirs(void *context) {{ return {VERDICTS[section]}; }}')
        subprocess.run([self.clang, "-target", "bpf", "-O2", "-g", "-x", "c", "-c", "-", "-o", path], input=text,
                       text=True, check=True)
        return path

    def two_pods(self):
        self.pod, _, result, self.name = self.wired()
        self.sources = self.addresses(result)
        self.other, _, result, self.other_name = self.wired()
        self.targets = self.addresses(result)
        self.ifindex = self.node.link(self.name)["ifindex"]

    def assert_pods_talk(self):
        for source, target, outside in zip(self.sources, self.targets, ("192.0.2.1", "2001:db8::1")):
            self.assertEqual(traffic.tcp_echo(self.pod, self.other, target, source=source), source)
            self.assertEqual(traffic.tcp_echo(self.other, self.pod, source, source=target), target)
            self.assertEqual(traffic.tcp_echo(self.pod, self.wire, outside, source=source), source)

    def said(self, ifname):
        return (self.agent.device if ifname == "eth0" else self.agent.attachment)(ifname) or {}

    def wait_said(self, ifname, deadline=SEEN, **wanted):
        try:
            wait_until(lambda: wanted.items() <= self.said(ifname).items(), deadline, f"{ifname} with {wanted}")
        except HarnessError as error:
            raise self.failureException(f"{error}; it is {self.said(ifname)}: {self.agent.log()}") from None

    def all_heard(self):
        """The agent has read each event that was there before: they come in order, and a pod's link is one."""
        self.wired()

    def tc(self, *arguments, check=True):
        return self.node.run("tc", *arguments, check=check).stdout

    def add_clsact(self, ifname):
        """As others do, to whom it's the same who was first."""
        self.tc("qdisc", "replace", "dev", ifname, "clsact")

    def need_tcx(self, why):
        if not self.agent.has_tcx():
            self.skipTest(f"needs tcx: {why}")

    def has_qdisc(self, ifname, kind):
        return f"qdisc {kind} " in self.tc("qdisc", "show", "dev", ifname)

    def add_filter(self, *where):
        """One that takes all there is and lets it through; not each kernel has matchall."""
        self.tc("filter", "add", *where, "bpf", "da", "obj", self.program("classifier"), "sec", "classifier")

    def filters(self, ifname, side):
        """Others': without tcx ours are back as soon as theirs are gone."""
        shown = self.tc("filter", "show", "dev", ifname, side, check=False).splitlines()
        return [line for line in shown if f" pref {OUR_PRIORITY} " not in line]

    def xdp_program(self, ifname):
        return self.node.link(ifname).get("xdp", {}).get("prog", {}).get("id")

    # Our own

    def pin(self, program, ifindex=None):
        return os.path.join(self.agent.bpffs.path, "podwire", "layout-1", "links",
                            f"{ifindex or self.ifindex}-{program}")

    def link_id(self, program):
        done = subprocess.run(["bpftool", "-j", "link", "show", "pinned", self.pin(program)],
                              capture_output=True, text=True, check=False)
        found = json.loads(done.stdout or "{}") if done.returncode == 0 else {}
        return (found[0] if isinstance(found, list) else found).get("id")

    def link_ids(self):
        return [self.link_id(program) for program in ("from_pod", "to_pod")]

    def detach(self, program):
        subprocess.run(["bpftool", "link", "detach", "pinned", self.pin(program)], check=True)

    def assert_counted(self):
        """Both of our programs see what a pod sends and gets."""
        before = self.agent.statistics(self.name)
        self.assertTrue(self.pod.ping("192.0.2.10", self.sources[0], count=3))
        after = self.agent.statistics(self.name)
        for key in ("in-packets", "out-packets"):
            self.assertGreaterEqual(after[key] - before[key], 3, key)


class LeftAlone(ForeignCase):
    def setUp(self):
        super().setUp()
        self.agent.start()
        self.two_pods()

    def assert_left_alone(self, ifname, detail, there, put_on, take_off):
        """Through all of the agent's life. `there` says what identifies theirs: it stays the same."""
        self.wait_said(ifname, State="ready", PathReason="learning", PathDetail="")
        put_on()
        theirs = there()
        self.assertTrue(theirs)
        wanted = {"State": "ready", "Path": "kernel", "PathReason": "foreign", "PathDetail": detail(theirs)}
        self.wait_said(ifname, **wanted)
        self.assert_pods_talk()
        for end in (self.agent.stop, self.agent.kill):
            end()
            self.assertEqual(there(), theirs)
            self.agent.start()
            self.wait_said(ifname, **wanted)
            self.assertEqual(there(), theirs)
            self.assert_pods_talk()
        self.agent.stop()
        self.agent.uninstall()
        self.assertEqual(there(), theirs)
        self.assert_pods_talk()
        self.agent.start()
        self.wait_said(ifname, **wanted)
        self.assertEqual(self.said(self.other_name)["PathReason"], "learning")
        take_off()
        self.assertFalse(there())
        self.wait_said(ifname, State="ready", PathReason="learning", PathDetail="")
        self.assert_pods_talk()
        self.assert_counted()

    def xdp_left_alone(self, ifname, mode):
        self.assert_left_alone(
            ifname, "xdp program {}".format, lambda: self.xdp_program(ifname),
            lambda: self.node.ip("link", "set", "dev", ifname, mode, "obj", self.program("xdp"), "sec", "xdp"),
            lambda: self.node.ip("link", "set", "dev", ifname, mode, "off"))

    def test_generic_xdp_program_on_an_uplink(self):
        self.xdp_left_alone("eth0", "xdpgeneric")

    def test_native_xdp_program_on_an_uplink(self):
        self.xdp_left_alone("eth0", "xdpdrv")

    def test_generic_xdp_program_on_a_pods_host_end(self):
        self.xdp_left_alone(self.name, "xdpgeneric")

    def filter_left_alone(self, ifname, side):
        self.add_clsact(ifname)
        self.assert_left_alone(
            ifname, lambda _: f"filter on {side}", lambda: self.filters(ifname, side),
            lambda: self.add_filter("dev", ifname, side),
            lambda: self.tc("filter", "del", "dev", ifname, side))
        self.assertTrue(self.has_qdisc(ifname, "clsact"))

    def test_filter_on_what_a_pod_sends(self):
        self.filter_left_alone(self.name, "ingress")

    def test_filter_on_what_a_pod_gets(self):
        self.filter_left_alone(self.name, "egress")

    def test_filter_on_an_uplink(self):
        self.filter_left_alone("eth0", "ingress")

    def test_filter_in_a_block_that_devices_share(self):
        self.assert_left_alone(
            self.name, lambda _: "filter on ingress", lambda: self.tc("filter", "show", "block", "7", check=False),
            self.add_shared_block, self.del_shared_block)

    def add_shared_block(self):
        if not self.agent.has_tcx():  # one that is there gets no block any more
            self.tc("qdisc", "del", "dev", self.name, "clsact")
        self.tc("qdisc", "add", "dev", "lo", "ingress_block", "7", "clsact")
        self.add_filter("block", "7")
        self.tc("qdisc", "add", "dev", self.name, "ingress_block", "7", "clsact")

    def del_shared_block(self):
        for ifname in (self.name, "lo"):
            self.tc("qdisc", "del", "dev", ifname, "clsact")

    def qdisc_left_alone(self, ifname, kind, *arguments):
        self.assert_left_alone(
            ifname, lambda _: f"qdisc {kind}", lambda: self.has_qdisc(ifname, kind),
            lambda: self.tc("qdisc", "add", "dev", ifname, *arguments),
            lambda: self.tc("qdisc", "del", "dev", ifname, arguments[0]))

    def test_shaping_of_a_pod(self):
        self.qdisc_left_alone(self.name, "tbf", "root", "tbf", "rate", "1gbit", "burst", "1mb", "latency", "50ms")

    def test_shaping_of_an_uplink(self):
        self.qdisc_left_alone("eth0", "tbf", "root", "tbf", "rate", "1gbit", "burst", "1mb", "latency", "50ms")

    def test_filter_of_an_ingress_qdisc(self):
        """The bandwidth plugin's, for what a pod sends."""
        self.need_tcx("a clsact qdisc of ours leaves no room for an ingress one that comes later")
        self.tc("qdisc", "add", "dev", self.name, "ingress")
        self.assert_left_alone(
            self.name, lambda _: "filter on ingress", lambda: self.filters(self.name, "ingress"),
            lambda: self.add_filter("dev", self.name, "ingress"),
            lambda: self.tc("qdisc", "del", "dev", self.name, "ingress"))

    def test_to_look_is_not_heard_by_others(self):
        """A request for a qdisc goes to all who listen to qdiscs, the agent itself among them."""
        self.tc("qdisc", "add", "dev", self.name, "root", "tbf", "rate", "1gbit", "burst", "1mb", "latency", "50ms")
        self.add_clsact(self.name)
        self.wait_said(self.name, PathReason="foreign", PathDetail="qdisc tbf")
        with self.node.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as listener:
            listener.bind((0, 1 << (RTNLGRP_TC - 1)))
            listener.setblocking(False)
            self.agent.stop()
            self.agent.start()
            self.wait_said(self.name, PathReason="foreign", PathDetail="qdisc tbf")
            with self.assertRaises(BlockingIOError):
                listener.recv(65536)

    def test_tc_program_by_tcx(self):
        """No event tells of it: the check each ten seconds sees it."""
        self.need_tcx("theirs is put on by it")
        link = None

        def put_on():
            nonlocal link
            link = self.attach_tcx(self.name)

        self.addCleanup(lambda: link is None or os.close(link))
        put_on()
        self.wait_said(self.name, CHECKED, PathReason="foreign", PathDetail="tc program on ingress")
        self.assert_pods_talk()
        self.agent.stop()
        self.agent.uninstall()
        self.agent.start()
        self.wait_said(self.name, PathReason="foreign", PathDetail="tc program on ingress")
        self.assert_pods_talk()
        os.close(link)
        link = None
        self.wait_said(self.name, CHECKED, PathReason="learning", PathDetail="")
        self.assert_counted()

    def attach_tcx(self, ifname):
        pin = os.path.join(self.agent.bpffs.path, "theirs")
        subprocess.run(["bpftool", "prog", "load", self.program("tcx"), pin, "type", "classifier"], check=True)
        path = ctypes.create_string_buffer(pin.encode())
        address = ctypes.addressof(path)
        program = bpf(BPF_OBJ_GET, [address & 0xFFFFFFFF, address >> 32])
        try:
            with inside(self.node.path):
                return bpf(BPF_LINK_CREATE, [program, self.node.link(ifname)["ifindex"], TCX_INGRESS])
        finally:
            os.close(program)

    def test_what_failed_is_tried_again(self):
        """The kernel takes no program twice on a device: here, until whoever else has ours there lets go."""
        self.need_tcx("what is in the way is a link")
        info = subprocess.run(["bpftool", "-j", "link", "show", "pinned", self.pin("to_pod")], capture_output=True,
                              text=True, check=True).stdout
        program = bpf(BPF_PROG_GET_FD_BY_ID, [json.loads(info)["prog_id"]])
        self.addCleanup(os.close, program)
        record = os.path.join(self.node.state_dir, "attachments", f"{self.name}.json")
        os.rename(record, f"{record}.aside")
        self.wait_said(self.name, State="no-record")
        with inside(self.node.path):
            link = bpf(BPF_LINK_CREATE, [program, self.ifindex, TCX_EGRESS])
        try:
            os.rename(f"{record}.aside", record)
            self.wait_said(self.name, State="failed", Path="kernel", PathReason="kernel", SourceCheck="kernel")
            self.assert_pods_talk()
        finally:
            os.close(link)
        self.wait_said(self.name, CHECKED, State="ready", PathReason="learning", PathDetail="")
        self.assert_counted()

    def test_several_at_once_and_the_first_is_named(self):
        self.add_clsact(self.name)
        self.add_filter("dev", self.name, "egress")
        self.wait_said(self.name, PathReason="foreign", PathDetail="filter on egress")
        self.tc("qdisc", "add", "dev", self.name, "root", "tbf", "rate", "1gbit", "burst", "1mb", "latency", "50ms")
        self.wait_said(self.name, PathReason="foreign", PathDetail="qdisc tbf")
        self.tc("qdisc", "del", "dev", self.name, "root")
        self.wait_said(self.name, PathReason="foreign", PathDetail="filter on egress")
        self.tc("qdisc", "del", "dev", self.name, "clsact")
        self.wait_said(self.name, PathReason="learning", PathDetail="")
        self.assert_counted()

    def test_what_is_not_foreign(self):
        """A clsact qdisc without a filter, and queues that devices have by themselves."""
        self.all_heard()
        links, logged = self.link_ids(), self.agent.log()
        self.add_clsact(self.name)
        for kind in ("pfifo", "bfifo", "fq_codel", "fq"):  # not each kernel has the last two
            self.tc("qdisc", "replace", "dev", self.name, "root", kind, check=kind.endswith("fifo"))
        self.all_heard()
        self.assertEqual(self.said(self.name)["PathReason"], "learning")
        self.assertEqual(self.link_ids(), links)
        self.assertEqual(self.agent.log(), logged)


class WithoutTcx(ForeignCase):
    """A kernel before 6.6: our programs are filters there, of a qdisc that others use too."""

    def setUp(self):
        super().setUp()
        self.agent.prepare = refuse_bpf(errno.EINVAL, BPF_LINK_CREATE)
        self.agent.start()
        self.assertFalse(self.agent.has_tcx())

    def ours(self):
        return [filters(self.node, self.name, side) for side in ("ingress", "egress")]

    def wait_left_off(self):
        self.wait_said(self.name, CHECKED, State="ready", Path="kernel", PathReason="detached",
                       SourceCheck="kernel", PathDetail="somebody took our programs off, twice")
        self.assertEqual(self.ours(), [[], []])

    def put_on_again(self, take_off):
        """Each time that somebody does; the second time is the last."""
        take_off()
        self.assert_pods_talk()
        wait_until(lambda: "putting them on again" in self.agent.log(), CHECKED, "a word in the log")
        wait_until(lambda: all(self.ours()), what="our filters")
        self.wait_said(self.name, State="ready", PathReason="learning", SourceCheck="bpf")
        self.assert_counted()
        take_off()
        self.wait_left_off()
        self.assert_pods_talk()

    def test_filter_that_is_taken_off_is_put_on_again_once(self):
        self.two_pods()
        self.put_on_again(lambda: self.tc("filter", "del", "dev", self.name, "ingress"))
        self.assertFalse(self.has_qdisc(self.name, "clsact"))

    def test_qdisc_that_is_taken_off_is_put_on_again_once(self):
        self.two_pods()
        self.put_on_again(lambda: self.tc("qdisc", "del", "dev", self.name, "clsact"))

    def test_chained_plugins_qdisc_comes_first(self):
        """It has a new pod's device to itself for a moment, and ours would leave no room for it."""
        self.pod, _, result = self.attach(self.network())
        self.name, self.sources = self.host_ifname(result), self.addresses(result)
        self.tc("qdisc", "add", "dev", self.name, "ingress")
        self.wait_said(self.name, State="ready", PathReason="foreign", PathDetail="qdisc ingress")
        self.add_filter("dev", self.name, "ingress")
        theirs = filters(self.node, self.name, "ingress")
        self.wait_said(self.name, State="ready", PathReason="foreign", PathDetail="filter on ingress")
        self.agent.stop()
        self.agent.start()
        self.wait_said(self.name, State="ready", PathReason="foreign", PathDetail="filter on ingress")
        self.assertEqual(filters(self.node, self.name, "ingress"), theirs)
        self.tc("qdisc", "del", "dev", self.name, "ingress")
        self.wait_said(self.name, State="ready", PathReason="learning", PathDetail="")
        self.assert_counted()

    def test_a_pod_is_served_however_many_come_after_it(self):
        self.pod, _, result = self.attach(self.network())
        self.name, self.sources = self.host_ifname(result), self.addresses(result)

        def another_comes_and_goes():
            _, attachment, _ = self.attach(self.network())
            self.runtime.delete(self.network(), attachment)
            return self.said(self.name).get("State") == "ready"
        wait_until(another_comes_and_goes, SEEN, "a pod that is ready")
        self.assert_counted()

    def test_filters_of_a_device_that_is_no_port_any_more_go_at_the_start(self):
        self.two_pods()
        self.agent.stop()
        os.unlink(os.path.join(self.node.state_dir, "attachments", f"{self.name}.json"))
        self.assertTrue(all(self.ours()))
        self.agent.start()
        self.wait_said(self.name, State="no-record", PathReason="record")
        self.assertEqual(self.ours(), [[], []])
        self.assertFalse(self.has_qdisc(self.name, "clsact"))
        self.assertTrue(self.has_qdisc(self.other_name, "clsact"))

    def test_qdisc_of_somebody_elses_stays_at_uninstall_and_ours_goes(self):
        self.agent.stop()
        self.agent.uninstall()
        self.add_clsact("eth0")
        self.agent.start()
        self.two_pods()
        self.agent.stop()
        self.agent.uninstall()
        self.assertTrue(self.has_qdisc("eth0", "clsact"))
        for ifname in (self.name, self.other_name):
            self.assertFalse(self.has_qdisc(ifname, "clsact"))
        self.assert_pods_talk()


class NativeXdp(ForeignCase):
    """The agent has an XDP program of its own for the uplink."""

    config = {"uplinkXdp": "native"}

    def test_another_program_keeps_its_place_and_ours_comes_when_it_goes(self):
        self.node.ip("link", "set", "dev", "eth0", "xdpdrv", "obj", self.program("xdp"), "sec", "xdp")
        theirs = self.xdp_program("eth0")
        self.agent.start()
        self.two_pods()
        self.wait_said("eth0", PathReason="foreign", PathDetail=f"xdp program {theirs}")
        self.assertEqual(self.xdp_program("eth0"), theirs)
        self.assert_pods_talk()
        self.node.ip("link", "set", "dev", "eth0", "xdpdrv", "off")
        self.wait_said("eth0", PathReason="learning", PathDetail="")
        wait_until(lambda: self.xdp_program("eth0"), what="our XDP program")
        self.assertNotEqual(self.xdp_program("eth0"), theirs)
        self.assert_pods_talk()
        self.agent.stop()
        self.agent.start()
        self.wait_said("eth0", PathReason="learning", PathDetail="")
        self.agent.stop()
        self.agent.uninstall()
        wait_until(lambda: not self.xdp_program("eth0"), what="no XDP program")

    def test_ours_cannot_be_displaced_by_another(self):
        self.agent.start()
        self.two_pods()
        wait_until(lambda: self.xdp_program("eth0"), what="our XDP program")
        ours = self.xdp_program("eth0")
        done = self.node.ip("link", "set", "dev", "eth0", "xdpdrv", "obj", self.program("xdp"), "sec", "xdp",
                            check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.xdp_program("eth0"), ours)
        self.assert_pods_talk()


class TakenOff(ForeignCase):
    def setUp(self):
        super().setUp()
        self.agent.start()
        self.need_tcx("there are no links to detach without it")
        self.two_pods()

    def wait_on_again(self, before):
        wait_until(lambda: all(self.link_ids()) and self.link_ids() != before, CHECKED, "our programs")
        self.wait_said(self.name, State="ready", PathReason="learning", SourceCheck="bpf")
        self.assert_counted()

    def take_off_twice(self, *hooks):
        before = self.link_ids()
        for hook in hooks:
            self.detach(hook)
        self.assert_pods_talk()
        self.wait_on_again(before)
        self.assertIn("putting them on again", self.agent.log())
        for hook in hooks:
            self.detach(hook)
        self.wait_left_off(CHECKED)

    def wait_left_off(self, deadline=SEEN):
        self.wait_said(self.name, deadline, State="ready", Path="kernel", PathReason="detached",
                       SourceCheck="kernel", PathDetail="somebody took our programs off, twice")
        self.assertEqual(self.link_ids(), [None, None])

    def assert_source_checked_by_the_kernel(self):
        self.pod.ip("address", "add", "10.1.0.200/32", "dev", "eth0")
        self.assertFalse(self.pod.ping("192.0.2.10", "10.1.0.200", deadline=1))

    def test_put_on_once_and_the_second_time_left_off(self):
        self.take_off_twice("from_pod", "to_pod")
        self.assert_pods_talk()
        self.assert_source_checked_by_the_kernel()
        self.assertEqual(self.said(self.other_name)["SourceCheck"], "bpf")

    def test_one_of_both_is_as_all(self):
        self.take_off_twice("to_pod")
        self.assert_pods_talk()
        self.assert_source_checked_by_the_kernel()

    def test_left_off_whatever_else_happens_until_a_new_agent_tries_again(self):
        self.take_off_twice("from_pod")
        happens = {
            "its MTU": lambda: self.node.ip("link", "set", self.name, "mtu", "1400"),
            "somebody's qdisc": lambda: self.tc("qdisc", "add", "dev", self.name, "root", "tbf", "rate", "1gbit",
                                                "burst", "1mb", "latency", "50ms"),
            "and its end": lambda: self.tc("qdisc", "del", "dev", self.name, "root"),
        }
        for what, happen in happens.items():
            with self.subTest(what=what):
                happen()
                self.all_heard()
                self.wait_left_off()
        self.agent.stop()
        self.agent.start()
        self.wait_on_again([None, None])
        self.assert_pods_talk()

    def test_the_rest_of_ours_is_never_taken_for_anothers(self):
        before = self.link_ids()
        self.detach("from_pod")
        self.add_clsact(self.name)
        self.all_heard()
        self.assertNotEqual(self.said(self.name)["PathReason"], "foreign", self.said(self.name))
        self.wait_on_again(before)

    def test_one_taken_off_while_the_agent_was_away(self):
        before = self.link_ids()
        self.agent.stop()
        self.detach("from_pod")
        self.assert_pods_talk()
        self.agent.start()
        self.wait_on_again(before)
        self.assertEqual(self.said(self.name)["PathDetail"], "")

    def test_ours_of_before_a_record_was_lost_are_not_anothers(self):
        record = os.path.join(self.node.state_dir, "attachments", f"{self.name}.json")
        self.agent.stop()
        os.rename(record, f"{self.node.directory}/kept")
        self.agent.start()
        self.wait_said(self.name, State="no-record", PathReason="record")
        os.rename(f"{self.node.directory}/kept", record)
        self.wait_said(self.name, State="ready", PathReason="learning", PathDetail="")
        self.assert_counted()

    def test_clsact_that_goes_does_not_take_our_links_along(self):
        links = self.link_ids()
        for ifname in (self.name, "eth0"):
            self.add_clsact(ifname)
            self.add_filter("dev", ifname, "ingress")
            self.wait_said(ifname, PathReason="foreign")
            self.tc("qdisc", "del", "dev", ifname, "clsact")
            self.wait_said(ifname, PathReason="learning", PathDetail="")
        self.assert_pods_talk()
        self.assert_counted()
        self.assertEqual(self.link_ids(), links)
        self.agent.stop()
        self.agent.start()
        self.wait_said(self.name, PathReason="learning", SourceCheck="bpf")
        self.assertEqual(self.link_ids(), links)
        self.assertNotIn("took our programs off", self.agent.log())

    def test_spoofing_is_dropped_while_theirs_let_all_through(self):
        """Their TC_ACT_OK comes after our check."""
        self.add_clsact(self.name)
        self.add_filter("dev", self.name, "ingress")
        self.wait_said(self.name, PathReason="foreign", SourceCheck="bpf")
        self.node.sysctl(f"net/ipv4/conf/{self.name}/rp_filter", 0)
        self.pod.ip("address", "add", "10.1.0.200/32", "dev", "eth0")
        before = self.agent.statistics(self.name)["in-spoofed"]
        with self.pod.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.bind(("10.1.0.200", 0))
            for _ in range(5):
                sender.sendto(b"x", ("192.0.2.10", 9))
        self.assertEqual(self.agent.statistics(self.name)["in-spoofed"] - before, 5)


if __name__ == "__main__":
    unittest.main()
