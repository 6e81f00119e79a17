#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.man: podwire.8 has what the code has, and nothing that it has not: config keys, error codes,
variables, commands, options. The JSON schema and README's table have the keys too. podwirectl.8 has all
commands and options. Pages are clean under mandoc's lint.

Code is read by patterns that hold for how these things are written here; where a pattern finds nothing,
the check fails."""
import json
import re
import subprocess
import sys

import csource
import tree

PAGE = "docs/man/podwire.8"
CTL_PAGE = "docs/man/podwirectl.8"
SCHEMA = "deploy/podwire.schema.json"
README = "README.md"
KEYS = ("plugin/netconf.c", "lib/store/options.c")
# written by a runtime, or the specification's own: in the page, and no row of README's table
NOT_OPERATORS = {"name", "type", "cniVersion", "dns", "args", "runtimeConfig", "prevResult", "ips", "mac",
                 "podwire", "cni", "containerID", "ifname", "cni.dev/valid-attachments",
                 "cni.dev/attachments"}
# no code reads them: runtimes do
RUNTIMES = {"capabilities"}


def keys(files):
    """Keys of the tables of fields, and cniVersion, which is read before them."""
    found = {"cniVersion"}
    for name in KEYS:
        found.update(re.findall(r'^\s*\{ "([^"]+)", (?:jdec|decode)_\w+,', files.text(name), re.M))
    return found


def codes(files):
    text = csource.code(files.text("lib/base/error.h"))
    return {value for value in re.findall(r"\bPW_E_\w+ = (\d+)", text) if value != "0"}


def variables(files):
    found = set()
    for name in files.matching("*.c"):
        if name.startswith("plugin/"):
            found.update(re.findall(r'"((?:CNI|PW)_[A-Z_]+)"', files.text(name)))
    return found


def arguments(files):
    """Keys of CNI_ARGS."""
    return set(re.findall(r'strcmp\(key, "(\w+)"\)', files.text("plugin/request.c")))


def commands(files):
    return set(re.findall(r'\[VERB_\w+\] = "(\w+)"', files.text("plugin/request.c")))


def options(files):
    return set(re.findall(r'strcmp\(argv\[1\], "--([a-z-]+)"\)', files.text("plugin/main.c")))


def sections(page):
    """{title: text} of .Sh and .Ss."""
    parts = re.split(r"^\.S[hs] (.*)$", page, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def items(text, macro):
    return set(re.findall(rf"^\.It {macro} ?(\S+)", text, re.M))


def compare(what, have, want):
    """Differences between what the page and the code have."""
    if not want:
        yield tree.Finding(PAGE, 1, f"found no {what} in the code: mend this check")
    for one in sorted(want - have):
        yield tree.Finding(PAGE, 1, f"{what} {one} is missing")
    for one in sorted(have - want):
        yield tree.Finding(PAGE, 1, f"{what} {one} is not in the code")


def judge_page(files):
    page = files.text(PAGE)
    part = sections(page)
    configuration = page[page.index("\n.Sh NETWORK CONFIGURATION"):page.index("\n.Sh ENVIRONMENT")]
    listed = items(configuration, "Cm")
    mentioned = set(re.findall(r"^\.(?:It )?Cm (\S+)", configuration, re.M))
    yield from compare("key", (mentioned & keys(files)) | (listed - RUNTIMES), keys(files))
    yield from compare("code", items(part["DIAGNOSTICS"], ""), codes(files))
    yield from compare("variable", items(part["ENVIRONMENT"], "Ev"), variables(files))
    yield from compare("command", items(part["Commands"], "Cm"), commands(files))
    yield from compare("option", {one.lstrip("-") for one in items(part["Options"], "Fl")}, options(files))
    for one in sorted(arguments(files)):
        if not re.search(rf"^\.Li {one}\b", part["ENVIRONMENT"], re.M):
            yield tree.Finding(PAGE, 1, f"key {one} of CNI_ARGS is missing")


def properties(schema):
    """Every name below a "properties" of a JSON schema."""
    if isinstance(schema, list):
        return set().union(set(), *(properties(one) for one in schema))
    if not isinstance(schema, dict):
        return set()
    named = schema.get("properties", {})
    return set(named).union(*(properties(one) for one in schema.values()))


def judge_others(files):
    if files.has(SCHEMA):
        there = properties(json.loads(files.text(SCHEMA)))
        for one in sorted(keys(files) - there):
            yield tree.Finding(SCHEMA, 1, f"key {one} is missing")
    if files.has(README):
        rows = set(re.findall(r"^\| `([\w.]+)` \|", files.text(README), re.M))
        for one in sorted(keys(files) - NOT_OPERATORS - rows):
            yield tree.Finding(README, 1, f"the table of keys lacks {one}")
        for one in sorted(rows - keys(files) - RUNTIMES):
            yield tree.Finding(README, 1, f"the table of keys has {one}, and the code has not")


def lint(files):
    tree.need("mandoc")
    for name in files.matching("*.[1-8]"):
        result = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", name], cwd=files.root,
                                capture_output=True, text=True, check=False)
        for line, text in re.findall(r"^mandoc: .+?:(\d+):\d+: (.*)$", result.stdout + result.stderr, re.M):
            yield tree.Finding(name, int(line), text)


def judge_ctl(files):
    part = sections(files.text(CTL_PAGE))
    for what, source, section, macro in (("command", "ctl/commands.c", "Commands", "Cm"),
                                         ("option", "ctl/options.c", "Options", "Fl")):
        want = set(re.findall(r'^\t+\{ "([a-z-]+)", ', files.text(source), re.M))
        if not want:
            yield tree.Finding(CTL_PAGE, 1, f"found no {what} in {source}: mend this check")
        for one in sorted(want - {item.lstrip("-") for item in items(part[section], macro)}):
            yield tree.Finding(CTL_PAGE, 1, f"{what} {one} is missing")


def find(files):
    yield from lint(files)
    if files.has(CTL_PAGE):
        yield from judge_ctl(files)
    if files.has("plugin/netconf.c"):
        yield from judge_page(files)
        yield from judge_others(files)


if __name__ == "__main__":
    sys.exit(tree.run("man", find))
