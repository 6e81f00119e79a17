#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""guest.py DIRECTORY: run the tests of DIRECTORY/plan, which boot.py wrote, in the kernel under test.

Each test's output goes out as it is; the last line is what all of them come to, with the faults that the
kernel itself told of.
"""
import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from lib import summary  # noqa: E402

SKIPPED = 77
FAULT = re.compile(r"(kernel BUG at|Oops:|general protection fault|WARNING: CPU:|UBSAN:|BUG: KASAN).*")


def run(test):
    """(status, output); None for a status: it was ended."""
    environment = {**os.environ, **test["environment"]}
    with subprocess.Popen(test["command"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, errors="replace", start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=test["timeout"])
            return process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            return None, f"{output}\nended after {test['timeout']:.0f} s\n"


def judge(name, status, output, seconds):
    """As the summary of all tests would: (passed, failed, skipped) cases."""
    element = ElementTree.Element("testcase", name=name, time=str(seconds),
                                  status="run" if status == 0 else "fail")
    if status == SKIPPED:
        ElementTree.SubElement(element, "skipped", message="SKIP_RETURN_CODE=77")
    ElementTree.SubElement(element, "system-out").text = output
    return summary.Test("vm", element).cases


def kernel_faults():
    done = subprocess.run(["dmesg"], capture_output=True, text=True, check=False)
    return [match.group(0) for match in map(FAULT.search, done.stdout.splitlines()) if match]


def main(directory):
    with open(os.path.join(directory, "plan"), encoding="utf-8") as file:
        plan = json.load(file)
    total = [0, 0, 0]
    print(f"Linux {os.uname().release}", flush=True)
    for test in plan:
        begin = time.monotonic()
        status, output = run(test)
        seconds = time.monotonic() - begin
        cases = judge(test["name"], status, output, seconds)
        total = [a + b for a, b in zip(total, cases)]
        counts = f"{cases[0]} passed, {cases[1]} failed, {cases[2]} skipped"
        print(f"== {test['name']}: {counts}, {seconds:.0f} s\n{output}", flush=True)
    for fault in kernel_faults():
        print(f"FAIL: kernel ({fault})")
        total[1] += 1
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
