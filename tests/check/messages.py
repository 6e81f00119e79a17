#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.messages: what docs/troubleshooting.md quotes is what the code prints, and every error code that
the code uses has a message there.

A quotation is a code span in a heading of the third level. Words in capitals stand for what differs; "why"
at the end stands for what the kernel says. The code's formats are found as string arguments of the
functions that make messages; each % conversion matches anything."""
import re
import sys

import csource
import tree

GUIDE = "docs/troubleshooting.md"
# function: index of its format, and what the function puts behind the text
MAKERS = {
    "pw_fail": (3, ""),
    "pw_context": (1, ": .+"),
    "jdec_finding": (2, ""),
    "fault": (2, ""),
    "note": (1, ""),
    "missing": (3, ""),
    "nlsock_ask": (3, ": why"),
    "nlsock_get": (5, ": why"),
    "nlsock_dump": (5, ": why"),
    "nlsock_batch": (5, ": why"),
    "fprintf": (1, ""),
}
# the last one stands for a macro with a string in it
CONVERSION = re.compile("%(?:[-+ #0]*[0-9]*(?:[.](?:[0-9]+|[*]))?(?:hh|h|ll|l|z|j)?[a-zA-Z]|%)|\0")
STRING = r'"((?:\\.|[^"\\])*)"'
FIXED_AT_LEAST = 8  # letters that a format must have, to be anything to go by


def literal(text):
    """The value of adjacent string literals and macros; "%" PRIu32 is "%d"."""
    value = "".join(string if not macro else "d" if macro.startswith("PRI") else "\0"
                    for string, macro in re.findall(rf"{STRING}|(\w+)", text))
    return value.replace("\\n", "").replace('\\"', '"')


def formats(text):
    """(regular expression, format) of each message that a file of C makes."""
    bare = csource.code(text)
    macros = dict(re.findall(r'^#define (\w+) (".*")$', text, re.M))
    for maker, (index, behind) in MAKERS.items():
        for _, arguments in csource.calls(bare, maker):
            if len(arguments) <= index:
                continue
            source = text[slice(*arguments[index])]
            for name, value in macros.items():
                source = re.sub(rf"\b{name}\b", value.replace("\\", r"\\"), source)
            # A ? B : C has a format on each side
            for one in re.split(r"[?:](?=\s*\")", source) if "?" in csource.code(source) else [source]:
                yield literal(one), behind
            # a beginning that is an argument of "%s%s"
            for rest in (text[slice(*span)] for span in arguments[index + 1:]):
                yield from ((one, ".+") for one in re.findall(STRING, rest) if one.endswith(": "))


def expression(form, behind):
    """What such a message looks like; None where nearly nothing in it is fixed."""
    fixed = CONVERSION.sub("", form)
    if len(re.findall(r"[A-Za-z]", fixed)) < FIXED_AT_LEAST:
        return None
    if form.endswith("%m"):
        form, behind = form[:-2], "why"
    pattern, at = "", 0
    for match in CONVERSION.finditer(form):
        pattern += re.escape(form[at:match.start()]) + ".+?"
        at = match.end()
    pattern += re.escape(form[at:])
    if behind == ": why":
        return f"{pattern}(?: in pod)?: why"
    return pattern + behind


def quotations(files):
    """(line, text) of what the guide quotes."""
    for number, line in enumerate(files.text(GUIDE).split("\n"), 1):
        if line.startswith("### "):
            for quoted in re.findall(r"`([^`]+)`", line):
                yield number, quoted


def codes(files):
    """Codes that the guide speaks of, and that the code uses."""
    enum = csource.code(files.text("lib/base/error.h"))
    numbers = {name: value for name, value in re.findall(r"\b(PW_E_\w+) = (\d+)", enum)}
    used = set()
    for name in files.matching("*.c"):
        if name.startswith(("lib/", "plugin/")):
            used.update(re.findall(r"\bPW_E_\w+", csource.code(files.text(name))))
    told = {number for group in re.findall(r"^## .*?\(codes? ([^)]*)\)", files.text(GUIDE), re.M)
            for number in re.findall(r"\d+", group)}
    return told, {numbers[name] for name in used if numbers.get(name, "0") != "0"}


def find(files):
    if not files.has(GUIDE):
        return
    patterns = set()
    for name in files.matching(*tree.C):
        if name.startswith(("lib/", "plugin/")):
            patterns.update(expression(*one) for one in formats(files.text(name)))
    patterns = [re.compile(one) for one in patterns - {None}]
    quoted = 0
    for line, text in quotations(files):
        quoted += 1
        # a JSON path, or what was added on the way, may stand in front
        tails = [text, *(text[match.end():] for match in re.finditer(": ", text))]
        if not any(pattern.fullmatch(tail) for pattern in patterns for tail in tails):
            yield tree.Finding(GUIDE, line, f"no code prints: {text}")
    if not quoted:
        yield tree.Finding(GUIDE, 1, "quotes no message in its headings")
    told, used = codes(files)
    for number in sorted(used - told, key=int):
        yield tree.Finding(GUIDE, 1, f"no heading of the second level has code {number}")
    for number in sorted(told - used, key=int):
        yield tree.Finding(GUIDE, 1, f"code {number} is not used by the code")


if __name__ == "__main__":
    sys.exit(tree.run("messages", find))
