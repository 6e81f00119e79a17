#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.shell: every shell script is clean under shellcheck, and bash ones stop at the first failure."""
import json
import re
import subprocess
import sys

import tree

STRICT = "set -euo pipefail"


def find(files):
    tree.need("shellcheck")
    names = files.shell()
    if not names:
        return
    # -x and the root as a source path: what a script sources is read with it
    result = subprocess.run(["shellcheck", "-x", "-P", str(files.root), "-f", "json", *names],
                            cwd=files.root, capture_output=True, text=True, check=False)
    if result.returncode > 1:
        yield tree.Finding(names[0], 1, result.stderr.strip())
        return
    for one in json.loads(result.stdout):
        yield tree.Finding(one["file"], one["line"], f"SC{one['code']}: {one['message']}")
    for name in names:
        text = files.text(name)
        if re.match(r"#!.*\bbash\b", text) and not re.search(rf"^{STRICT}$", text, re.M):
            yield tree.Finding(name, 1, f"has no line \"{STRICT}\"")


if __name__ == "__main__":
    sys.exit(tree.run("shell", find))
