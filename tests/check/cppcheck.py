#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.cppcheck: cppcheck over all C. What it can't know is switched off here, each with its reason."""
import os
import re
import subprocess
import sys

import tree

OFF = {
    # __attribute__((cleanup)) means nothing to it: what a scope releases is a leak, what a scope needs
    # to have a value is set for nothing, what has been given away is cleared for nothing
    "resourceLeak", "memleak", "redundantInitialization", "unreadVariable",
    "constParameter",  # a callback has the signature that its caller wants
    "variableScope",  # declarations stand at the top of a block
    "readdirCalled",  # one thread; and readdir_r() is the one that is deprecated
    "unusedStructMember",  # what goes onto a wire is written and never read
    "varFuncNullUB",  # NULL is a pointer in every libc that we build on
    "leakReturnValNotUsed",  # open() that fills a standard descriptor
    "missingIncludeSystem", "unmatchedSuppression",
    "checkersReport", "normalCheckLevelMaxBranches",
}
FLAGS = ["--quiet", "--std=c11", "--enable=warning,style,performance,portability", "--library=posix,gnu",
         "-D_GNU_SOURCE", '-DPW_VERSION="0"', "-DLIBBPF_OPTS(t,n,...)=struct t n = { __VA_ARGS__ }",
         "-D__GNUC__=12", "-D__x86_64__",
         f"-I{tree.ROOT}/lib", f"-I{tree.ROOT}/plugin", f"-I{tree.ROOT}/agent", f"-I{tree.ROOT}/ctl",
         f"-I{tree.ROOT}/bpf/include", f"-I{tree.ROOT}/tests/harness",
         f"--include={tree.HERE}/loops.h", "--template={file}:{line}:{id}:{message}"]


def find(files):
    tree.need("cppcheck")
    names = [name for name in files.matching("*.c") if not name.endswith(".bpf.c")]
    result = subprocess.run(["cppcheck", f"-j{os.cpu_count()}", *FLAGS, *names], cwd=files.root,
                            capture_output=True, text=True, check=False)
    if result.returncode:
        yield tree.Finding(names[0], 1, (result.stdout + result.stderr).strip())
    for path, line, what, text in re.findall(r"^([^:\n]+):(\d+):(\w+):(.*)$", result.stderr, re.M):
        if what not in OFF:
            yield tree.Finding(os.path.relpath(os.path.join(files.root, path), files.root), int(line),
                               f"{text} [{what}]")


if __name__ == "__main__":
    sys.exit(tree.run("cppcheck", find))
