# SPDX-License-Identifier: GPL-2.0-or-later
"""deploy/quickstart, as a person uses it: to the end, kept up and removed, interrupted, refused."""
import glob
import os
import re
import signal
import subprocess
import tempfile
import unittest

from harness.case import SOURCE_DIR

QUICKSTART = os.path.join(SOURCE_DIR, "deploy", "quickstart")
COMMANDS = (QUICKSTART, os.path.join(SOURCE_DIR, "tests", "run"))


def leftovers():
    """Namespaces and files of any quickstart. tests/run gives us a /run of our own."""
    return glob.glob("/run/netns/podwire-*") + glob.glob("/run/podwire-quickstart.*")


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          stdin=subprocess.DEVNULL, timeout=120, check=False, **options)


class Quickstart(unittest.TestCase):
    def setUp(self):
        if leftovers():
            self.skipTest("a quickstart is up on this system: deploy/quickstart --remove")

    def test_two_pods_talk_and_nothing_is_left(self):
        done = run(QUICKSTART)
        self.assertEqual(done.returncode, 0, done.stdout)
        # Only what names a file may be longer than a terminal's line.
        wide = [line for line in done.stdout.splitlines() if len(line) > 80 and "/" not in line]
        self.assertEqual(wide, [])
        self.assertNotIn("\x1b", done.stdout)
        for line in ("ADD    pod-a", "CHECK  pod-b", "ping pod-a -> world", "TCP  pod-a -> pod-b",
                     "UDP  pod-b -> pod-a", "DEL    pod-b", "no link of a pod on the node"):
            self.assertIn(f"  ok     {line}", done.stdout)
        for part in ("Inside pod-a", "169.254.1.1 at ", "podwire demo/pod-b", '"hostIfname": "vethpw',
                     '"cniVersion"', "table inet podwire"):
            self.assertIn(part, done.stdout)
        self.assertEqual(leftovers(), [])

    def test_kept_pods_answer_until_they_are_removed(self):
        kept = run(QUICKSTART, "--keep")
        self.addCleanup(run, QUICKSTART, "--remove")
        self.assertEqual(kept.returncode, 0, kept.stdout)
        enter = re.search(r"nsenter --net=/run/netns/podwire-\w+-pod-a ", kept.stdout).group().split()
        address = re.search(r"eth0 .* (10\.244\.1\.\d+)$", kept.stdout, re.M).group(1)
        self.assertEqual(run(*enter, "ping", "-c", "1", address).returncode, 0)
        self.assertIn("deploy/quickstart --remove", kept.stdout)
        removed = run(QUICKSTART, "--remove")
        self.assertEqual(removed.returncode, 0, removed.stdout)
        self.assertEqual(leftovers(), [])
        self.assertIn("nothing to remove", run(QUICKSTART, "--remove").stdout)

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
        for line in ("network namespaces", "10-podwire.conflist", "ADD    pod-a", "ping pod-b",
                     "TCP"):
            with self.subTest(after=line):
                process = subprocess.Popen([QUICKSTART], stdout=subprocess.PIPE, text=True,
                                           stderr=subprocess.STDOUT, start_new_session=True)
                rest = self.interrupt(process, line)
                self.assertEqual(process.wait(timeout=60), 130, rest)
                self.assertNotIn("FAILED", rest)
                self.assertEqual(leftovers(), [])

    def test_a_reader_that_goes_away_leaves_nothing(self):
        process = subprocess.Popen([QUICKSTART], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for _ in range(12):
            process.stdout.readline()
        process.stdout.close()
        self.assertNotEqual(process.wait(timeout=60), 0)
        self.assertEqual(leftovers(), [])


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
