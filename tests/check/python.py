#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.python: every Python file compiles, is clean under pyflakes, needs the standard library only,
and is indented by spaces. Warns of lines over 120 columns."""
import ast
import io
import pathlib
import re
import subprocess
import sys
import tokenize

import tree

COLUMNS = 120


def pyflakes(files, names):
    result = subprocess.run(["pyflakes3", *names], cwd=files.root, capture_output=True, text=True,
                            check=False)
    for path, line, text in re.findall(r"^(.+?):(\d+):\d+:? (.*)", result.stdout + result.stderr, re.M):
        yield tree.Finding(path, int(line), text)


def imports(files, name, syntax):
    """Modules that are neither the standard library's nor beside the file or below tests/ or deploy/. One
    that the file can do without is its own affair: try, except ImportError."""
    tried = {id(child) for node in ast.walk(syntax) if isinstance(node, ast.Try)
             if any("ImportError" in ast.dump(handler) for handler in node.handlers)
             for child in ast.walk(node)}
    for node in ast.walk(syntax):
        if id(node) in tried:
            continue
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            modules = [node.module]
        else:
            continue
        for module in {one.split(".")[0] for one in modules}:
            near = [pathlib.Path(name).parent, pathlib.Path("tests"), *pathlib.Path(name).parents]
            ours = any(files.has(str(place / f"{module}.py")) or (files.root / place / module).is_dir()
                       or (files.root / "deploy/lib" / f"{module}.py").is_file() for place in near)
            if module not in sys.stdlib_module_names and not ours:
                yield tree.Finding(name, node.lineno, f"{module} isn't of the standard library")


def find(files):
    tree.need("pyflakes3")
    names = files.python()
    if names:
        yield from pyflakes(files, names)
    for name in names:
        text = files.text(name)
        try:
            syntax = ast.parse(text, name)
        except SyntaxError:
            continue  # which pyflakes has told
        yield from imports(files, name, syntax)
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.INDENT and "\t" in token.string:
                yield tree.Finding(name, token.start[0], "is indented by a tab")
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > COLUMNS:
                yield tree.Finding(name, number, f"the line has {len(line)} columns", warning=True)


if __name__ == "__main__":
    sys.exit(tree.run("python", find))
