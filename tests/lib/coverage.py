#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the counters of a build with --coverage say of lib/ and plugin/.

  coverage.py [--missing] BUILD

An object that never ran has notes (.gcno) and no counters: its lines count as not reached. A line that is
in several objects is reached when one of them reached it.
"""
import argparse
import collections
import json
import os
import subprocess
import sys

OURS = ("lib/", "plugin/")


def notes(build):
    for directory, _, names in os.walk(build):
        yield from (os.path.join(directory, name) for name in names if name.endswith(".gcno"))


def read_counts(build):
    """{file: {line: count}}"""
    counts = collections.defaultdict(collections.Counter)
    result = subprocess.run(["gcov", "--json-format", "--stdout", *sorted(notes(build))], cwd=build,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    for line in result.stdout.splitlines():
        for file in json.loads(line)["files"]:
            if file["file"].startswith(OURS):
                for entry in file["lines"]:
                    counts[file["file"]][entry["line_number"]] += entry["count"]
    return counts


def ranges(numbers):
    """[1, 2, 3, 7] as "1-3 7" """
    parts = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def print_row(name, counters):
    lines = sum(len(counter) for counter in counters)
    reached = sum(1 for counter in counters for count in counter.values() if count)
    print(f"  {name:<16}{lines:>8}{reached:>10}{100 * reached / lines if lines else 100:>9.1f} %")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("build")
    options = parser.parse_args()
    counts = read_counts(options.build)
    if not counts:
        print(f"there are no counters in {options.build}", file=sys.stderr)
        return 1

    if options.missing:
        for name in sorted(counts):
            missing = sorted(line for line, count in counts[name].items() if not count)
            if missing:
                print(f"  {name}: {ranges(missing)}")
        print()
    print(f"  {'folder':<16}{'lines':>8}{'reached':>10}{'share':>11}")
    for folder in sorted({os.path.dirname(name) for name in counts}):
        print_row(folder, [counts[name] for name in counts if os.path.dirname(name) == folder])
    print_row("all", counts.values())
    return 0


if __name__ == "__main__":
    sys.exit(main())
