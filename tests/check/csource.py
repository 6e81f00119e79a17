# SPDX-License-Identifier: GPL-2.0-or-later
"""C as the checks see it: text without comments and literals, and functions. Goes by the layout that
clang-format makes, which check.format sees to; it is no parser of C."""
import re
from typing import NamedTuple

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def blank(match):
    """A comment becomes blanks, a literal keeps its quotes; lines stay where they are."""
    text = match.group()
    if text[0] == "/":
        return re.sub(r"[^\n]", " ", text)
    return text[0] + " " * (len(text) - 2) + text[-1]


def code(text):
    """The text with comments and the insides of literals blanked."""
    return TOKEN.sub(blank, text)


def line_at(text, offset):
    return text.count("\n", 0, offset) + 1


class Function(NamedTuple):
    name: str
    first: int  # line of its name
    last: int  # of its closing brace
    body: str  # of code(), from its opening brace to its closing one


def functions(text):
    """The functions that are defined in the text: an opening brace alone on its line begins one."""
    lines = code(text).split("\n")
    for opening in (number for number, line in enumerate(lines) if line == "{"):
        first = opening
        while first > 0 and lines[first - 1].strip() and not re.match(r"[#}]|.*;$", lines[first - 1]):
            first -= 1
        header = re.sub(r"__attribute__\(\(.*?\)\)+", " ", " ".join(lines[first:opening]))
        name = re.search(r"(\w+)\s*\(", header)
        if not name:
            continue
        closing = lines.index("}", opening)
        yield Function(name.group(1), first + 1, closing + 1, "\n".join(lines[opening:closing + 1]))


def calls(bare, name):
    """(offset, arguments) of each call of the function; the arguments as they stand in the text."""
    for match in re.finditer(rf"(?<![\w.>]){name}\s*\(", bare):
        depth, start, arguments = 1, match.end(), []
        for at in range(match.end(), len(bare)):
            depth += {"(": 1, ")": -1, "{": 1, "}": -1}.get(bare[at], 0)
            if depth == 0 or (depth == 1 and bare[at] == ","):
                arguments.append((start, at))
                start = at + 1
            if depth == 0:
                break
        yield match.start(), arguments
