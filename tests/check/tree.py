# SPDX-License-Identifier: GPL-2.0-or-later
"""What the checks share: the repository's files, findings, and the samples that test a rule.

A rule is a function that takes a Tree and yields findings. Before it judges the repository it has to
judge its own samples, tests/check/samples/RULE/: a file or a folder is a tree of its own. What begins
with "good" must have no finding. In what begins with "bad" exactly the lines that hold the word BAD must
be found; where none holds it, at least one line must be. mutations.json is a shorter way to bad trees:
{"what": ["FILE", "text in it", "instead"]}, each a change to good/ that the rule has to find.
"""
import argparse
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE / "samples"
ROOT = pathlib.Path(os.environ.get("PW_SOURCE_DIR") or HERE.parent.parent)
BUILD = pathlib.Path(os.environ.get("PW_BUILD_DIR") or ROOT / "build" / "dev")
SKIPPED = 77
NOT_OURS = "tests/check/samples/"  # bad on purpose

C = ("*.c", "*.h")


class Finding(NamedTuple):
    path: str
    line: int
    text: str
    warning: bool = False

    def __str__(self):
        return f"{self.path}:{self.line}: {'warning: ' if self.warning else ''}{self.text}"


def listed(root):
    """Names of the repository's files: what git has or would add; without git, what is there."""
    git = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"],
                         capture_output=True, check=False)
    if git.returncode == 0:
        return git.stdout.decode().split("\0")[:-1]
    return [str(path.relative_to(root)) for path in root.rglob("*")
            if not {".git", "build", "__pycache__"} & set(path.relative_to(root).parts)]


class Tree:
    """A set of files below a root. Names are relative to it, with slashes. What changed holds is read
    instead of the file of that name."""

    def __init__(self, root, names=None, changed=None):
        self.root = root
        self.changed = changed or {}
        names = listed(root) if names is None else names
        self.names = sorted(name for name in names
                            if not name.startswith(NOT_OURS) and (root / name).is_file())

    def text(self, name):
        return self.changed.get(name) or (self.root / name).read_text(encoding="utf-8")

    def has(self, name):
        return (self.root / name).is_file()

    def matching(self, *patterns):
        """Those whose last part matches one of the patterns."""
        return [name for name in self.names
                if any(fnmatch.fnmatch(name.rsplit("/", 1)[-1], pattern) for pattern in patterns)]

    def scripts(self, suffix, interpreter):
        """Scripts of a language: by their suffix, or by their first line."""
        found = self.matching(f"*{suffix}")
        for name in self.names:
            if "." not in name.rsplit("/", 1)[-1]:
                with open(self.root / name, "rb") as file:
                    first = file.readline(200)
                if re.match(rb"#!.*\b(" + interpreter.encode() + rb")\b", first):
                    found.append(name)
        return sorted(found)

    def shell(self):
        return self.scripts(".sh", "bash|sh")

    def python(self):
        return self.scripts(".py", "python3")


def sample_trees(folder):
    """(name, Tree) for each sample."""
    for path in sorted(folder.glob("*")):
        if path.is_dir():
            names = [str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()]
            yield path.name, Tree(path, names)
        elif path.name == "mutations.json":
            yield from mutations(json.loads(path.read_text(encoding="utf-8")), path.parent / "good")
        elif path.name.startswith(("good", "bad")):
            yield path.name, Tree(path.parent, [path.name])


def mutations(table, good):
    names = [str(file.relative_to(good)) for file in good.rglob("*") if file.is_file()]
    for what, (name, old, new) in table.items():
        text = (good / name).read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise ValueError(f"{what}: {name} holds the text {text.count(old)} times, not once")
        yield f"bad: {what}", Tree(good, names, {name: text.replace(old, new)})


def marked(tree):
    """Places that say of themselves that they are bad."""
    places = set()
    for name in tree.names:
        text = (tree.root / name).read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.split("\n"), 1):
            if re.search(r"\bBAD\b", line):
                places.add((name, number))
    return places


def judge_sample(name, tree, find):
    """What is wrong with the rule, as it judges this sample; None if nothing is."""
    found = {(finding.path, finding.line) for finding in find(tree)}
    want = marked(tree)
    if name.startswith("good"):
        if found:
            return f"finds {sorted(found)}, and should find nothing"
    elif want and found != want:
        return f"finds {sorted(found)}, and should find {sorted(want)}"
    elif not found:
        return "finds nothing"
    return None


def need(*programs):
    """Ends the check as skipped where a program isn't installed."""
    for program in programs:
        if not shutil.which(program):
            print(f"{program} is not installed")
            sys.exit(SKIPPED)


def samples(rule, make):
    yield from sample_trees(SAMPLES / rule)
    if make:
        with tempfile.TemporaryDirectory() as folder:
            make(pathlib.Path(folder))
            yield from sample_trees(pathlib.Path(folder))


def run(rule, find, whole=None, make=None):
    """Judges the samples, and then the repository (or what whole() judges); returns the exit status.

    make(folder) writes samples that can't stand in the repository themselves."""
    options = argparse.ArgumentParser(description=f"check.{rule}")
    options.add_argument("--only-samples", action="store_true")
    options.add_argument("file", nargs="*", help="judge these files instead of the whole repository")
    arguments = options.parse_args()
    passed = failed = 0

    for name, files in samples(rule, make):
        wrong = judge_sample(name, files, find)
        passed, failed = passed + (not wrong), failed + bool(wrong)
        if wrong:
            print(f"sample {rule}/{name}: the rule {wrong}")
    if not passed + failed:
        print(f"{rule} has no samples: who tests the rule?")
        failed += 1
    if not arguments.only_samples:
        names = [str(pathlib.Path(file).resolve().relative_to(ROOT)) for file in arguments.file]
        findings = sorted(whole() if whole else find(Tree(ROOT, names or None)))
        for finding in findings:
            print(finding)
        clean = all(finding.warning for finding in findings)
        passed, failed = passed + clean, failed + (not clean)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
