#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.tidy: clang-tidy over all that the build compiles, by the list in .clang-tidy.

lib and plugin get the analyzer as well, which takes nine tenths of the time; tests get most of the rest.
What was clean and has not changed, with all that it includes, isn't judged again: marks of that are in the
build tree."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

import tree

VERSION = "14"
CACHE = tree.BUILD / "tidy"
CONFIG = tree.ROOT / ".clang-tidy"
PROMISES = tree.HERE / "analyzer.h"
DEFINES_THEM = "lib/base/error.c"
# how far the analyzer follows a function: a third of its default, in less than half of the time
BUDGET = [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", "max-nodes=75000")]
# in tests: the analyzer (ASan runs them), results that nobody needs, tables with texts of several lines
LENIENT = "-clang-analyzer-*,-cert-err33-c,-bugprone-suspicious-missing-comma"
ROOTS = ("lib", "plugin", "agent", "ctl", "bpf/include", "tests/harness")
SAMPLE_FLAGS = ["-std=gnu17", "-D_GNU_SOURCE", "-Wall", "-Wextra", f"-I{tree.ROOT}/lib"]


def tidy():
    tree.need("clang-tidy")
    text = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout
    if not re.search(rf"version {VERSION}\.", text):
        print(f"clang-tidy {VERSION} is not installed")
        sys.exit(tree.SKIPPED)


def options(name):
    chosen = ["--quiet", f"--config-file={CONFIG}", f"--extra-arg=-include{PROMISES}", *BUDGET]
    if name == DEFINES_THEM:
        chosen.append("--extra-arg=-DANALYZER_DEFINES_THEM")
    if name.startswith("tests/"):
        chosen += [f"--checks={LENIENT}", "--extra-arg=-Wno-string-concatenation"]
    return chosen


def judge(root, name, chosen, tail):
    """(findings, what it printed) of one file."""
    result = subprocess.run(["clang-tidy", *chosen, str(root / name), *tail], cwd=root, capture_output=True,
                            text=True, check=False)
    findings = []
    for path, line, text in re.findall(r"^(/.+?):(\d+):\d+: (?:warning|error): (.*)", result.stdout, re.M):
        place = os.path.relpath(os.path.normpath(path), root)
        findings.append(tree.Finding(place, int(line), text))
    if result.returncode and not findings:
        findings.append(tree.Finding(name, 1, (result.stdout + result.stderr).strip()[-500:]))
    return findings


def inputs(path, seen):
    """The file and what it includes by quotes from lib, plugin, tests or its own folder."""
    if path in seen or not path.is_file():
        return seen
    seen.add(path)
    for include in re.findall(r'^#\s*include\s+"([^"]+)"', path.read_text(encoding="utf-8"), re.M):
        for place in (path.parent, *(tree.ROOT / one for one in ROOTS)):
            inputs(place / include, seen)
    return seen


def key(name, command):
    digest = hashlib.sha256(repr((VERSION, command, options(name))).encode())
    for path in (CONFIG, PROMISES, pathlib.Path(__file__), *sorted(inputs(tree.ROOT / name, set()))):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def judge_cached(name, command):
    mark = CACHE / key(name, command)
    if mark.exists():
        mark.touch()
        return []
    findings = judge(tree.ROOT, name, options(name), ["-p", str(tree.BUILD)])
    if not findings:
        mark.touch()
    return findings


def sample(files):
    tidy()
    for name in files.matching("*.c"):
        yield from judge(files.root, name, options(name), ["--", *SAMPLE_FLAGS])


def compiled():
    """{name: command} of what the build compiles of ours."""
    database = tree.BUILD / "compile_commands.json"
    commands = {}
    for entry in json.loads(database.read_text(encoding="utf-8")):
        path = pathlib.Path(entry["directory"], entry["file"])
        if path.is_relative_to(tree.ROOT) and not path.is_relative_to(tree.BUILD) and path.is_file():
            commands.setdefault(str(path.relative_to(tree.ROOT)), entry["command"])
    return commands


def whole():
    tidy()
    CACHE.mkdir(exist_ok=True)
    commands = compiled()
    # the longest first, so that no single one is left for the end
    order = sorted(commands, key=lambda name: -(tree.ROOT / name).stat().st_size)
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        found = set()
        for findings in pool.map(lambda name: judge_cached(name, commands[name]), order):
            found.update(findings)  # one in a header is told by each that includes it
    newest = sorted(CACHE.iterdir(), key=lambda mark: -mark.stat().st_mtime)
    for old in newest[4 * len(commands):]:
        old.unlink()
    return found


if __name__ == "__main__":
    sys.exit(tree.run("tidy", sample, whole))
