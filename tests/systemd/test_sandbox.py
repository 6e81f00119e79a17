# SPDX-License-Identifier: GPL-2.0-or-later
"""The agent's tests of tests/e2e, as they are, with the agent in the sandbox of the unit that is shipped."""
import glob
import importlib
import os
import sys
import unittest

import packages
import sandboxed
from harness.case import SOURCE_DIR

sys.path.append(os.path.join(SOURCE_DIR, "tests", "e2e"))
importlib.import_module("agentcase").Agent = sandboxed.Agent
# all but those that measure
SUITES = [importlib.import_module(os.path.basename(path).removesuffix(".py"))
          for path in sorted(glob.glob(os.path.join(SOURCE_DIR, "tests", "e2e", "test_agent*.py")))
          if not path.endswith(("_scale.py", "_full.py"))]


def setUpModule():
    if not os.path.exists(sandboxed.UNIT):
        packages.install(packages.debs("podwire"))
        sandboxed.systemctl("disable", "--now", "podwired.service")


for module in SUITES:
    module.setUpModule = setUpModule


class Sandbox(unittest.TestCase):
    def test_is_what_systemd_calls_ok(self):
        self.assertLess(packages.exposure(), 2.5)


def load_tests(loader, tests, _pattern):
    for suite in SUITES:
        tests.addTests(loader.loadTestsFromModule(suite))
    return tests


if __name__ == "__main__":
    unittest.main()
