# SPDX-License-Identifier: GPL-2.0-or-later
"""deploy/quickstart, as a person uses it: to the end, kept up and removed, interrupted, refused."""
import errno
import glob
import os
import re
import signal
import subprocess
import tempfile
import unittest

from harness.case import SOURCE_DIR
from harness.seccomp import refuse_bpf

QUICKSTART = os.path.join(SOURCE_DIR, "deploy", "quickstart")
COMMANDS = (QUICKSTART, os.path.join(SOURCE_DIR, "tests", "run"))
DEMONS = {"podwired", "dbus-daemon"}


def words_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            return file.read().split("\0")
    except OSError:
        return [""]


def daemons():
    """{pid: name} of any quickstart's."""
    return {int(pid): os.path.basename(words[0])
            for pid, words in ((pid, words_of(pid)) for pid in os.listdir("/proc") if pid.isdigit())
            if os.path.basename(words[0]) in DEMONS and "/run/podwire-quickstart." in " ".join(words)}


def leftovers():
    """Namespaces, files, mounts and processes of any quickstart. tests/run gives us a /run of our own."""
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        mounts = [line.split()[4] for line in file if "/podwire-quickstart." in line]
    return (glob.glob("/run/netns/podwire-*") + glob.glob("/run/podwire-quickstart.*") + mounts
            + [f"{pid} {name}" for pid, name in daemons().items()])


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          stdin=subprocess.DEVNULL, timeout=120, check=False, **options)


