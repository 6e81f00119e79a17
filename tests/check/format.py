#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.format: every C file is as clang-format makes it. To mend: clang-format -i FILE."""
import re
import subprocess
import sys

import tree

VERSION = 14  # Debian 12's; another one has other opinions


def formatter():
    """The clang-format of our version, under one of its names."""
    for program in (f"clang-format-{VERSION}", "clang-format"):
        try:
            text = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
        except FileNotFoundError:
            continue
        if re.search(rf"version {VERSION}\.", text.stdout):
            return program
    print(f"clang-format {VERSION} is not installed")
    sys.exit(tree.SKIPPED)


def find(files):
    names = files.matching(*tree.C)
    command = [formatter(), f"--style=file:{tree.ROOT}/.clang-format", "--dry-run", *names]
    result = subprocess.run(command, cwd=files.root, capture_output=True, text=True, check=False)
    places = re.findall(r"^(.+?):(\d+):\d+: warning: code should be clang-formatted", result.stderr, re.M)
    if result.returncode or (result.stderr and not places):
        yield tree.Finding(names[0] if names else ".", 1, result.stderr.strip())
    for name in dict.fromkeys(name for name, _ in places):
        lines = [int(line) for other, line in places if other == name]
        yield tree.Finding(name, lines[0], f"isn't as clang-format makes it (places: {len(lines)})")


if __name__ == "__main__":
    sys.exit(tree.run("format", find))
