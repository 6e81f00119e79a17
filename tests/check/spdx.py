#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.spdx: every source file names its licence in one of its first three lines."""
import sys

import tree

LICENCE = "SPDX-License-Identifier: GPL-2.0-or-later"
SOURCES = ("*.c", "*.h", "*.py", "*.sh", "*.cmake", "CMakeLists.txt", "*.[1-9]", "*.proto", "*.service",
           ".clang-tidy", ".clang-format")


def is_script(files, name):
    with open(files.root / name, "rb") as file:
        return file.read(2) == b"#!"


def find(files):
    sources = set(files.matching(*SOURCES))
    for name in files.names:
        if name not in sources and not is_script(files, name):
            continue
        head = files.text(name).split("\n")[:3]
        if not any(LICENCE in line for line in head):
            yield tree.Finding(name, 1, f"has no line \"{LICENCE}\" in its first three")


if __name__ == "__main__":
    sys.exit(tree.run("spdx", find))