class QuickstartCase(unittest.TestCase):
    def setUp(self):
        if leftovers():
            self.skipTest("a quickstart is up on this system: deploy/quickstart --remove")

    def in_front(self, name, text):
        """An environment in which another program stands before the one of that name."""
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        path = os.path.join(directory.name, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
        return {**os.environ, "PATH": f"{directory.name}:{os.environ['PATH']}"}

    def start(self, **options):
        return subprocess.Popen([QUICKSTART], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                start_new_session=True, **options)


class Quickstart(QuickstartCase):
    def test_two_pods_talk_and_nothing_is_left(self):
        done = run(QUICKSTART)
        self.assertEqual(done.returncode, 0, done.stdout)
        # Only what names a file may be longer than a terminal's line.
        wide = [line for line in done.stdout.splitlines() if len(line) > 80 and "/" not in line]
        self.assertEqual(wide, [])
        self.assertNotIn("\x1b", done.stdout)
        for line in ("podwired is ready", "ADD    pod-a", "CHECK  pod-b", "ping pod-a -> world",
                     "TCP  pod-a -> pod-b", "UDP  pod-b -> pod-a", "kill -9 podwired", "podwired is back",
                     "what was counted went on", "DEL    pod-b", "podwired --uninstall",
                     "no link of a pod on the node", "no map, program or link of the agent", "no process",
                     "no mount"):
            self.assertIn(f"  ok     {line}", done.stdout)
        for part in ("Inside pod-a", "169.254.1.1 at ", "podwire demo/pod-b", '"hostIfname": "vethpw',
                     '"cniVersion"', "table inet podwire", "/org/podwire1/device/uplink"):
            self.assertIn(part, done.stdout)
        self.assertRegex(done.stdout, r"State +ready\n.*\n.*\n +SourceCheck +bpf\n")
        self.assertRegex(done.stdout, r"all the while  \d+ sent, 0 lost\n")
        # the agent has counted what a pod sent
        transferred = int(re.search(r"Gbit/s, (\d+) MB", done.stdout).group(1)) * 1_000_000
        before, after = (int(number.replace(",", "")) for number in
                         re.search(r"in-bytes +([\d,]+) +([\d,]+)\n", done.stdout).groups())
        self.assertGreater(after - before, transferred)
        self.assertEqual(leftovers(), [])

    def test_kept_pods_answer_until_they_are_removed(self):
        kept = run(QUICKSTART, "--keep")
        self.addCleanup(run, QUICKSTART, "--remove")
        self.assertEqual(kept.returncode, 0, kept.stdout)
        enter = re.search(r"nsenter --net=/run/netns/podwire-\w+-pod-a ", kept.stdout).group().split()
        address = re.search(r"eth0 .* (10\.244\.1\.\d+)$", kept.stdout, re.M).group(1)
        self.assertEqual(run(*enter, "ping", "-c", "1", address).returncode, 0)
        self.assertEqual(set(daemons().values()), DEMONS)
        # what it says of the agent, word for word
        bus, *commands = re.search(r"  ask the agent:\n((?: {4}.*\n)+)", kept.stdout).group(1).split("\n")
        environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": bus.split("=", 1)[1]}
        for command in commands[:2]:
            asked = run(*command.split(), env=environment)
            self.assertEqual(asked.returncode, 0, asked.stdout)
        self.assertIn(".GetStatistics ", asked.stdout)
        self.assertIn("deploy/quickstart --remove", kept.stdout)
        removed = run(QUICKSTART, "--remove")
        self.assertEqual(removed.returncode, 0, removed.stdout)
        self.assertEqual(leftovers(), [])
        self.assertIn("nothing to remove", run(QUICKSTART, "--remove").stdout)

    def test_a_dead_agent_and_a_shell_in_its_directory_do_not_keep_it(self):
        kept = run(QUICKSTART, "--keep")
        self.addCleanup(run, QUICKSTART, "--remove")
        self.assertEqual(kept.returncode, 0, kept.stdout)
        for pid in daemons():
            os.kill(pid, signal.SIGKILL)
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE,
                              cwd=glob.glob("/run/podwire-quickstart.*/bpf")[0]):
            removed = run(QUICKSTART, "--remove")
        self.assertEqual(removed.returncode, 0, removed.stdout)
        self.assertIn("  ok     podwired --uninstall", removed.stdout)
        self.assertEqual(leftovers(), [])

    def interrupt(self, process, after):
        """Ctrl-C once that line is there; returns what came from then on. As a person would, it presses
        again while nothing happens: bash loses an interrupt that comes as it collects a child."""
        rest = ""
        for text in process.stdout:
            if rest or after in text:
                rest += text
            if rest and "Removing everything" not in rest:
                os.killpg(process.pid, signal.SIGINT)
        process.stdout.close()
        return rest

    def test_interrupted_anywhere_it_leaves_nothing(self):
        for line in ("network namespaces", "10-podwire.conflist", "a bpf file system", "a bus of its own",
                     "podwired is ready", "ADD    pod-a", "ping pod-b", "TCP", "kill -9"):
            with self.subTest(after=line):
                process = self.start()
                rest = self.interrupt(process, line)
                self.assertEqual(process.wait(timeout=60), 130, rest)
                self.assertNotIn("FAILED", rest)
                self.assertEqual(leftovers(), [])

    def test_a_reader_that_goes_away_leaves_nothing(self):
        for lines in (12, 24):
            process = subprocess.Popen([QUICKSTART], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            for _ in range(lines):
                process.stdout.readline()
            process.stdout.close()
            self.assertNotEqual(process.wait(timeout=60), 0)
            self.assertEqual(leftovers(), [])


class AgentThatCannotRun(QuickstartCase):
    """Where BPF is not to be had, the pods are shown without; an agent that fails is a failure."""

    def assert_shown_without_it(self, done, why):
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("The agent can not run here:", done.stdout)
        self.assertRegex(done.stdout, why)
        for line in ("ADD    pod-a", "TCP  pod-a -> pod-b", "DEL    pod-b", "no process", "no mount"):
            self.assertIn(f"  ok     {line}", done.stdout)
        self.assertNotIn("FAILED", done.stdout)
        self.assertNotIn("D-Bus", done.stdout)
        self.assertEqual(leftovers(), [])

    def test_no_bpf_file_system(self):
        environment = self.in_front("mount", 'case "$*" in *"-t bpf"*) echo "mount: no bpf for you" >&2; exit 32;; '
                                    'esac\nexec /usr/bin/mount "$@"')
        self.assert_shown_without_it(run(QUICKSTART, env=environment), "no bpf for you")

    def test_a_kernel_without_bpf(self):
        self.assert_shown_without_it(run(QUICKSTART, preexec_fn=refuse_bpf(errno.ENOSYS)),
                                     "cannot .*: Function not implemented")

    def test_kept_where_bpf_is_forbidden(self):
        kept = run(QUICKSTART, "--keep", preexec_fn=refuse_bpf(errno.EPERM))
        self.addCleanup(run, QUICKSTART, "--remove")
        self.assertEqual(kept.returncode, 0, kept.stdout)
        self.assertRegex(kept.stdout, "The agent can not run here:\n.*cannot .*: Operation not permitted")
        self.assertNotIn("busctl", kept.stdout)
        removed = run(QUICKSTART, "--remove")
        self.assertEqual(removed.returncode, 0, removed.stdout)
        self.assertEqual(leftovers(), [])

    def assert_failed(self, status, output):
        self.assertEqual(status, 1, output)
        self.assertIn("The quickstart failed.", output)
        self.assertEqual(leftovers(), [])

    def test_an_agent_that_fails(self):
        done = run(QUICKSTART, preexec_fn=refuse_bpf(errno.EINVAL))
        self.assertRegex(done.stdout, "  FAILED podwired  .*: Invalid argument")
        self.assert_failed(done.returncode, done.stdout)

    def test_a_bus_that_fails(self):
        done = run(QUICKSTART, env=self.in_front("dbus-daemon", "echo no bus for you >&2\nexit 1"))
        self.assertIn("  FAILED a bus of its own  no bus for you", done.stdout)
        self.assert_failed(done.returncode, done.stdout)

    def test_an_agent_that_dies_on_the_way(self):
        process, output = self.start(), ""
        for text in process.stdout:
            output += text
            if "podwired is ready" in text:
                os.kill(int(re.search(r"pid (\d+)", text).group(1)), signal.SIGKILL)
        process.stdout.close()
        self.assert_failed(process.wait(timeout=60), output)


class Refusals(unittest.TestCase):
    def test_without_root_it_says_so(self):
        for command in COMMANDS:
            # Nobody, who still may read the repository; a user namespace can't be made in a chroot.
            done = run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                       "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search", command)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("must run as root", done.stdout)

    def test_another_distribution_gets_the_list(self):
        with tempfile.NamedTemporaryFile("w", suffix=".os-release") as release:
            release.write('ID=other\nVERSION_ID=1\nPRETTY_NAME="Another Linux"\n')
            release.flush()
            for command in COMMANDS:
                done = run("unshare", "--mount", "sh", "-c",
                           'mount --bind "$1" /etc/os-release && exec "$2"', "sh", release.name, command)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn("Another Linux", done.stdout)
                self.assertIn(" libnl-route-3-dev ", done.stdout)

    def test_options_that_are_none(self):
        for command in COMMANDS:
            done = run(command, "--no-such-option")
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("usage:", done.stdout)
            self.assertEqual(run(command, "--help").returncode, 0)
