# SPDX-License-Identifier: GPL-2.0-or-later
"""STATUS says whether an ADD can be served; and no verb but STATUS ever minds the agent."""
import fcntl
import os

from harness.case import Case, V4, V6, conflist, host_local, podwire
from harness.libcni import PluginError

UNAVAILABLE, LIMITED = 50, 51


class StatusCase(Case):
    def setUp(self):
        super().setUp()
        self.node.uplink()

    def network(self, *subnets, **keys):
        return conflist(podwire(self.node, host_local(self.node, *subnets), **keys), version="1.1.0")

    def hold_agent_lock(self):
        """What a running agent does; let go by the test's end."""
        os.makedirs(self.node.runtime_dir, exist_ok=True)
        file = open(os.path.join(self.node.runtime_dir, "agent.lock"), "w", encoding="ascii")
        self.addCleanup(file.close)
        fcntl.flock(file, fcntl.LOCK_EX)
        return file


class Status(StatusCase):
    def test_node_without_pods_is_ready(self):
        self.runtime.status(self.network())

    def test_node_with_pods_is_ready(self):
        self.attach(self.network())
        self.runtime.status(self.network())

    def test_nothing_is_made_by_asking(self):
        self.runtime.status(self.network())
        self.assertFalse(os.path.exists(os.path.join(self.node.state_dir, "attachments")))
        self.assertEqual(self.node.ifnames(), ["lo", "eth0"])
        self.assertFalse(self.node.forwarding(4))

    def test_forwarding_switched_off_under_pods_limits_them(self):
        for subnets, family in (((V4,), 4), ((V6,), 6)):
            with self.subTest(family=family):
                net = self.network(*subnets)
                _, attachment, _ = self.attach(net)
                self.node.forwarding(family, False)
                self.assert_fails(LIMITED, "forwarding", self.runtime.status, net)
                self.node.forwarding(family, True)
                self.runtime.status(net)
                self.runtime.delete(net, attachment)

    def test_state_directory_that_cannot_be_used(self):
        path = os.path.join(self.node.directory, "a-file")
        with open(path, "w", encoding="ascii"):
            pass
        self.assert_fails(UNAVAILABLE, path, self.runtime.status, self.network(runtimeDir=path))


class Agent(StatusCase):
    def test_agent_that_never_ran_and_is_required(self):
        self.assert_fails(UNAVAILABLE, "agent", self.runtime.status, self.network(requireAgent=True))

    def test_agent_that_runs_and_is_required(self):
        self.hold_agent_lock()
        self.runtime.status(self.network(requireAgent=True))

    def test_agent_that_has_just_gone(self):
        self.hold_agent_lock().close()
        self.runtime.status(self.network(requireAgent=True))

    def test_agent_that_has_been_gone_for_two_minutes(self):
        lock = self.hold_agent_lock()
        lock.close()
        then = os.stat(lock.name).st_mtime - 120
        os.utime(lock.name, (then, then))
        self.assert_fails(UNAVAILABLE, "agent", self.runtime.status, self.network(requireAgent=True))

    def test_agent_that_is_not_required(self):
        self.runtime.status(self.network())

    def test_other_verbs_work_without_the_agent_that_is_required(self):
        net = self.network(requireAgent=True)
        pod, attachment, _ = self.attach(net)
        self.runtime.check(net, attachment)
        self.assertTrue(pod.ping("192.0.2.10"))
        self.runtime.delete(net, attachment)
        self.assert_clean()


class IpamStatus(StatusCase):
    def test_real_host_local_has_no_status_and_that_is_said_once(self):
        net = self.network()
        self.runtime.status(net)
        lines = self.runtime.calls[-1].stderr.decode().splitlines()
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("host-local", lines[0])

    def test_missing_ipam_makes_the_node_unavailable(self):
        net = conflist(podwire(self.node, {"type": "not-there"}), version="1.1.0")
        with self.assertRaises(PluginError) as caught:
            self.runtime.status(net)
        self.assertEqual(caught.exception.code, UNAVAILABLE)
        self.assertIn("not-there", caught.exception.msg)
