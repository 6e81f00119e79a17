#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Run one test file: runtests.py FILE [NAME...]; the last line says `N passed, N failed, N skipped`.

Exit status: 0 all passed, 1 something failed, 77 nothing could run here (ctest's SKIP_RETURN_CODE).
"""
import importlib.util
import os
import sys
import unittest

SKIPPED = 77


def load(path):
    tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path[:0] = [os.path.dirname(os.path.abspath(path)), tests]
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def choose(module, names):
    loader = unittest.TestLoader()
    if not names:
        return loader.loadTestsFromModule(module)
    # A word that no class or test is called by picks every test whose name holds it.
    exact = [name for name in names if hasattr(module, name.split(".")[0])]
    loader.testNamePatterns = [f"*{name}*" for name in names if name not in exact] or None
    if exact:
        return loader.loadTestsFromNames(exact, module)
    return loader.loadTestsFromModule(module)


class Result(unittest.TextTestResult):
    """Counts successes itself: a class that is skipped as a whole never enters testsRun."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def main(arguments):
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    if os.geteuid() != 0:
        print("0 passed, 0 failed, 1 skipped")
        print("needs root: it makes network namespaces", file=sys.stderr)
        return SKIPPED
    suite = choose(load(arguments[0]), arguments[1:])
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Result).run(suite)
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    skipped = len(result.skipped)
    print(f"{result.passed} passed, {failed} failed, {skipped} skipped")
    if failed:
        return 1
    return 0 if result.passed else SKIPPED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
