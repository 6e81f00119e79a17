#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.words: the repository speaks of the project alone: nothing of the place where it was written,
nor of one developer's machine or archive. The brackets keep this file from finding itself."""
import re
import sys

import tree

WORDS = re.compile(r"""
    /w[o]rk/ | /f[a]rm/ | \.[l]ibrary\b | \.\./sh[a]red\b
    | (?<![\w.$}"-])/(?:h[o]me|U[s]ers)/\w
    | ://[a-z0-9.-]+/d[e]bian\b
    | \b(?:[a-z]+\.)*(?:p[y]pi\.org|p[y]thonhosted\.org|n[p]mjs\.org|cr[a]tes\.io|pr[o]xy\.golang\.org
        |de[b]\.debian\.org|ftp\.de[b]ian\.org)\b
    | \b(?:this|next|last|previous)\ s[e]ssion\b | \bs[e]ssion\ note | \bA[I]\ assistant\b | \bsub-?ag[e]nt
    | \bch[a]tgpt\b | \bcla[u]de\b | \banthr[o]pic\b | \bop[e]nai\b | \bcop[i]lot\b | \blanguage\ m[o]del
    """, re.I | re.X)


def find(files):
    for name in files.names:
        if WORDS.search(name):
            yield tree.Finding(name, 1, "the file's name speaks of something else than the project")
        try:
            text = files.text(name)
        except UnicodeDecodeError:
            continue  # not text
        for number, line in enumerate(text.split("\n"), 1):
            match = WORDS.search(line)
            if match:
                yield tree.Finding(name, number, f"\"{match.group()}\" isn't of the project")


def write_samples(folder):
    """What this rule forbids can't stand in a file of the repository: samples are put together here."""
    bad = ["see /wo" "rk/main", "de" "b http://mirror.example/deb" "ian bookworm", "as the la" "st ses" "sion said",
           "from py" "pi.org", "/ho" "me/jane/podwire", "an A" "I assistant"]
    good = ["work", "a session bus", "our own library", "/var/lib/podwire", "this pod's session",
            "documentation at https://example.org/", "$HOME/.cache", "the homepage", "$WORK/root/bin"]
    (folder / "bad.txt").write_text("\n".join(f"BAD {line}" for line in bad), encoding="utf-8")
    (folder / "good.txt").write_text("\n".join(good), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(tree.run("words", find, make=write_samples))
