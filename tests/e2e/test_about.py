# SPDX-License-Identifier: GPL-2.0-or-later
"""A person runs the plugin by hand: it says what it is and which versions it speaks, and leaves with 0."""
import os
import subprocess
import unittest

from harness.case import PODWIRE, PODWIRE_STATIC

VERSIONS = "CNI protocol versions supported: 0.1.0, 0.2.0, 0.3.0, 0.3.1, 0.4.0, 1.0.0, 1.1.0"


class About(unittest.TestCase):
    plugin = PODWIRE

    def setUp(self):
        if not os.path.exists(self.plugin):
            self.skipTest(f"{self.plugin} is not built")

    def run_plugin(self, *arguments, stdin=b"", **environment):
        return subprocess.run([self.plugin, *arguments], input=stdin, capture_output=True, env=environment,
                              timeout=30, check=False)

    def assert_about(self, done):
        self.assertEqual(done.returncode, 0, done)
        self.assertIn(VERSIONS, (done.stdout + done.stderr).decode())
        self.assertIn("podwire", (done.stdout + done.stderr).decode())

    def test_without_a_command(self):
        self.assert_about(self.run_plugin())

    def test_with_an_empty_command(self):
        self.assert_about(self.run_plugin(CNI_COMMAND=""))

    def test_help(self):
        self.assert_about(self.run_plugin("--help"))

    def test_version(self):
        done = self.run_plugin("--version")
        self.assert_about(done)
        self.assertRegex(done.stdout + done.stderr, rb"\b\d+\.\d+\.\d+\b")

    def test_stdin_is_not_waited_for(self):
        reader, writer = os.pipe()
        try:
            done = subprocess.run([self.plugin], stdin=reader, capture_output=True, env={}, timeout=10, check=False)
        finally:
            os.close(reader)
            os.close(writer)
        self.assert_about(done)

    def test_unknown_option_is_an_error(self):
        done = self.run_plugin("--no-such-option")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"--no-such-option", done.stdout + done.stderr)

    def test_closed_standard_streams_are_no_crash(self):
        done = subprocess.run(["sh", "-c", 'exec "$0" <&- >&- 2>&-', self.plugin], env={"CNI_COMMAND": "VERSION"},
                              timeout=30, check=False)
        self.assertGreaterEqual(done.returncode, 0)


class AboutStatic(About):
    plugin = PODWIRE_STATIC


if __name__ == "__main__":
    unittest.main()
