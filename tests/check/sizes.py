#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.sizes: functions of at most 60 lines, files of at most 600; warns of nesting above 4."""
import ast
import re
import sys

import csource
import tree

FUNCTION = 60
FILE = 600
NESTING = 4


def nesting(function):
    """How deep the deepest statement stands, and its line. Only lines that begin a statement count."""
    deepest, where, before = 0, function.first, "{"
    top = function.last - function.body.count("\n")
    for number, line in enumerate(function.body.split("\n")):
        words = line.strip()
        if not words:
            continue
        depth = len(line) - len(line.lstrip("\t")) - 1
        if re.search(r"[;{}:]$|^(if|for|while|else|do)\b.*[)e]$", before) and depth > deepest:
            deepest, where = depth, top + number
        before = words
    return deepest, where


def judge_c(name, text):
    for function in csource.functions(text):
        lines = function.last - function.first + 1
        if lines > FUNCTION:
            yield tree.Finding(name, function.first, f"{function.name}() has {lines} lines")
        depth, line = nesting(function)
        if depth > NESTING:
            yield tree.Finding(name, line, f"{function.name}() nests {depth} deep", warning=True)


def judge_python(name, text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = node.end_lineno - node.lineno + 1
            if lines > FUNCTION:
                yield tree.Finding(name, node.lineno, f"{node.name}() has {lines} lines")


def find(files):
    source = set(files.matching(*tree.C))
    python = set(files.python())
    for name in sorted(source | python | set(files.shell())):
        text = files.text(name)
        lines = text.count("\n")
        if lines > FILE:
            yield tree.Finding(name, 1, f"the file has {lines} lines")
        if name in source:
            yield from judge_c(name, text)
        elif name in python:
            yield from judge_python(name, text)


def write_samples(folder):
    (folder / "good-600.h").write_text("extern int n;\n" * 600, encoding="utf-8")
    (folder / "bad-601.h").write_text("/* BAD */\n" + "extern int n;\n" * 600, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(tree.run("sizes", find, make=write_samples))
