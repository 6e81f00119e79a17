#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.layers: who includes and links whom in lib, by the arrows in the comment of lib/CMakeLists.txt.

"a <- b" says that b may use a, and all that a may use. A folder may include itself. lib includes nothing
of the plugin; the plugin may include all of lib. Foreign headers have a place too: only what talks to
the kernel includes libnl, only what handles JSON includes json-c."""
import re
import sys

import csource
import tree

TABLE = "lib/CMakeLists.txt"
# folders that may include a foreign library's headers; the plugin may do so in any file
FOREIGN = {
    "json-c/": {"json", "store"},
    "netlink/": {"netlink", "rtnl", "nft", "conntrack"},
    "linux/netfilter": {"nft", "conntrack"},
}


def arrows(text):
    """{folder: the folders that it may use}, from "a <- b <- {c, d}; {a, c} <- e" in comment lines."""
    comment = " ".join(line.lstrip("# ") for line in text.split("\n") if line.startswith("#"))
    group = r"(?:\{[\w, ]+\}|\w+)"
    allowed = {}
    for chain in re.findall(rf"{group}(?:\s*<-\s*{group})+", comment):
        steps = [re.findall(r"\w+", step) for step in chain.split("<-")]
        for step in steps:
            for folder in step:
                allowed.setdefault(folder, set())
        for below, above in zip(steps, steps[1:]):
            for folder in above:
                allowed[folder].update(below)
    changed = True
    while changed:
        changed = False
        for folder, below in allowed.items():
            more = set().union(*(allowed[one] for one in below)) - below
            below |= more
            changed = changed or bool(more)
    return allowed


def includes(files, name):
    """(line, brackets, path) of each #include."""
    bare = files.text(name)
    comments = csource.code(bare)
    for match in re.finditer(r'^#\s*include\s+([<"])([^>"]+)[>"]', bare, re.M):
        if comments[match.start()] == "#":
            yield csource.line_at(bare, match.start()), match.group(1), match.group(2)


def judge_lib(files, name, allowed):
    folder = name.split("/")[1]
    for line, kind, path in includes(files, name):
        target = path.split("/")[0] if "/" in path else None
        if kind == '"' and not files.has(f"lib/{path}"):
            yield tree.Finding(name, line, f"\"{path}\" isn't in lib: write the path below it")
        elif kind == '"' and target != folder and target not in allowed[folder]:
            yield tree.Finding(name, line, f"lib/{folder} may not use lib/{target} ({TABLE})")
        for prefix, places in FOREIGN.items():
            if kind == "<" and path.startswith(prefix) and folder not in places:
                yield tree.Finding(name, line, f"lib/{folder} may not use <{prefix}...>")


def judge_links(files, folder, allowed):
    """The libraries that a folder links are those that it may use: else the archive order lies."""
    name = f"lib/{folder}/CMakeLists.txt"
    for number, line in enumerate(files.text(name).split("\n"), 1):
        if not line.startswith("target_link_libraries"):
            continue
        for target in re.findall(r"\bpw_(\w+)", line):
            if target != folder and target in allowed and target not in allowed[folder]:
                yield tree.Finding(name, number, f"pw_{folder} may not link pw_{target} ({TABLE})")


def find(files):
    if not files.has(TABLE):
        return
    allowed = arrows(files.text(TABLE))
    folders = {name.split("/")[1] for name in files.matching(*tree.C) if name.startswith("lib/")}
    for folder in sorted(folders - set(allowed)):
        yield tree.Finding(TABLE, 1, f"no arrow says what lib/{folder} may use")
    for name in files.matching(*tree.C):
        if name.startswith("lib/") and name.split("/")[1] in allowed:
            yield from judge_lib(files, name, allowed)
        if name.startswith("plugin/"):
            for line, kind, path in includes(files, name):
                if kind == '"' and not (files.has(f"plugin/{path}") or files.has(f"lib/{path}")):
                    yield tree.Finding(name, line, f"\"{path}\" is neither in plugin nor in lib")
    for folder in sorted(folders & set(allowed)):
        if files.has(f"lib/{folder}/CMakeLists.txt"):
            yield from judge_links(files, folder, allowed)


if __name__ == "__main__":
    sys.exit(tree.run("layers", find))
