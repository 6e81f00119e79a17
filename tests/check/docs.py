#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.docs: what documents say of the source is so.

A code span that is a path of the repository, and a link to a file, is one that exists. The tables of steps in
docs/architecture.md are those in the code, in its order."""
import os
import re
import sys

import tree

ARCHITECTURE = "docs/architecture.md"
PLACES = ("lib", "plugin", "agent", "bpf", "deploy", "docs", "tests", "cmake")
STEPS = {"ADD, step by step": "plugin/verb_add.c", "Taking down": "plugin/teardown.c"}


def exists(files, path):
    path = os.path.normpath(path)
    return path in files.names or any(name.startswith(f"{path}/") for name in files.names)


def judge_paths(files, name):
    for number, line in enumerate(files.text(name).split("\n"), 1):
        for path in re.findall(rf"`((?:{'|'.join(PLACES)})/[\w./-]*)`", line):
            if not exists(files, path):
                yield tree.Finding(name, number, f"there is no {path}")
        for path in re.findall(r"\]\((?!\w+:|#)([^)#]+)(?:#[^)]*)?\)", line):
            if not exists(files, os.path.join(os.path.dirname(name), path)):
                yield tree.Finding(name, number, f"there is no {path}")


def steps_of(text):
    """Names in the tables of steps of a file, in their order."""
    return re.findall(r'\{ "([a-z0-9-]+)", \w+ \}', text)


def judge_steps(files):
    text = files.text(ARCHITECTURE)
    for title, source in STEPS.items():
        section = re.search(rf"^## {title}$(.*?)(?=^## |\Z)", text, re.M | re.S)
        line = text.count("\n", 0, section.start()) + 1 if section else 1
        told = re.findall(r"^\| `([a-z0-9-]+)` \|", section.group(1), re.M) if section else []
        steps = steps_of(files.text(source))
        if not steps:
            yield tree.Finding(ARCHITECTURE, line, f"found no steps in {source}: mend this check")
        elif told != steps:
            yield tree.Finding(ARCHITECTURE, line, f"has the steps {told}, {source} {steps}")


def find(files):
    for name in files.matching("*.md"):
        yield from judge_paths(files, name)
    if files.has(ARCHITECTURE):
        yield from judge_steps(files)


if __name__ == "__main__":
    sys.exit(tree.run("docs", find))
