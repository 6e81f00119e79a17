#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.rules: house rules of C that no compiler knows.

- A local with _cleanup_() has a value from its first line: else an early return releases garbage.
- A closed descriptor is -EBADF, never -1, which would pass for -EPERM.
- No goto: what is to be undone is undone by scope.
- No default in a switch over an enum of ours: the compiler names the case that is missing.
- A failure is a negative errno: not -1, not a positive errno, not errno itself.
"""
import re
import sys

import csource
import tree

ERRNO = r"E(?:[A-Z]*[A-Z2]{2}[A-Z]*|IO)"
# returns a positive errno, as the function that it serves does
POSITIVE = {("lib/base/child.c", "settings_fill")}
# where -1 isn't a failure of ours to name
FOREIGN = r"tests/fuzz/"


def uninitialised(name, bare):
    """_cleanup_(f) TYPE a = X, b; is one statement, and each of its names needs a value."""
    for match in re.finditer(r"\b_cleanup_\((\w+)\)([^;{]*(?:\{[^;]*)?);", bare):
        depth, part, parts = 0, "", []
        for char in match.group(2):
            depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(char, 0)
            if char == "," and depth == 0:
                parts.append(part)
                part = ""
            else:
                part += char
        for part in [*parts, part]:
            if "=" not in part:
                yield tree.Finding(name, csource.line_at(bare, match.start()),
                                   f"\"{part.split()[-1]}\" has _cleanup_({match.group(1)}) and no value")


def sentinels(name, bare):
    for match in re.finditer(r"\b(?:_cleanup_\(closep\)\s+int\s+[^;]*?|\.?\w*fds?\b\s*)=\s*-1\b", bare):
        yield tree.Finding(name, csource.line_at(bare, match.end()), "a closed descriptor is -EBADF, not -1")


def gotos(name, bare):
    for match in re.finditer(r"\bgoto\b", bare):
        yield tree.Finding(name, csource.line_at(bare, match.start()), "goto")


def enumerators(files):
    """What the enums that are ours are made of."""
    names = set()
    for name in files.matching(*tree.C):
        for body in re.findall(r"\benum(?:\s+\w+)?\s*\{(.*?)\}", csource.code(files.text(name)), re.S):
            names.update(re.findall(r"^\s*(\w+)\s*(?:=[^,]*)?,", body + ",", re.M))
    return names


def defaults(name, bare, ours):
    """The innermost switch is the one whose brace is open at a case or default."""
    stack = []
    for match in re.finditer(r"\bswitch\s*\(|[{}]|\bcase\s+(\w+)|\bdefault\s*:", bare):
        word = match.group()
        if word.startswith("switch"):
            stack.append({"switch": True, "open": False, "ours": False, "default": None})
        elif word == "{":
            if stack and stack[-1]["switch"] and not stack[-1]["open"]:
                stack[-1]["open"] = True
            else:
                stack.append({"switch": False})
        elif word == "}" and stack:
            top = stack.pop()
            if top["switch"] and top["ours"] and top["default"]:
                yield tree.Finding(name, top["default"], "default in a switch over an enum of ours")
        else:
            inner = next((one for one in reversed(stack) if one["switch"]), None)
            if inner and word.startswith("default"):
                inner["default"] = csource.line_at(bare, match.start())
            elif inner and match.group(1) in ours:
                inner["ours"] = True


def errnos(name, text):
    for function in csource.functions(text):
        if (name, function.name) in POSITIVE or re.match(FOREIGN, name):
            continue
        top = function.last - function.body.count("\n")
        for match in re.finditer(rf"\breturn\s+(-1|errno|{ERRNO})\s*;", function.body):
            yield tree.Finding(name, top + function.body.count("\n", 0, match.start()),
                               f"{function.name}() returns {match.group(1)}, not a negative errno")


def find(files):
    ours = enumerators(files)
    for name in files.matching(*tree.C):
        text = files.text(name)
        bare = csource.code(text)
        yield from uninitialised(name, bare)
        yield from sentinels(name, bare)
        yield from gotos(name, bare)
        yield from defaults(name, bare, ours)
        yield from errnos(name, text)


if __name__ == "__main__":
    sys.exit(tree.run("rules", find))
