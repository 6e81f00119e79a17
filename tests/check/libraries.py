#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.libraries: what the linked plugin needs at run time, and how it is hardened, by readelf.

The plugin goes to nodes: each library that it needs is one that every node must have. Judged are
$PODWIRE and, where the build has it, $PODWIRE_STATIC."""
import os
import re
import subprocess
import sys

import tree

NEEDED = re.compile(r"lib(json-c|nl-3|nl-route-3|c)\.so\.\d+")
SANITIZER = re.compile(r"lib(asan|ubsan)\.so\.\d+")  # of the dev preset only


def needed(text):
    return re.findall(r"\(NEEDED\)\s+Shared library: \[(.+?)\]", text)


def judge(text, static=False):
    """What is wrong with an executable, from `readelf -dlW` of it."""
    sanitized = any(SANITIZER.fullmatch(name) for name in needed(text))
    for name in needed(text):
        if not NEEDED.fullmatch(name) and not (SANITIZER.fullmatch(name) and not static):
            yield f"needs {name}"
    if static:
        if re.search(r"^\s+INTERP\s", text, re.M):
            yield "has a program interpreter"
        if needed(text):
            yield "is not static"
    elif not re.search(r"\(FLAGS_1\).*\bPIE\b", text):
        yield "is not position independent"
    elif not re.search(r"\(FLAGS(_1)?\).*\b(BIND_)?NOW\b", text):
        yield "binds its symbols late"
    if not re.search(r"^\s+GNU_STACK\s.*\sRW\s", text, re.M):
        yield "has an executable stack"
    if not sanitized and not re.search(r"^\s+GNU_RELRO\s", text, re.M):
        yield "has no read-only relocations"
    if re.search(r"\((RPATH|RUNPATH)\)", text):
        yield "looks for libraries in a path of its own"


def find(files):
    """Samples are what readelf says of a product."""
    for name in files.names:
        for fault in judge(files.text(name), static="static" in name):
            yield tree.Finding(name, 1, fault)


def judge_products():
    tree.need("readelf")
    paths = [(os.environ.get("PODWIRE") or "", False), (os.environ.get("PODWIRE_STATIC") or "", True)]
    paths = [(path, static) for path, static in paths if os.path.exists(path)]
    if not paths:
        yield tree.Finding("plugin", 1, "there is no product to judge: build first")
    for path, static in paths:
        text = subprocess.run(["readelf", "-dlW", path], capture_output=True, text=True, check=True).stdout
        for fault in judge(text, static):
            yield tree.Finding(path, 1, fault)


if __name__ == "__main__":
    sys.exit(tree.run("libraries", find, judge_products))
