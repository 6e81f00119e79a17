#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.headers: each header compiles alone, and twice in a row, by gcc and by clang, pedantically.

So it includes what it uses, and whoever includes it needs to know of nothing else."""
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys

import tree

PLACES = ("lib", "plugin", "agent", "ctl", "bpf/include", "tests/harness")
SKELETONS = tree.BUILD / "bpf" / "podwire_bpf"
COMPILERS = ("gcc", "clang")
FLAGS = ["-fsyntax-only", "-x", "c", "-std=gnu17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wpedantic",
         "-Wundef", "-Wstrict-prototypes", "-Werror",
         "-Wno-unused-function"]
PACKAGES = ["libnl-3.0", "libnl-route-3.0", "libnl-genl-3.0", "json-c", "cmocka", "libsystemd", "libbpf"]


def foreign():
    """Flags for the foreign libraries' headers, which aren't ours to warn of."""
    text = subprocess.run(["pkg-config", "--cflags", *PACKAGES], capture_output=True, text=True, check=True)
    return [re.sub("^-I", "-isystem", flag) for flag in shlex.split(text.stdout)]


def compile_alone(compiler, folder, name, flags):
    include = f'#include "{name}"\n' * 2 + "typedef int not_empty;\n"
    places = [f"-I{place}" for place in (*PLACES, os.path.dirname(name) or ".")]
    result = subprocess.run([compiler, *FLAGS, *flags, *places, f"-isystem{SKELETONS}", "-iquote", ".", "-"], input=include,
                            capture_output=True, text=True, cwd=folder, check=False)
    if result.returncode == 0:
        return None
    first = re.search(r"^(?:.*?:)?(\d+):\d+: (?:fatal )?error: (.*)", result.stderr, re.M)
    line, why = (int(first.group(1)), first.group(2)) if first else (1, result.stderr.strip())
    return tree.Finding(name, line, f"{compiler}: {why}")


def find(files):
    tree.need("pkg-config", *COMPILERS)
    flags = foreign()
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        jobs = [pool.submit(compile_alone, compiler, files.root, name, flags)
                for name in files.matching("*.h") if not name.endswith(".bpf.h") for compiler in COMPILERS]
        yield from filter(None, (job.result() for job in jobs))


if __name__ == "__main__":
    sys.exit(tree.run("headers", find))
