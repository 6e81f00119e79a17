#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every unit test once more under valgrind; ctest says which there are."""
import json
import os
import subprocess
import sys

VALGRIND = ["valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full",
            "--errors-for-leak-kinds=definite,indirect"]


def unit_tests(build):
    listing = subprocess.run(["ctest", "--show-only=json-v1", "-L", "^unit$"], cwd=build, check=True,
                             capture_output=True, text=True).stdout
    return [(test["name"], test["command"]) for test in json.loads(listing)["tests"]
            if os.path.dirname(test["command"][0]).startswith(build)]


def main():
    tests = unit_tests(os.environ["PW_BUILD_DIR"])
    failed = 0
    for name, command in tests:
        done = subprocess.run(VALGRIND + command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", check=False)
        if done.returncode:
            failed += 1
            print(f"FAIL: {name} (exit status {done.returncode})\n{done.stdout}")
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed or not tests else 0


sys.exit(main())
