#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The end of tests/run: what ctest's JUnit files say, in a table.

  summary.py [--leaks FILE]... PRESET=JUNIT...
  summary.py --output PRESET=JUNIT...          only what the tests that passed have printed

The last line is `N passed, N failed` (`, N skipped` where there are any). It counts cases: a ctest test
is a program that holds many, and says how many. Exit status 1 when anything failed or was left behind.
"""
import argparse
import collections
import re
import sys
import xml.etree.ElementTree as ElementTree

ORDER = ("unit", "fuzz", "netns", "e2e", "check", "runtime", "bench", "valgrind", "vm", "cleanroom")
OURS = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)
CMOCKA = re.compile(r"^\[  (PASSED|FAILED|SKIPPED) +\] (?:\w[\w ]*: )?(\d+) test\(s\)", re.M)
FAILED_CASE = re.compile(r"^(?:(?:FAIL|ERROR): (\w+) \(|\[  FAILED  \] (?!.*test\(s\))(\w+))", re.M)
UNITTEST_SKIP = re.compile(r"\.\.\. skipped ['\"](.*)['\"]$", re.M)
# What a C test prints before it skips is its reason.
CMOCKA_SKIP = re.compile(r"^(?:(?!\[)(.+)\n)?\[  SKIPPED \] (\w+)$", re.M)


class Test:
    """One ctest test and the cases that its output tells of."""

    def __init__(self, preset, element):
        self.name = element.get("name")
        self.label = self.name.split(".")[0]
        self.preset = preset
        self.seconds = float(element.get("time") or 0)
        self.output = (element.findtext("system-out") or "").strip()
        skipped = element.find("skipped")
        self.skipped = skipped is not None and skipped.get("message", "").startswith("SKIP_RETURN_CODE")
        # What could not be started is "skipped" to ctest, and a failure to us.
        self.bad = element.get("status") != "run" and not self.skipped
        self.cases = self.count_cases()

    def count_cases(self):
        """(passed, failed, skipped)"""
        found = OURS.findall(self.output)
        if found:
            passed, failed, skipped = (int(number or 0) for number in found[-1])
        else:
            totals = {"PASSED": 0, "FAILED": 0, "SKIPPED": 0}
            for word, number in CMOCKA.findall(self.output):
                totals[word] += int(number)
            passed, failed, skipped = totals["PASSED"], totals["FAILED"], totals["SKIPPED"]
        if self.skipped:
            return 0, 0, max(skipped, 1)
        if self.bad:
            failed = max(failed, 1)
        elif not passed + skipped:
            passed = 1
        return passed, failed, skipped

    def failed_cases(self):
        names = (unittest or cmocka for unittest, cmocka in FAILED_CASE.findall(self.output))
        return list(dict.fromkeys(names))

    def skip_reasons(self):
        """Each reason once, with how many cases it took."""
        reasons = collections.Counter(UNITTEST_SKIP.findall(self.output))
        for reason, name in CMOCKA_SKIP.findall(self.output):
            if reason or not any(key.startswith(f"{name}: ") for key in reasons):
                reasons[f"{name}: {reason or 'no reason given'}"] = 1
        if reasons or not self.skipped:
            return [f"{reason} ({count} cases)" if count > 1 else reason
                    for reason, count in reasons.items()]
        lines = [line for line in self.output.splitlines() if not OURS.match(line)]
        return [lines[-1] if lines else "no reason given"]


def read(argument):
    preset, path = argument.split("=", 1)
    return [Test(preset, element) for element in ElementTree.parse(path).getroot().iter("testcase")]


def table(tests):
    print(f"  {'label':<12}{'tests':>8}{'passed':>10}{'failed':>10}{'skipped':>10}{'seconds':>11}")
    labels = {test.label for test in tests}
    known = [label for label in ORDER if label in labels]
    for label in known + sorted(labels - set(known)):
        group = [test for test in tests if test.label == label]
        sums = [sum(test.cases[i] for test in group) for i in range(3)]
        seconds = sum(test.seconds for test in group)
        print(f"  {label:<12}{len(group):>8}{sums[0]:>10}{sums[1]:>10}{sums[2]:>10}{seconds:>11.1f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--leaks", action="append", default=[])
    parser.add_argument("--output", action="store_true")
    parser.add_argument("results", nargs="*")
    options = parser.parse_args()
    tests = [test for argument in options.results for test in read(argument)]
    if options.output:
        for test in tests:
            if not test.bad:
                print(test.output)
        return 0
    table(tests)

    bad = [test for test in tests if test.bad]
    if bad:
        print("\n  Failed:")
        for test in bad:
            print(f"    {test.name} ({test.preset})")
            for case in test.failed_cases():
                print(f"        {case}")
    reasons = [(test, reason) for test in tests for reason in test.skip_reasons()]
    if reasons:
        print("\n  Skipped:")
        for test, reason in reasons:
            print(f"    {test.name} ({test.preset}): {reason}")
    leaks = [line.rstrip() for path in options.leaks for line in open(path, encoding="utf-8")]
    if leaks:
        print("\n  Left behind, which counts as one failure:")
        for line in leaks:
            print(f"    {line}")

    passed, failed, skipped = (sum(test.cases[i] for test in tests) for i in range(3))
    failed += bool(leaks)
    print(f"\n{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
