#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.banned: who may print, exit, read the environment or change namespaces.

lib fills in errors and leaves the rest to who called it. (Functions that nobody may call are poisoned in
lib/base/banned.h, for the compiler to find.)"""
import re
import sys

import csource
import tree

PRINTING = r"(?:v?f?printf|v?dprintf|f?puts|f?putc|putchar|perror|psignal|v?warnx?|v?errx?)\s*\("
LOGGING = r"(?:v?syslog|openlog|sd_journal_\w+)\s*\("
ENDING = r"(?:_?exit|_Exit|quick_exit|atexit)\s*\("
ENVIRONMENT = r"(?:secure_)?getenv\s*\(|(?:set|put|unset|clear)env\s*\(|environ\b"

# (what it is, pattern, where it is judged, where it is allowed all the same)
RULES = (
    ("prints", rf"\b{PRINTING}|\b(?:stdout|stderr)\b", r"lib/", None),
    ("logs", rf"\b{LOGGING}", r"(lib|plugin)/", None),
    ("ends the process", rf"\b{ENDING}", r"lib/", None),
    # unlink.c: its child
    ("ends the process", rf"\b{ENDING}", r"plugin/", r"plugin/(main|unlink)\.c"),
    ("ends the process", r"\babort\s*\(", r"(lib|plugin)/", r"lib/netlink/netns\.c"),
    ("reads the environment", rf"\b(?:{ENVIRONMENT})", r"lib/", None),
    # an IPAM plugin gets a copy of the environment; only main() looks anything up in it
    ("reads the environment", rf"\b(?:{ENVIRONMENT})", r"plugin/", r"plugin/(main|ipam_input)\.c"),
    ("prints to stdout", r"\b(?:v?printf|puts|putchar)\s*\(|\bstdout\b", r"plugin/",
     r"plugin/(main|validate)\.c"),
    ("changes its network namespace", r"\b(?:setns|unshare)\s*\(", r"(lib|plugin)/",
     r"lib/netlink/netns\.c"),
)


def find(files):
    for name in files.matching(*tree.C):
        bare = csource.code(files.text(name))
        for what, pattern, where, allowed in RULES:
            if not re.match(where, name) or (allowed and re.fullmatch(allowed, name)):
                continue
            for match in re.finditer(pattern, bare):
                yield tree.Finding(name, csource.line_at(bare, match.start()),
                                   f"{match.group().rstrip('( ')} {what}, and nothing here may")


if __name__ == "__main__":
    sys.exit(tree.run("banned", find))
